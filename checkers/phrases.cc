#include "checkers/phrases.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkers/printable.h"

namespace hilsa {
namespace {

constexpr std::size_t kNameMax = 48;
constexpr std::size_t kValueMax = 40;
constexpr std::size_t kValuesMax = 72;
// Of a longer list, its first elements and its last ones are shown.
constexpr std::size_t kListHead = 3;
constexpr std::size_t kListTail = 6;

std::string shown(std::string_view text, std::size_t width_max) {
  return elided(printable(text), width_max);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace

bool is_read(Op op) {
  return op == Op::read || op == Op::seen_row || op == Op::predicate_read || op == Op::read_list ||
         op == Op::read_register;
}

bool is_write(Op op) { return !is_read(op); }

ObjectIndex object_of(const History& history, OpIndex op) {
  return history.op_kind[op] == Op::predicate_read ? kNone : history.op_object[op];
}

std::string Phrases::object(ObjectIndex object) const {
  return shown(history_.object_name(object), kNameMax);
}

std::string Phrases::column(std::uint32_t table, std::uint16_t place) const {
  const auto& columns = history_.header.tables[table].columns;
  return place < columns.size() ? shown(columns[place], kNameMax) : fmt::format("column {}", place);
}

// SQL's words for rows, Clojure's for lists and registers.
std::string Phrases::scalar(Scalar scalar) const {
  if (history_.form == Form::stamped) return shown(history_.scalars.to_text(scalar), kValueMax);
  if (scalar.is_null()) return "nil";
  if (scalar.kind() == Scalar::Kind::text) {
    return shown(history_.scalars.text_of(scalar), kValueMax);
  }
  return history_.scalars.to_text(scalar);
}

std::string Phrases::values(OpIndex op) const {
  if (!is_known(history_, op) || history_.form != Form::stamped) return "";
  const ObjectIndex object = object_of(history_, op);
  if (object == kNone) return "";
  const std::uint32_t table = history_.object_table[object];
  std::vector<std::optional<Value>> after;
  std::vector<std::string> parts;
  for (const Cell& cell : history_.cells_of(op)) {
    std::string value = scalar(cell.value);
    if (cell.change != ChangeKind::set) {
      if (after.empty()) after = rows_.at(object, history_.op_number[op]);
      const bool known = cell.column < after.size() && after[cell.column].has_value();
      const char* const sign = cell.change == ChangeKind::add        ? "+ "
                               : cell.change == ChangeKind::subtract ? "- "
                                                                     : "with ";
      value = known ? shown(to_text(*after[cell.column]), kValueMax) : sign + value;
    }
    parts.push_back(column(table, cell.column) + " " + value);
  }
  return elided(join(parts, ", "), kValuesMax);
}

std::string Phrases::in_brackets(OpIndex op) const {
  const std::string text = values(op);
  return text.empty() ? "" : " (" + text + ")";
}

std::string Phrases::content(OpIndex op) const {
  const std::int64_t number = history_.op_number[op];
  if (history_.op_kind[op] != Op::read_list) return scalar(Scalar::from_bits(number));
  const std::vector<Scalar>& list =
      number < 0 ? history_.deviant_lists[static_cast<std::size_t>(-1 - number)]
                 : history_.longest_list[history_.op_object[op]];
  const std::size_t size = number < 0 ? list.size() : static_cast<std::size_t>(number);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < size; ++i) {
    if (i == kListHead && size > kListHead + kListTail + 1) {
      parts.emplace_back("…");
      i = size - kListTail;
    }
    parts.push_back(scalar(list[i]));
  }
  return "[" + join(parts, " ") + "]";
}

std::string Phrases::micro_operation(OpIndex op) const {
  const char* kind = ":r";
  if (history_.op_kind[op] == Op::append) kind = ":append";
  if (history_.op_kind[op] == Op::write_register) kind = ":w";
  return fmt::format("[{} {} {}]", kind, object(history_.op_object[op]), content(op));
}

std::string Phrases::predicate(OpIndex predicate_read) const {
  const auto number = static_cast<std::size_t>(history_.op_number[predicate_read]);
  const std::uint32_t table = history_.op_object[predicate_read];
  std::string words = shown(history_.header.tables[table].name, kNameMax);
  const char* word = " where ";
  for (const BoundComparison& comparison : history_.predicates[number].comparisons) {
    words += fmt::format("{}{} {} {}", word, column(table, comparison.column),
                         symbol_of(comparison.comparator), scalar(comparison.value));
    word = " and ";
  }
  return words;
}

std::int64_t Phrases::rows_seen(OpIndex predicate_read) const {
  std::int64_t rows = 0;
  for (OpIndex op = predicate_read + 1;
       op < history_.operations() && history_.op_kind[op] == Op::seen_row; ++op) {
    ++rows;
  }
  return rows;
}

std::string Phrases::asked(OpIndex predicate_read) const {
  const std::int64_t rows = rows_seen(predicate_read);
  return fmt::format("asked for {} and got {}", predicate(predicate_read),
                     rows == 0   ? "no row"
                     : rows == 1 ? "1 row"
                                 : fmt::format("{} rows", rows));
}

// `x`, but `key 1`: `1 = 2` would be no good sentence.
std::string Phrases::register_name(OpIndex op) const {
  const ObjectIndex object_index = history_.op_object[op];
  const bool is_number = history_.object_key[object_index].kind() != Scalar::Kind::text;
  return (is_number ? "key " : "") + object(object_index);
}

std::string Phrases::did(OpIndex op) const {
  const Op kind = history_.op_kind[op];
  const std::int64_t number = history_.op_number[op];
  if (kind == Op::predicate_read) return asked(op);
  const std::string name = object(history_.op_object[op]);
  const std::string version = number == kVersionUnknown ? "a version that was not learned"
                                                        : fmt::format("version {}", number);
  switch (kind) {
    case Op::read:
      if (number == kUnborn) return "read " + name + ", which did not exist";
      return fmt::format("read {} of {}{}", version, name, in_brackets(op));
    case Op::seen_row:
      return fmt::format("got {} in {}{}", name, version, in_brackets(op));
    case Op::write:
      return fmt::format("wrote {} of {}{}", version, name, in_brackets(op));
    case Op::insert:
      return fmt::format("inserted {}{}", name, in_brackets(op));
    case Op::erase:
      return fmt::format("deleted {} ({})", name, version);
    case Op::append:
      return fmt::format("appended {} to {}", content(op), name);
    case Op::read_list:
      return fmt::format("read {} of {}", content(op), name);
    case Op::write_register:
      return fmt::format("wrote {} = {}", register_name(op), content(op));
    case Op::read_register:
    case Op::predicate_read:
      break;
  }
  return fmt::format("read {} = {}", register_name(op), content(op));
}

std::string Phrases::who_did(OpIndex op) const { return txn(history_.txn_of(op)) + " " + did(op); }

std::string Phrases::then_did(OpIndex op) const {
  const std::int64_t number = history_.op_number[op];
  switch (history_.op_kind[op]) {
    case Op::write:
      if (number == kVersionUnknown) return "wrote a version that was not learned";
      return fmt::format("wrote version {}{}", number, in_brackets(op));
    case Op::insert:
      return "inserted it" + in_brackets(op);
    case Op::erase:
      return fmt::format("deleted it (version {})", number);
    case Op::append:
      return "appended " + content(op);
    case Op::write_register:
      return "wrote " + content(op);
    default:
      return did(op);
  }
}

}  // namespace hilsa
