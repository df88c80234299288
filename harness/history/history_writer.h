// Writes a history as `history.jsonl` (docs/history-format.md): a header line, then a line per
// attempt (and one per statement, before its first use), then the final state, then an end line.
// Whole lines only, so that a file cut short by a crash or a full disk is readable up to its last
// line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/attempt.h"
#include "harness/history/history_sink.h"
#include "harness/history/output_file.h"

namespace hilsa {

inline constexpr int kHistoryFormat = 1;

struct RecordedTable {
  std::string name;
  std::string key;
  std::vector<std::string> columns;
};

struct HistoryHeader {
  std::string workload;
  std::string strategy;
  std::string isolation;
  std::string product;
  std::string version;
  std::string url;  // redacted: without a password
  int clients = 0;
  std::uint64_t seed = 0;
  std::string started_at;  // UTC, ISO 8601
  std::vector<RecordedTable> tables;
};

struct HistoryCounts {
  std::int64_t attempts = 0;
  std::int64_t operations = 0;
};

// Not thread-safe. All functions but the constructor record a failed write (a full disk) instead of
// throwing; failed() tells it.
class HistoryWriter : public HistorySink {
 public:
  // Creates or replaces the file, compressed when it is called `.zst`. Throws std::system_error
  // when it cannot be opened. Times in the file are relative to `origin_ns`.
  HistoryWriter(const std::filesystem::path& path, const HistoryHeader& header,
                Nanoseconds origin_ns);
  ~HistoryWriter() override;

  void write(const Attempt& attempt) override;
  void write_final(int table, std::span<const SeenRow> rows) override;
  // The last line.
  void write_end(bool interrupted) override;
  // Hands buffered lines to the operating system: whatever happens then, they can be read.
  void flush() override;

  const HistoryCounts& counts() const { return counts_; }
  bool failed() const override { return file_.failed(); }

 private:
  void put_line();
  void introduce(int statement, std::string_view sql);
  void introduce_statements(const Attempt& attempt);

  OutputFile file_;
  std::string line_;
  Nanoseconds origin_ns_;
  HistoryCounts counts_;
  std::vector<bool> introduced_;  // by statement id: its line is written
};

}  // namespace hilsa
