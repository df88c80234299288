#include "checkers/row_matches.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace hilsa {
namespace {

std::string folded(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  while (!lower.empty() && lower.back() == ' ') lower.pop_back();
  return lower;
}

// Databases differ in how they compare texts (case, trailing blanks, order); equal bytes are equal
// everywhere, and letters that differ beyond case are different nearly everywhere.
Match compare_texts(std::string_view left, Comparator comparator, std::string_view right) {
  const bool same = left == right;
  switch (comparator) {
    case Comparator::equal:
      if (same) return Match::yes;
      return folded(left) == folded(right) ? Match::maybe : Match::no;
    case Comparator::not_equal:
      if (same) return Match::no;
      return folded(left) == folded(right) ? Match::maybe : Match::yes;
    case Comparator::at_most:
    case Comparator::at_least:
      return same ? Match::yes : Match::maybe;
    case Comparator::less:
    case Comparator::greater:
      break;
  }
  return same ? Match::no : Match::maybe;
}

Match compare(const ScalarPool& scalars, const std::optional<Scalar>& left, Comparator comparator,
              Scalar right) {
  if (!left) return Match::maybe;
  const auto is_text = [](Scalar scalar) { return scalar.kind() == Scalar::Kind::text; };
  if (is_text(*left) && is_text(right)) {
    return compare_texts(scalars.text_of(*left), comparator, scalars.text_of(right));
  }
  // A number beside a text: products convert in their own ways.
  if (!left->is_null() && !right.is_null() && is_text(*left) != is_text(right)) return Match::maybe;
  return scalars.matches(*left, comparator, right) ? Match::yes : Match::no;
}

// The change that a version falls under.
Match match_at(std::span<const RowMatches::Change> changes, Place place) {
  const auto after = std::upper_bound(
      changes.begin(), changes.end(), place,
      [](Place wanted, const RowMatches::Change& change) { return wanted < change.from; });
  return std::prev(after)->match;
}

}  // namespace

RowMatches::RowMatches(const History& history, const Versions& versions)
    : history_(history), versions_(versions) {
  rows_.resize(history_.predicates.size());
  if (history_.predicates.empty()) return;
  index_predicates();
  note_unplaced_writes();
  tried_for_.assign(history_.predicates.size(), kNone);
  for (ObjectIndex object = 0; object < history_.objects(); ++object) evaluate(object);
}

// A predicate with `column = number` needs looking at only where a row has that number.
void RowMatches::index_predicates() {
  const std::size_t tables = history_.header.tables.size();
  unindexed_.resize(tables);
  indexed_columns_.resize(tables);
  for (std::uint32_t i = 0; i < history_.predicates.size(); ++i) {
    const BoundPredicate& predicate = history_.predicates[i];
    const auto equality = std::find_if(predicate.comparisons.begin(), predicate.comparisons.end(),
                                       [](const auto& comparison) {
                                         return comparison.comparator == Comparator::equal &&
                                                comparison.value.kind() != Scalar::Kind::text;
                                       });
    if (equality == predicate.comparisons.end()) {
      unindexed_[predicate.table].push_back(i);
      continue;
    }
    by_equality_[{predicate.table, equality->column, equality->value.bits()}].push_back(i);
    auto& columns = indexed_columns_[predicate.table];
    if (std::find(columns.begin(), columns.end(), equality->column) == columns.end()) {
      columns.push_back(equality->column);
    }
  }
}

// Rows with a committed write whose version is not known: their values are not, either.
void RowMatches::note_unplaced_writes() {
  for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
    if (versions_.counted[txn] == 0) continue;
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (is_stamped_write(history_.op_kind[op]) && versions_.place[op] == kNone) {
        unclear_.insert(history_.op_object[op]);
      }
    }
  }
}

void RowMatches::evaluate(ObjectIndex object) {
  const std::uint32_t table = history_.object_table[object];
  if (versions_.last_place(object) == 0 || unclear_.count(object) != 0) return;
  if (unindexed_[table].empty() && indexed_columns_[table].empty()) return;
  replay(object);
  for (const std::uint32_t predicate : unindexed_[table]) try_on(predicate, object);
  for (const std::uint16_t column : indexed_columns_[table]) {
    std::optional<Scalar> before;
    for (const Values& values : replayed_) {
      const std::optional<Scalar>& value = values.columns[column];
      if (!values.exists || !value || (before && before->bits() == value->bits())) continue;
      before = value;
      const auto found = by_equality_.find({table, column, value->bits()});
      if (found == by_equality_.end()) continue;
      for (const std::uint32_t predicate : found->second) try_on(predicate, object);
    }
  }
}

