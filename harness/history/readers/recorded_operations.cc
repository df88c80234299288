#include "harness/history/readers/recorded_operations.h"

#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace hilsa {
namespace {

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
// Checkers keep a version in 31 bits.
constexpr Version kVersionMax = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::size_t kColumnsMax = 1000;

Comparator comparator_of(std::string_view symbol) {
  constexpr std::array kAll = {Comparator::equal,   Comparator::not_equal, Comparator::less,
                               Comparator::at_most, Comparator::greater,   Comparator::at_least};
  for (const Comparator comparator : kAll) {
    if (symbol_of(comparator) == symbol) return comparator;
  }
  throw Malformed{"the comparison " + quoted(symbol), "=, <>, <, <=, > or >="};
}

ChangeKind change_of(std::string_view sign) {
  if (sign == "+") return ChangeKind::add;
  if (sign == "-") return ChangeKind::subtract;
  if (sign == "..") return ChangeKind::append;
  throw Malformed{"the change " + quoted(sign), "+, - or .."};
}

}  // namespace

std::int64_t number_in(json::value value, std::string_view what, std::int64_t min,
                       std::int64_t max) {
  std::int64_t number = 0;
  const bool is_number = value.get_int64().get(number) == simdjson::SUCCESS;
  if (is_number && number >= min && number <= max) return number;
  throw Malformed{"the " + std::string(what) + " " +
                      (is_number ? std::to_string(number) : "that is no whole number"),
                  "one from " + std::to_string(min) + " to " + std::to_string(max)};
}

Error read_error(json::value value) {
  Error error;
  for (auto field : value.get_object()) {
    const std::string_view name = field.unescaped_key();
    if (name == "kind") {
      const std::string_view kind = field.value().get_string();
      for (std::size_t i = 0; i < kErrorKindCount; ++i) {
        if (name_of(static_cast<ErrorKind>(i)) == kind) error.kind = static_cast<ErrorKind>(i);
      }
    } else if (name == "sqlstate") {
      error.sqlstate = std::string_view(field.value().get_string());
    } else if (name == "code") {
      error.vendor_code =
          static_cast<int>(number_in(field.value(), "error code", std::numeric_limits<int>::min(),
                                     std::numeric_limits<int>::max()));
    } else if (name == "text") {
      error.server_text = std::string_view(field.value().get_string());
    } else {
      check_unused(field.value());
    }
  }
  return error;
}

// The places of an array, one after the other.
class RecordedOperations::Places {
 public:
  Places(json::array array, std::string_view what)
      : at_(array.begin()), end_(array.end()), what_(what) {}

  json::value next() {
    if (is_started_) ++at_;
    is_started_ = true;
    if (!(at_ != end_)) throw Malformed{std::string(what_) + " with too few places", "all of them"};
    return *at_;
  }
  std::int64_t number(std::string_view what, std::int64_t min, std::int64_t max) {
    return number_in(next(), what, min, max);
  }
  Version version(Version min) { return number("version", min, kVersionMax); }
  AttemptId writer() { return number("writer", 0, kInt64Max); }
  Scalar scalar(ScalarPool& scalars) { return scalar_of(next(), scalars); }
  void end() {
    if (is_started_) ++at_;
    if (at_ != end_) throw Malformed{std::string(what_) + " with too many places", "fewer"};
  }

 private:
  simdjson::simdjson_result<json::array_iterator> at_;
  simdjson::simdjson_result<json::array_iterator> end_;
  std::string_view what_;
  bool is_started_ = false;
};

void RecordedOperations::start_file() {
  tables_.clear();
  statements_.clear();
  count_ = 0;
}

void RecordedOperations::add_table(std::string_view name, std::string_view key,
                                   std::span<const std::string> columns) {
  if (columns.size() > kColumnsMax) {
    throw Malformed{"a table of " + std::to_string(columns.size()) + " columns",
                    "at most " + std::to_string(kColumnsMax)};
  }
  const std::uint32_t table = builder_.table(name, key, {});
  for (const std::string& column_name : columns) column(table, column_name);
  tables_.push_back(table);
}

void RecordedOperations::add_statement(std::int64_t id, std::string_view sql) {
  if (!statements_.try_emplace(id, builder_.statement(sql)).second) {
    throw Malformed{"statement " + std::to_string(id) + " a second time", "each id once"};
  }
}

std::uint32_t RecordedOperations::table_at(std::int64_t place) const {
  const auto at = static_cast<std::size_t>(place);
  if (at < tables_.size()) return tables_[at];
  throw Malformed{"table " + std::to_string(place),
                  "one of the header's " + std::to_string(tables_.size())};
}

std::uint32_t RecordedOperations::statement_with(std::int64_t id) const {
  if (id < 0) return kNone;
  const auto found = statements_.find(id);
  if (found != statements_.end()) return found->second;
  throw Malformed{"statement " + std::to_string(id), "one whose line came before"};
}

std::uint16_t RecordedOperations::column(std::uint32_t table, std::string_view name) {
  const std::uint16_t column = builder_.column(table, name);
  if (column >= kColumnsMax) {
    throw Malformed{"more than " + std::to_string(kColumnsMax) + " columns in one table", "fewer"};
  }
  return column;
}

