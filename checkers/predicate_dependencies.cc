// Predicate reads (Adya 1999, §4.1.2, made decidable by stamps): see dependencies.h. Cost: every
// distinct predicate is evaluated on the versions of the rows that it may concern; rows that cannot
// meet one of its equalities are never looked at.
#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "checkers/dependencies.h"

namespace hilsa {
namespace {

// Whether a version of a row meets a predicate. `maybe`: its values are not all known, or depend on
// how the database compares texts.
enum class Match : std::uint8_t { no, maybe, yes };

// A column's value; nothing: not known.
using Cellar = std::vector<std::optional<Scalar>>;

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

// One predicate on all versions of one row that it matches at least once.
struct Relevant {
  ObjectIndex object;
  std::uint32_t first_state;  // into states_: from place 0
};

class PredicateReads {
 public:
  PredicateReads(const History& history, const Versions& versions, Findings& findings,
                 Dependencies& found)
      : history_(history), versions_(versions), findings_(findings), found_(found) {}

  void run() {
    if (history_.predicates.empty()) return;
    index_predicates();
    note_unplaced_writes();
    relevant_.resize(history_.predicates.size());
    tried_for_.assign(history_.predicates.size(), kNone);
    for (ObjectIndex object = 0; object < history_.objects(); ++object) evaluate(object);
    own_.resize(history_.objects());
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] != 0) judge(txn);
    }
  }

 private:
  struct Equality {
    std::uint32_t table;
    std::uint16_t column;
    std::int64_t bits;
    friend bool operator==(const Equality&, const Equality&) = default;
  };
  struct EqualityHash {
    std::size_t operator()(const Equality& equality) const {
      std::uint64_t hash = static_cast<std::uint64_t>(equality.bits) * 0x9e3779b97f4a7c15ULL;
      hash ^= (std::uint64_t{equality.table} << 40) ^ (std::uint64_t{equality.column} << 24);
      return static_cast<std::size_t>(hash ^ (hash >> 31));
    }
  };

  // A predicate with `column = number` needs looking at only where a row has that number.
  void index_predicates() {
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
  void note_unplaced_writes() {
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] == 0) continue;
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (is_stamped_write(history_.op_kind[op]) && versions_.place[op] == kNone) {
          unclear_.insert(history_.op_object[op]);
        }
      }
    }
  }

  void evaluate(ObjectIndex object) {
    const std::uint32_t table = history_.object_table[object];
    const Place last = versions_.last_place(object);
    if (last == 0 || unclear_.count(object) != 0) return;
    if (unindexed_[table].empty() && indexed_columns_[table].empty()) return;
    replay(object, table, last);
    for (const std::uint32_t predicate : unindexed_[table]) try_on(predicate, object);
    for (const std::uint16_t column : indexed_columns_[table]) {
      for (const Row& row : rows_) {
        if (!row.exists || !row.values[column]) continue;
        const auto found = by_equality_.find({table, column, row.values[column]->bits()});
        if (found == by_equality_.end()) continue;
        for (const std::uint32_t predicate : found->second) try_on(predicate, object);
      }
    }
  }

  struct Row {
    bool exists = false;
    bool surely = true;  // that it exists, or not
    Cellar values;
  };

  // The row's values in every version, by place.
  void replay(ObjectIndex object, std::uint32_t table, Place last) {
    const RecordedTable& recorded = history_.header.tables[table];
    const std::size_t columns = recorded.columns.size();
    const auto key = std::find(recorded.columns.begin(), recorded.columns.end(), recorded.key);
    const auto forget = [&](Row& row) {
      row.values.assign(columns, std::nullopt);
      if (key != recorded.columns.end()) {
        row.values[static_cast<std::size_t>(key - recorded.columns.begin())] =
            history_.object_key[object];
      }
    };
    rows_.assign(1, {});
    forget(rows_[0]);
    // A row that the history does not see born was there before.
    if (history_.op_kind[versions_.op_at(object, 1)] != Op::insert) {
      rows_[0].exists = true;
      rows_[0].surely = false;
    }
    for (Place place = 1; place <= last; ++place) {
      Row row = rows_.back();
      const std::uint32_t at = versions_.first[object] + place - 1;
      if (place > 1 && versions_.number[at] != versions_.number[at - 1] + 1) forget(row);
      const OpIndex op = versions_.op_at(object, place);
      row.exists = history_.op_kind[op] != Op::erase;
      row.surely = true;
      for (const Cell& cell : history_.cells_of(op)) apply(cell, row);
      rows_.push_back(std::move(row));
    }
  }

  void apply(const Cell& cell, Row& row) {
    std::optional<Scalar>& value = row.values[cell.column];
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

  Match match(const BoundPredicate& predicate, const Row& row) const {
    if (!row.exists) return row.surely ? Match::no : Match::maybe;
    Match all = row.surely ? Match::yes : Match::maybe;
    for (const BoundComparison& comparison : predicate.comparisons) {
      all = std::min(all, compare(history_.scalars, row.values[comparison.column],
                                  comparison.comparator, comparison.value));
    }
    return all;
  }

  void try_on(std::uint32_t predicate, ObjectIndex object) {
    if (tried_for_[predicate] == object) return;
    tried_for_[predicate] = object;
    const auto first_state = static_cast<std::uint32_t>(states_.size());
    bool ever = false;
    for (const Row& row : rows_) {
      states_.push_back(match(history_.predicates[predicate], row));
      if (states_.back() == Match::yes) ever = true;
    }
    if (ever) {
      relevant_[predicate].push_back({object, first_state});
    } else {
      states_.resize(first_state);
    }
  }

  // What the transaction at hand has written of an object. Never cleared: counts for `txn` only.
  struct Own {
    TxnIndex txn = kNone;
    Place first = kNone;          // of its writes, the earliest version
    OpIndex last_op = kNone;      // the last write up to the operation at hand
    OpIndex returned_by = kNone;  // the predicate read that returned the object last
  };

  void judge(TxnIndex txn) {
    bool any = false;
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn) && !any; ++op) {
      any = history_.op_kind[op] == Op::predicate_read;
    }
    if (!any) return;
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (!is_stamped_write(history_.op_kind[op]) || versions_.place[op] == kNone) continue;
      Own& own = own_[history_.op_object[op]];
      if (own.txn != txn) own = {.txn = txn};
      own.first = std::min(own.first, versions_.place[op]);
    }
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (is_stamped_write(history_.op_kind[op])) {
        Own& own = own_[history_.op_object[op]];
        if (own.txn == txn) own.last_op = op;
      } else if (history_.op_kind[op] == Op::predicate_read) {
        judge_read(txn, op);
      }
    }
  }

  void judge_read(TxnIndex txn, OpIndex op) {
    for (OpIndex row = op + 1; row < history_.end_op(txn) && history_.op_kind[row] == Op::seen_row;
         ++row) {
      own_[history_.op_object[row]].returned_by = op;
    }
    const auto predicate = static_cast<std::size_t>(history_.op_number[op]);
    for (const Relevant& relevant : relevant_[predicate]) {
      if (own_[relevant.object].returned_by != op) judge_miss(txn, op, relevant);
    }
    check_returned_rows(txn, op, predicate);
  }

  // A row that was returned must meet the predicate in the version that was returned.
  void check_returned_rows(TxnIndex txn, OpIndex op, std::size_t predicate) {
    for (OpIndex row = op + 1; row < history_.end_op(txn) && history_.op_kind[row] == Op::seen_row;
         ++row) {
      const Place place = versions_.place[row];
      const ObjectIndex object = history_.op_object[row];
      if (place == kNone || place == 0 || unclear_.count(object) != 0) continue;
      const auto& all = relevant_[predicate];
      const auto found = std::lower_bound(
          all.begin(), all.end(), object,
          [](const Relevant& one, ObjectIndex wanted) { return one.object < wanted; });
      const bool relevant = found != all.end() && found->object == object;
      if (relevant && states_[found->first_state + place] != Match::no) continue;
      if (!relevant && may_match(object, place, predicate)) continue;
      findings_.add(
          {AnomalyClass::garbage_read,
           {op, row},
           history_.object_name(object) + " does not meet the predicate in this version"});
    }
  }

  bool may_match(ObjectIndex object, Place place, std::size_t predicate) {
    replay(object, history_.object_table[object], versions_.last_place(object));
    return match(history_.predicates[predicate], rows_[place]) != Match::no;
  }

  void judge_miss(TxnIndex txn, OpIndex op, const Relevant& relevant) {
    const ObjectIndex object = relevant.object;
    if (versions_.in_doubt.count(object) != 0 && own_[object].txn != txn) return;
    const auto state = [&](Place place) { return states_[relevant.first_state + place]; };
    const Own& own = own_[object];
    Place limit = versions_.last_place(object);
    if (own.txn == txn) {
      if (own.last_op != kNone) {
        if (state(versions_.place[own.last_op]) == Match::yes) {
          findings_.add({AnomalyClass::internal,
                         {own.last_op, op},
                         "the predicate read missed the row that it had written itself"});
        }
        return;
      }
      limit = own.first - 1;
    }
    runs_.clear();
    bool broken = true;
    for (Place place = 0; place <= limit; ++place) {
      if (is_intermediate(object, place)) continue;
      if (state(place) == Match::yes) {
        if (!broken) runs_.back().next = place;
        broken = true;
        continue;
      }
      // What was written only later cannot begin a run; going on with one, it changes nothing.
      if (broken && is_after(object, place, op)) continue;
      if (broken) runs_.push_back({place, place, kNone});
      runs_.back().highest = place;
      broken = false;
    }
    add_runs(txn, op, object);
  }

  // Versions that do not match, one after the other, and the matching one behind them.
  struct Run {
    Place lowest;
    Place highest;
    Place next;
  };

  bool is_intermediate(ObjectIndex object, Place place) const {
    return place > 0 && place < versions_.last_place(object) &&
           versions_.writer_at(object, place) == versions_.writer_at(object, place + 1);
  }

  // Whether the version was written only after the read had ended.
  bool is_after(ObjectIndex object, Place place, OpIndex read) const {
    if (place == 0 || history_.op_end.empty() || history_.op_end[read] == 0) return false;
    return history_.op_begin[versions_.op_at(object, place)] > history_.op_end[read];
  }

  void add_runs(TxnIndex txn, OpIndex op, ObjectIndex object) {
    if (runs_.empty()) return;
    if (runs_.size() == 1) {
      append_edges(txn, object, runs_[0], found_.known);
      found_.misses.push_back({txn, op, object, runs_[0].lowest, runs_[0].highest, runs_[0].next});
      return;
    }
    for (const Run& run : runs_) {
      append_edges(txn, object, run, found_.choices.edges);
      found_.choices.end_alternative();
    }
    found_.choices.end_choice(op, object);
  }

  void append_edges(TxnIndex txn, ObjectIndex object, const Run& run, std::vector<Edge>& edges) {
    if (run.lowest > 0) {
      edges.push_back({versions_.writer_at(object, run.lowest), txn, EdgeKind::predicate_wr});
    }
    if (run.next != kNone) {
      edges.push_back({txn, versions_.writer_at(object, run.next), EdgeKind::predicate_rw});
    }
  }

  const History& history_;
  const Versions& versions_;
  Findings& findings_;
  Dependencies& found_;
  std::unordered_map<Equality, std::vector<std::uint32_t>, EqualityHash> by_equality_;
  std::vector<std::vector<std::uint32_t>> unindexed_;        // by table: predicates
  std::vector<std::vector<std::uint16_t>> indexed_columns_;  // by table
  std::unordered_set<ObjectIndex> unclear_;
  std::vector<std::vector<Relevant>> relevant_;  // by predicate, in the order of objects
  std::vector<Match> states_;
  std::vector<ObjectIndex> tried_for_;  // by predicate: the object that it was tried on last
  std::vector<Row> rows_;               // of the object at hand, by place
  std::vector<Own> own_;
  std::vector<Run> runs_;
};

}  // namespace

void add_predicate_dependencies(const History& history, const Versions& versions,
                                Findings& findings, Dependencies& found) {
  PredicateReads(history, versions, findings, found).run();
}

}  // namespace hilsa
