// Statements as the simulated database runs them: tables and columns by number, conditions and
// changes with their values bound.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/database/statement.h"

namespace hilsa::simulated {

using TableNumber = std::uint32_t;
// A row's values in the order of its table's columns, the key first.
using Cells = std::vector<Value>;

// Columns beyond the table's own: conditions may name them.
inline constexpr std::uint32_t kVersionColumn = 0xfffe;
inline constexpr std::uint32_t kWriterColumn = 0xffff;

struct Test {
  std::uint32_t column = 0;
  Comparator comparator = Comparator::equal;
  Value value;
};
// The rows of a table that pass all tests.
struct Predicate {
  TableNumber table = 0;
  std::vector<Test> tests;

  // The keys that can pass, both ends included.
  struct KeyRange {
    std::int64_t first;
    std::int64_t last;
  };
  KeyRange keys() const;
  // Tests of the stamps (_version, _writer) are taken as passed.
  bool matches(const Cells& cells) const;
};

// CHECK (column >= number): the only form that there is.
struct RowCheck {
  std::uint32_t column = 0;
  std::int64_t lowest = 0;
};

// A statement made ready to run any number of times.
class Plan {
 public:
  // Throws DatabaseUnusable for a table whose CHECK has another form than RowCheck's.
  Plan(const Structure& structure, TableNumber table);

  TableNumber table() const { return table_; }
  StatementKind kind() const { return kind_; }
  Lock lock() const { return lock_; }
  std::size_t limit() const { return limit_; }  // 0: none
  // Structure's: it has read the rows that it returned, and no others that may be there.
  bool may_leave_rows_out() const { return limit_ > 0 || lock_ == Lock::update_skip_locked; }
  std::span<const std::uint32_t> columns() const { return columns_; }  // reads: the ones wanted

  Predicate predicate(std::span<const Value> parameters) const;
  // Updates: the row as it is afterwards.
  Cells changed(const Cells& before, std::span<const Value> parameters) const;
  // Inserts.
  Cells inserted(std::span<const Value> parameters) const;
  // StatementKind::insert_if_fewer.
  std::int64_t fewer_than(std::span<const Value> parameters) const;
  // Writes: the attempt's id, which stands behind the statement's own parameters.
  std::int64_t writer(std::span<const Value> parameters) const;
  // An update of one row, by its key, to values that do not depend on the row; or its deletion.
  bool overwrites() const { return overwrites_; }

 private:
  struct OpenTest {
    std::uint32_t column;
    Comparator comparator;
    Operand operand;
  };
  struct OpenChange {
    std::uint32_t column;
    ChangeKind change;
    Operand operand;
  };

  TableNumber table_;
  StatementKind kind_;
  Lock lock_;
  std::size_t limit_;
  std::size_t column_count_;
  std::size_t parameter_count_ = 0;  // the statement's own
  std::vector<std::uint32_t> columns_;
  std::vector<OpenTest> tests_;
  std::vector<OpenChange> changes_;
  Operand fewer_than_;
  bool overwrites_;
};

// The table's CHECK, if it has one.
std::vector<RowCheck> checks_of(const Table& table);
// Columns by number.
std::vector<std::uint32_t> columns_of(const Table& table,
                                      const std::vector<std::string_view>& names);

}  // namespace hilsa::simulated
