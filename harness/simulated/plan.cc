#include "harness/simulated/plan.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "harness/database/usage_error.h"
#include "harness/history/comparison.h"

namespace hilsa::simulated {
namespace {

std::uint32_t column_of(const Table& table, std::string_view name) {
  if (name == "_version") return kVersionColumn;
  if (name == "_writer") return kWriterColumn;
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [name](const Column& column) { return column.name == name; });
  if (found == table.columns.end()) {
    throw std::logic_error("a statement names a column that its table does not have");
  }
  return static_cast<std::uint32_t>(found - table.columns.begin());
}

const Value& bound(const Operand& operand, std::span<const Value> parameters) {
  if (const auto* parameter = std::get_if<Parameter>(&operand)) {
    return parameters[static_cast<std::size_t>(parameter->index)];
  }
  return std::get<Value>(operand);
}

std::string plain_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr ? std::to_string(*number) : "";
}

// Numbers wrap around rather than fail: workloads stay far from the ends.
std::int64_t sum(std::int64_t a, std::int64_t b, bool subtract) {
  const auto left = static_cast<std::uint64_t>(a);
  const auto right = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(subtract ? left - right : left + right);
}

Value changed_value(const Value& before, ChangeKind change, const Value& by) {
  if (change == ChangeKind::set) return by;
  if (change == ChangeKind::append) {
    const std::string text = plain_text(before);
    return text.empty() ? plain_text(by) : text + "," + plain_text(by);
  }
  const auto* number = std::get_if<std::int64_t>(&before);
  const auto* delta = std::get_if<std::int64_t>(&by);
  if (number == nullptr || delta == nullptr) return std::monostate();
  return sum(*number, *delta, change == ChangeKind::subtract);
}

}  // namespace

Predicate::KeyRange Predicate::keys() const {
  KeyRange range{std::numeric_limits<std::int64_t>::min(),
                 std::numeric_limits<std::int64_t>::max()};
  for (const Test& test : tests) {
    const auto* key = std::get_if<std::int64_t>(&test.value);
    if (test.column != 0 || key == nullptr) continue;
    const Comparator c = test.comparator;
    if (c == Comparator::equal || c == Comparator::at_least || c == Comparator::greater) {
      range.first = std::max(range.first, *key);
    }
    if (c == Comparator::equal || c == Comparator::at_most || c == Comparator::less) {
      range.last = std::min(range.last, *key);
    }
  }
  return range;
}

bool Predicate::matches(const Cells& cells) const {
  return std::all_of(tests.begin(), tests.end(), [&](const Test& test) {
    return test.column >= cells.size() || passes(cells[test.column], test.comparator, test.value);
  });
}

Plan::Plan(const Structure& structure, TableNumber table)
    : table_(table),
      kind_(structure.kind),
      lock_(structure.lock),
      limit_(static_cast<std::size_t>(structure.limit)),
      column_count_(structure.table->columns.size()) {
  const auto note = [this](const Operand& operand) {
    const auto* parameter = std::get_if<Parameter>(&operand);
    if (parameter == nullptr) return;
    parameter_count_ = std::max(parameter_count_, static_cast<std::size_t>(parameter->index) + 1);
  };
  const bool inserts = kind_ == StatementKind::insert || kind_ == StatementKind::insert_if_fewer;
  if (inserts) parameter_count_ = column_count_;
  if (structure.fewer_than) {
    fewer_than_ = *structure.fewer_than;
    note(fewer_than_);
  }
  for (const std::string_view column : structure.columns) {
    columns_.push_back(column_of(*structure.table, column));
  }
  for (const Condition& c : structure.conditions) {
    tests_.push_back({column_of(*structure.table, c.column), c.comparator, c.operand});
    note(c.operand);
  }
  for (const Assignment& a : structure.assignments) {
    changes_.push_back({column_of(*structure.table, a.column), a.change, a.operand});
    note(a.operand);
  }
  const bool by_key =
      tests_.size() == 1 && tests_[0].column == 0 && tests_[0].comparator == Comparator::equal;
  const bool writes = kind_ == StatementKind::update || kind_ == StatementKind::erase;
  overwrites_ = writes && by_key &&
                std::all_of(changes_.begin(), changes_.end(), [](const OpenChange& change) {
                  return change.change == ChangeKind::set;
                });
}

Predicate Plan::predicate(std::span<const Value> parameters) const {
  Predicate predicate{.table = table_};
  predicate.tests.reserve(tests_.size());
  for (const OpenTest& test : tests_) {
    predicate.tests.push_back({test.column, test.comparator, bound(test.operand, parameters)});
  }
  return predicate;
}

Cells Plan::changed(const Cells& before, std::span<const Value> parameters) const {
  Cells after = before;
  // From the row as it was, as SQL has it: not from what the assignment before this one made.
  for (const OpenChange& change : changes_) {
    after[change.column] =
        changed_value(before[change.column], change.change, bound(change.operand, parameters));
  }
  return after;
}

Cells Plan::inserted(std::span<const Value> parameters) const {
  Cells cells(column_count_);
  for (std::size_t i = 0; i < columns_.size(); ++i) cells[columns_[i]] = parameters[i];
  return cells;
}

std::int64_t Plan::fewer_than(std::span<const Value> parameters) const {
  const auto* number = std::get_if<std::int64_t>(&bound(fewer_than_, parameters));
  return number != nullptr ? *number : 0;
}

std::int64_t Plan::writer(std::span<const Value> parameters) const {
  if (parameters.size() <= parameter_count_) return 0;
  const auto* id = std::get_if<std::int64_t>(&parameters[parameter_count_]);
  return id != nullptr ? *id : 0;
}

std::vector<RowCheck> checks_of(const Table& table) {
  if (table.check.empty()) return {};
  std::istringstream words{std::string(table.check)};
  std::string column;
  std::string comparator;
  std::int64_t lowest = 0;
  const bool known = words >> column >> comparator >> lowest && words.eof() && comparator == ">=";
  if (!known) {
    throw DatabaseUnusable("a simulated database knows CHECK (column >= number) only, not CHECK (" +
                           std::string(table.check) + "); choose another --db");
  }
  return {{column_of(table, column), lowest}};
}

std::vector<std::uint32_t> columns_of(const Table& table,
                                      const std::vector<std::string_view>& names) {
  std::vector<std::uint32_t> columns;
  for (const std::string_view name : names) {
    columns.push_back(column_of(table, name.substr(0, name.find(','))));
  }
  return columns;
}

}  // namespace hilsa::simulated