// The row's values in every version, by place.
void RowMatches::replay(ObjectIndex object) {
  const RecordedTable& recorded = history_.header.tables[history_.object_table[object]];
  const std::size_t columns = recorded.columns.size();
  const auto key = std::find(recorded.columns.begin(), recorded.columns.end(), recorded.key);
  const auto forget = [&](Values& values) {
    values.columns.assign(columns, std::nullopt);
    if (key != recorded.columns.end()) {
      values.columns[static_cast<std::size_t>(key - recorded.columns.begin())] =
          history_.object_key[object];
    }
  };
  replayed_.assign(1, {});
  forget(replayed_[0]);
  // A row that the history does not see born was there before.
  if (history_.op_kind[versions_.op_at(object, 1)] != Op::insert) {
    replayed_[0].exists = true;
    replayed_[0].surely = false;
  }
  const Place last = versions_.last_place(object);
  for (Place place = 1; place <= last; ++place) {
    Values values = replayed_.back();
    const std::uint32_t at = versions_.first[object] + place - 1;
    if (place > 1 && versions_.number[at] != versions_.number[at - 1] + 1) forget(values);
    const OpIndex op = versions_.op_at(object, place);
    values.exists = history_.op_kind[op] != Op::erase;
    values.surely = true;
    for (const Cell& cell : history_.cells_of(op)) apply(cell, values);
    replayed_.push_back(std::move(values));
  }
}

void RowMatches::apply(const Cell& cell, Values& values) const {
  std::optional<Scalar>& value = values.columns[cell.column];
  if (cell.change == ChangeKind::set) {
    value = cell.value;
    return;
  }
  const auto is_number = [](Scalar scalar) {
    return scalar.kind() == Scalar::Kind::integer || scalar.kind() == Scalar::Kind::wide_integer;
  };
  // NULL plus something is NULL. What this does not compute is not known from here on.
  if (value && value->is_null()) return;
  if (!value || !is_number(*value) || !is_number(cell.value)) {
    value = std::nullopt;
    return;
  }
  const std::int64_t left = history_.scalars.integer_of(*value);
  const std::int64_t right = history_.scalars.integer_of(cell.value);
  std::int64_t result = 0;
  const bool overflows = cell.change == ChangeKind::add
                             ? __builtin_add_overflow(left, right, &result)
                             : __builtin_sub_overflow(left, right, &result);
  const bool fits = !overflows && Scalar::is_small(result);
  value = fits ? std::optional(Scalar::small_integer(result)) : std::nullopt;
}

Match RowMatches::match(const BoundPredicate& predicate, const Values& values) const {
  if (!values.exists) return values.surely ? Match::no : Match::maybe;
  Match all = values.surely ? Match::yes : Match::maybe;
  for (const BoundComparison& comparison : predicate.comparisons) {
    all = std::min(all, compare(history_.scalars, values.columns[comparison.column],
                                comparison.comparator, comparison.value));
    if (all == Match::no) break;
  }
  return all;
}

// How the object at hand meets the predicate.
void RowMatches::append_changes(std::size_t predicate, std::vector<Change>& changes) const {
  const std::size_t first = changes.size();
  for (Place place = 0; place < replayed_.size(); ++place) {
    const Match now = match(history_.predicates[predicate], replayed_[place]);
    if (changes.size() == first || changes.back().match != now) changes.push_back({place, now});
  }
}

void RowMatches::try_on(std::uint32_t predicate, ObjectIndex object) {
  if (tried_for_[predicate] == object) return;
  tried_for_[predicate] = object;
  const std::size_t first_change = changes_.size();
  append_changes(predicate, changes_);
  const bool ever =
      std::any_of(changes_.begin() + static_cast<std::ptrdiff_t>(first_change), changes_.end(),
                  [](const Change& change) { return change.match == Match::yes; });
  if (!ever) {
    changes_.resize(first_change);
    return;
  }
  const std::size_t first_stretch = stretches_.size();
  add_stretches(object, first_change);
  const auto count = [](std::size_t number) { return static_cast<std::uint32_t>(number); };
  rows_[predicate].push_back({.object = object,
                              .first_change = count(first_change),
                              .changes = count(changes_.size() - first_change),
                              .first_stretch = count(first_stretch),
                              .stretches = count(stretches_.size() - first_stretch)});
}

void RowMatches::add_stretches(ObjectIndex object, std::size_t first_change) {
  bool broken = true;
  for (std::size_t i = first_change; i < changes_.size(); ++i) {
    const Place end =
        i + 1 < changes_.size() ? changes_[i + 1].from : versions_.last_place(object) + 1;
    Place lowest = changes_[i].from;
    while (lowest < end && is_intermediate(object, lowest)) ++lowest;
    if (lowest == end) continue;
    if (changes_[i].match == Match::yes) {
      if (!broken) stretches_.back().next = lowest;
      broken = true;
      continue;
    }
    if (broken) stretches_.push_back({lowest, lowest, kNone});
    broken = false;
    Place highest = end - 1;
    while (is_intermediate(object, highest)) --highest;
    stretches_.back().highest = highest;
  }
}

Match RowMatches::at(const Row& row, Place place) const { return match_at(changes(row), place); }

Match RowMatches::at(std::size_t predicate, ObjectIndex object, Place place) {
  const auto& rows = rows_[predicate];
  const auto row =
      std::lower_bound(rows.begin(), rows.end(), object,
                       [](const Row& one, ObjectIndex wanted) { return one.object < wanted; });
  if (row != rows.end() && row->object == object) return at(*row, place);
  if (unclear_.count(object) != 0) return Match::maybe;
  const auto [other, is_new] = others_.try_emplace((std::uint64_t{object} << 32) | predicate);
  if (is_new) {
    replay(object);
    append_changes(predicate, other->second);
  }
  return match_at(other->second, place);
}

}  // namespace hilsa
