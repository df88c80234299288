// Dependencies as sentences.
#include <fmt/format.h>

#include "checkers/phrases.h"
#include "harness/history/comparison.h"

namespace hilsa {
namespace {

// What can be said of a version that does not exist yet or any more: nothing matches it.
bool matches_row(const History& history, const BoundPredicate& predicate, ObjectIndex object,
                 const std::vector<std::optional<Value>>& row, bool& known) {
  known = true;
  for (const BoundComparison& comparison : predicate.comparisons) {
    const auto& table = history.header.tables[predicate.table];
    std::optional<Value> value;
    const bool is_key =
        comparison.column < table.columns.size() && table.columns[comparison.column] == table.key;
    if (is_key) {
      value = history.scalars.value_of(history.object_key[object]);
    } else if (comparison.column < row.size()) {
      value = row[comparison.column];
    }
    if (!value) {
      known = false;
    } else if (!passes(*value, comparison.comparator, history.scalars.value_of(comparison.value))) {
      known = true;
      return false;
    }
  }
  return true;
}

}  // namespace

bool Phrases::returned(OpIndex predicate_read, ObjectIndex object) const {
  for (OpIndex op = predicate_read + 1;
       op < history_.operations() && history_.op_kind[op] == Op::seen_row; ++op) {
    if (history_.op_object[op] == object) return true;
  }
  return false;
}

// What the write would have changed about the query's result.
std::string Phrases::effect_on(OpIndex predicate_read, OpIndex write) const {
  const ObjectIndex object = history_.op_object[write];
  const std::string reader = txn(history_.txn_of(predicate_read));
  const bool was_there = returned(predicate_read, object);
  if (history_.op_kind[write] == Op::erase) {
    return was_there ? ", which " + reader + " had got" : "";
  }
  const auto number = static_cast<std::size_t>(history_.op_number[predicate_read]);
  bool known = false;
  const bool now_there = matches_row(history_, history_.predicates[number], object,
                                     rows_.at(object, history_.op_number[write]), known);
  if (!known) return "";
  if (was_there) {
    return ", which " + reader +
           (now_there ? " had got as it was before" : " would then not have got");
  }
  return now_there ? ", which " + reader + " would have got as well" : "";
}

std::string Phrases::write_then_read(OpIndex write, OpIndex read) const {
  const std::string reader = txn(history_.txn_of(read));
  const std::string begin = who_did(write) + "; " + reader + " ";
  switch (history_.op_kind[read]) {
    case Op::read_list:
      return begin + fmt::format("read {}, which holds {}", content(read), content(write));
    case Op::read_register:
      return begin + "read that";
    case Op::read:
      return begin + (values(read) == values(write) || values(read).empty()
                          ? "read that version"
                          : "read that version (" + values(read) + ")");
    case Op::seen_row:
      return begin + "got that version from a query";
    default:
      return begin + did(read);
  }
}

std::string Phrases::read_then_write(OpIndex read, OpIndex write) const {
  const std::string writer = txn(history_.txn_of(write));
  const std::string begin = who_did(read);
  if (history_.op_kind[read] == Op::read_list) {
    return fmt::format("{}, without {}; {} {}", begin, content(write), writer, then_did(write));
  }
  if (history_.op_kind[read] == Op::read_register) {
    return fmt::format("{}; {} {} over it", begin, writer, then_did(write));
  }
  return fmt::format("{}; {} then {}", begin, writer, then_did(write));
}

std::string Phrases::write_then_query(OpIndex write, OpIndex predicate_read,
                                      ObjectIndex object) const {
  const bool found = object != kNone && returned(predicate_read, object);
  return fmt::format("{}; {} asked for {} and {}", who_did(write),
                     txn(history_.txn_of(predicate_read)), predicate(predicate_read),
                     found ? "got that version" : "did not get it");
}

bool has_durations(const History& history) {
  return history.has_times() && !history.times_are_places;
}

std::string Phrases::order_sentence(const EvidenceEdge& edge) const {
  const std::string from = txn(edge.from);
  const std::string to = txn(edge.to);
  const bool timed = has_durations(history_);
  if (edge.kind == EdgeKind::session) {
    return fmt::format("client {} ran {} before {}", history_.txn_client[edge.from], from, to);
  }
  if (!timed || history_.txn_end[edge.from] > history_.txn_begin[edge.to]) {
    return fmt::format("{} had ended before {} began", from, to);
  }
  const auto gap = history_.txn_begin[edge.to] - history_.txn_end[edge.from];
  return fmt::format("{} had ended {:.3f} ms before {} began", from, static_cast<double>(gap) / 1e6,
                     to);
}

std::string Phrases::sentence(const EvidenceEdge& edge) const {
  if (edge.kind == EdgeKind::session || edge.kind == EdgeKind::realtime) {
    return order_sentence(edge);
  }
  if (!is_known(history_, edge.from_op) || !is_known(history_, edge.to_op)) {
    const std::string about = edge.object < history_.objects() ? " on " + object(edge.object) : "";
    return fmt::format("{} depends on {}{} ({})", txn(edge.to), txn(edge.from), about,
                       name_of(edge.kind));
  }
  switch (edge.kind) {
    case EdgeKind::ww:
      return fmt::format("{}; {} then {}{}", who_did(edge.from_op), txn(edge.to),
                         then_did(edge.to_op),
                         history_.form == Form::registers ? " over it"
                         : history_.form == Form::lists   ? " behind it"
                                                          : "");
    case EdgeKind::wr:
      return write_then_read(edge.from_op, edge.to_op);
    case EdgeKind::predicate_wr:
      return write_then_query(edge.from_op, edge.to_op, edge.object);
    case EdgeKind::rw:
      return read_then_write(edge.from_op, edge.to_op);
    default:
      break;
  }
  return fmt::format("{}; {} then {}{}", who_did(edge.from_op), txn(edge.to), did(edge.to_op),
                     effect_on(edge.from_op, edge.to_op));
}

}  // namespace hilsa
