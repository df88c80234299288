// Operations, statements and tables of our own format: docs/history-format.md, "Operations".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/error.h"
#include "harness/history/history_builder.h"
#include "harness/history/readers/json_values.h"

namespace hilsa {

// Throws Malformed: `the client 'x'; expected a whole number from MIN to MAX`.
std::int64_t number_in(json::value value, std::string_view what, std::int64_t min,
                       std::int64_t max);

// An attempt's error.
Error read_error(json::value value);

class RecordedOperations {
 public:
  explicit RecordedOperations(HistoryBuilder& builder) : builder_(builder) {}

  // Tables and statements are numbered by each file for itself.
  void start_file();
  void add_table(std::string_view name, std::string_view key, std::span<const std::string> columns);
  void add_statement(std::int64_t id, std::string_view sql);

  // Where an attempt failed; how, is left open.
  Failure read_failed(json::value value);
  // Adds an attempt's operations to the builder.
  void read(json::array operations);
  void read_final_rows(std::int64_t table, json::array rows);
  // How many operations this file has had.
  std::int64_t count() const { return count_; }

 private:
  class Places;
  void read_operation(json::value value);
  void read_row_operation(Op op, std::uint32_t table, Places& places, HistoryBuilder::Stamp& stamp);
  void read_predicate_read(std::uint32_t table, Places& places, HistoryBuilder::Stamp& stamp);
  void read_cells(std::uint32_t table, json::value value);
  void read_changes(std::uint32_t table, json::value value);
  BoundComparison read_comparison(std::uint32_t table, json::value value);
  std::uint32_t table_at(std::int64_t place) const;
  std::uint32_t statement_with(std::int64_t id) const;
  std::uint16_t column(std::uint32_t table, std::string_view name);

  HistoryBuilder& builder_;
  std::vector<std::uint32_t> tables_;  // by their place in the header
  std::unordered_map<std::int64_t, std::uint32_t> statements_;
  std::int64_t count_ = 0;
};

}  // namespace hilsa