Failure RecordedOperations::read_failed(json::value value) {
  Failure failure;
  std::optional<std::int64_t> table;
  std::optional<Scalar> key;
  for (auto field : value.get_object()) {
    const std::string_view name = field.unescaped_key();
    if (name == "statement") {
      failure.statement = statement_with(number_in(field.value(), "statement", -1, kInt64Max));
    } else if (name == "begin") {
      failure.begin = number_in(field.value(), "begin", kInt64Min, kInt64Max);
    } else if (name == "end") {
      failure.end = number_in(field.value(), "end", kInt64Min, kInt64Max);
    } else if (name == "table") {
      table = number_in(field.value(), "table", 0, kInt64Max);
    } else if (name == "key") {
      key = scalar_of(field.value(), builder_.scalars());
    } else {
      check_unused(field.value());
    }
  }
  if (failure.begin > failure.end) {
    throw Malformed{"a failed statement that ends before it begins",
                    "begin and end, in this order"};
  }
  if (table) {
    const std::uint32_t number = table_at(*table);
    if (key) failure.object = builder_.object(number, *key);
  }
  return failure;
}

void RecordedOperations::read(json::array operations) {
  for (auto operation : operations) read_operation(operation.value());
}

void RecordedOperations::read_operation(json::value value) {
  Places places(value.get_array(), "an operation");
  const std::string_view code = places.next().get_string();
  HistoryBuilder::Stamp stamp;
  stamp.statement = statement_with(places.number("statement", -1, kInt64Max));
  stamp.begin = places.number("begin", kInt64Min, kInt64Max);
  stamp.end = places.number("end", stamp.begin, kInt64Max);
  const std::uint32_t table = table_at(places.number("table", 0, kInt64Max));
  ++count_;
  if (code == "p") return read_predicate_read(table, places, stamp);
  constexpr std::array<std::pair<std::string_view, Op>, 4> kCodes = {
      {{"r", Op::read}, {"w", Op::write}, {"i", Op::insert}, {"d", Op::erase}}};
  for (const auto& [name, op] : kCodes) {
    if (name == code) return read_row_operation(op, table, places, stamp);
  }
  throw Malformed{"the operation " + quoted(code), "r, w, i, d or p"};
}

void RecordedOperations::read_row_operation(Op op, std::uint32_t table, Places& places,
                                            HistoryBuilder::Stamp& stamp) {
  const ObjectIndex object = builder_.object(table, places.scalar(builder_.scalars()));
  const bool may_be_unknown = op == Op::read || op == Op::write;
  const Version version = places.version(may_be_unknown ? kVersionUnknown : 1);
  if (op == Op::write && version == kUnborn) throw Malformed{"the version 0", "-1 or above 0"};
  if (op == Op::read) stamp.writer = places.writer();
  if (op == Op::write) {
    read_changes(table, places.next());
  } else {
    read_cells(table, places.next());
  }
  places.end();
  builder_.add(op, object, version, stamp);
}

void RecordedOperations::read_predicate_read(std::uint32_t table, Places& places,
                                             HistoryBuilder::Stamp& stamp) {
  BoundPredicate predicate{.table = table};
  for (auto comparison : places.next().get_array()) {
    predicate.comparisons.push_back(read_comparison(table, comparison.value()));
  }
  builder_.add(Op::predicate_read, table, builder_.predicate(std::move(predicate)), stamp);
  for (auto value : places.next().get_array()) {
    Places row(value.get_array(), "a row");
    const ObjectIndex object = builder_.object(table, row.scalar(builder_.scalars()));
    const Version version = row.version(1);
    stamp.writer = row.writer();
    read_cells(table, row.next());
    row.end();
    builder_.add(Op::seen_row, object, version, stamp);
  }
  places.end();
}

BoundComparison RecordedOperations::read_comparison(std::uint32_t table, json::value value) {
  Places places(value.get_array(), "a comparison");
  BoundComparison comparison;
  comparison.column = column(table, places.next().get_string());
  comparison.comparator = comparator_of(places.next().get_string());
  comparison.value = places.scalar(builder_.scalars());
  places.end();
  return comparison;
}

void RecordedOperations::read_cells(std::uint32_t table, json::value value) {
  for (auto field : value.get_object()) {
    const std::uint16_t place = column(table, field.unescaped_key());
    builder_.add_cell(place, ChangeKind::set, scalar_of(field.value(), builder_.scalars()));
  }
}

void RecordedOperations::read_changes(std::uint32_t table, json::value value) {
  for (auto field : value.get_object()) {
    const std::uint16_t place = column(table, field.unescaped_key());
    json::value change = field.value();
    if (change.type() != json::json_type::array) {
      builder_.add_cell(place, ChangeKind::set, scalar_of(change, builder_.scalars()));
      continue;
    }
    Places places(change.get_array(), "a change");
    const ChangeKind kind = change_of(places.next().get_string());
    builder_.add_cell(place, kind, places.scalar(builder_.scalars()));
    places.end();
  }
}

void RecordedOperations::read_final_rows(std::int64_t table, json::array rows) {
  const std::uint32_t number = table_at(table);
  builder_.note_final_state();
  for (auto value : rows) {
    Places row(value.get_array(), "a row");
    const Scalar key = row.scalar(builder_.scalars());
    const Version version = row.version(1);
    const AttemptId writer = row.writer();
    check_unused(row.next());
    row.end();
    builder_.add_final_row(number, key, version, writer);
  }
}

}  // namespace hilsa
