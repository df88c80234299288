// What predicate reads saw (Adya 1999, §4.1.2, made decidable by stamps): see dependencies.h.
//
// Every read is compared with every row that ever meets its predicate, as long as that is little
// work. In long histories a read is compared only with rows that met its predicate while its
// transaction ran, or shortly before or after:
//
//   row's versions     no . yes yes . no . . . yes . no
//   its windows           |.......|.|          |.....|     from the write's begin to the end of
//   the reader                    |..............|         the transaction that ended the match
//
// Where several stretches of versions may be what a read saw, all those that were over
// when its transaction began count as one: it is not certain that they were not seen, since a
// database may answer from an old state. One stretch from the first one's begin to the last one's
// end says less than each of them, never more: who comes before the writer of a version comes
// before the writers of all later versions (rw, then ww).
//
// Cost: O(reads * rows) up to a bound, then O(reads * (log rows + rows that overlap)).
#include <algorithm>
#include <limits>
#include <utility>

#include "checkers/dependencies.h"
#include "checkers/row_matches.h"
#include "checkers/time_windows.h"

namespace hilsa {
namespace {

class PredicateReads {
 public:
  PredicateReads(const History& history, const Versions& versions, Findings& findings,
                 Dependencies& found, const PredicateBounds& bounds)
      : history_(history),
        versions_(versions),
        findings_(findings),
        found_(found),
        bounds_(bounds),
        choices_before_(found.choices.size()),
        matches_(history, versions) {}

  void run() {
    if (history_.predicates.empty()) return;
    const bool has_times = history_.has_times() && !history_.op_begin.empty();
    if (!has_times) bounds_ = {kUnbounded, kUnbounded};
    if (comparisons() > bounds_.comparisons || !judge_all()) {
      is_windowed_ = true;
      find_windows();
      find_earliest();
      judge_all();
      note();
    }
    for (Finding& finding : seen_wrong_) findings_.add(std::move(finding));
  }

 private:
  using Row = RowMatches::Row;
  using Run = RowMatches::Stretch;  // one that the read at hand may have seen
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

  // What comparing every read with every row would cost.
  std::int64_t comparisons() const {
    std::vector<std::int64_t> cost(history_.predicates.size());
    for (std::size_t predicate = 0; predicate < cost.size(); ++predicate) {
      for (const Row& row : matches_.rows(predicate)) cost[predicate] += row.stretches;
    }
    std::int64_t sum = 0;
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] == 0) continue;
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (history_.op_kind[op] == Op::predicate_read) sum += cost[predicate_of(op)];
      }
    }
    return sum;
  }

  // Whether the choices stayed within their bound. If they did not, nothing has been added.
  bool judge_all() {
    own_.assign(history_.objects(), {});
    const Dependencies::Mark before = found_.mark();
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] != 0) judge(txn);
      if (is_windowed_ || choices_added() <= bounds_.choices) continue;
      found_.return_to(before);
      seen_wrong_.clear();
      return false;
    }
    return true;
  }

  std::int64_t choices_added() const {
    return static_cast<std::int64_t>(found_.choices.size() - choices_before_);
  }

  // --- real time ---

  // When each row met each predicate, as far as clients can say.
  void find_windows() {
    windows_.resize(history_.predicates.size());
    for (std::size_t predicate = 0; predicate < windows_.size(); ++predicate) {
      const auto rows = matches_.rows(predicate);
      for (std::uint32_t i = 0; i < rows.size(); ++i) {
        const auto changes = matches_.changes(rows[i]);
        for (std::size_t at = 0; at < changes.size(); ++at) {
          if (changes[at].match != Match::yes) continue;
          const OpIndex op = versions_.op_at(rows[i].object, changes[at].from);
          const Nanoseconds end = at + 1 < changes.size()
                                      ? end_of_writer(rows[i].object, changes[at + 1].from)
                                      : std::numeric_limits<Nanoseconds>::max();
          windows_[predicate].add(begin_of(op), end, i);
        }
      }
      windows_[predicate].build();
    }
  }

  Nanoseconds begin_of(OpIndex op) const {
    const Nanoseconds begin = history_.op_begin[op];
    return begin == 0 ? history_.txn_begin[history_.txn_of(op)] : begin;
  }

  Nanoseconds end_of_writer(ObjectIndex object, Place place) const {
    const Nanoseconds end = history_.txn_end[versions_.writer_at(object, place)];
    return end == 0 ? std::numeric_limits<Nanoseconds>::max() : end;
  }

  // By version, as versions_.op: when the first write of it and all behind it began.
  void find_earliest() {
    earliest_.resize(versions_.op.size());
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      Nanoseconds earliest = std::numeric_limits<Nanoseconds>::max();
      for (std::uint32_t at = versions_.first[object + 1]; at-- > versions_.first[object];) {
        earliest = std::min(earliest, history_.op_begin[versions_.op[at]]);
        earliest_[at] = earliest;
      }
    }
  }

  // Up to `limit`, the last version that had been begun when the read ended: those behind it had
  // not.
  Place last_begun(ObjectIndex object, Place limit, OpIndex read) const {
    if (history_.op_end[read] == 0) return limit;
    const auto first = earliest_.begin() + versions_.first[object];
    return static_cast<Place>(std::upper_bound(first, first + limit, history_.op_end[read]) -
                              first);
  }

  // Whether the version was written only after the read had ended.
  bool is_after(ObjectIndex object, Place place, OpIndex read) const {
    if (place == 0 || history_.op_end.empty() || history_.op_end[read] == 0) return false;
    return history_.op_begin[versions_.op_at(object, place)] > history_.op_end[read];
  }

  void note() {
    found_.notes.emplace_back(
        "predicate reads: too many rows for all to be compared with all; rows that changed far "
        "from a read in time were left out");
    if (without_choice_ == 0) return;
    found_.notes.push_back("predicate reads: too many have several explanations; of " +
                           std::to_string(without_choice_) +
                           (without_choice_ == 1 ? " only what all its explanations"
                                                 : " only what all their explanations") +
                           " have in common was used");
  }

  // --- reads ---

  std::size_t predicate_of(OpIndex op) const {
    return static_cast<std::size_t>(history_.op_number[op]);
  }

  // What the transaction at hand has written of an object. Never cleared: counts for `txn` only.
  struct Own {
    TxnIndex txn = kNone;
    Place first = kNone;          // of its writes, the earliest version
    OpIndex last_op = kNone;      // the last write up to the operation at hand
    OpIndex returned_by = kNone;  // the predicate read that returned, or judged, the object last
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
    const std::size_t predicate = predicate_of(op);
    const auto rows = matches_.rows(predicate);
    if (is_windowed_) {
      near_.clear();
      // The transaction's life, and as long again on both sides: most cycles fit into that.
      const Nanoseconds begin = history_.txn_begin[txn];
      const Nanoseconds end = history_.txn_end[txn];
      windows_[predicate].overlapping(begin - (end - begin), end + (end - begin), near_);
      for (const std::uint32_t i : near_) judge_row(txn, op, rows[i]);
    } else {
      for (const Row& row : rows) judge_row(txn, op, row);
    }
    check_returned_rows(txn, op);
  }

  void judge_row(TxnIndex txn, OpIndex op, const Row& row) {
    Own& own = own_[row.object];
    if (own.returned_by == op) return;
    own.returned_by = op;
    judge_miss(txn, op, row);
  }

  // A row that was returned must meet the predicate in the version that was returned.
  void check_returned_rows(TxnIndex txn, OpIndex op) {
    for (OpIndex row = op + 1; row < history_.end_op(txn) && history_.op_kind[row] == Op::seen_row;
         ++row) {
      const Place place = versions_.place[row];
      const ObjectIndex object = history_.op_object[row];
      if (place == kNone || place == 0) continue;
      if (matches_.at(predicate_of(op), object, place) != Match::no) continue;
      seen_wrong_.push_back(
          {AnomalyClass::garbage_read,
           {op, row},
           history_.object_name(object) + " does not meet the predicate in this version"});
    }
  }

  void judge_miss(TxnIndex txn, OpIndex op, const Row& row) {
    const ObjectIndex object = row.object;
    const Own& own = own_[object];
    if (versions_.in_doubt.count(object) != 0 && own.txn != txn) return;
    Place limit = versions_.last_place(object);
    if (own.txn == txn) {
      if (own.last_op != kNone) {
        if (matches_.at(row, versions_.place[own.last_op]) == Match::yes) {
          seen_wrong_.push_back({AnomalyClass::internal,
                                 {own.last_op, op},
                                 "the predicate read missed the row that it had written itself"});
        }
        return;
      }
      limit = own.first - 1;
    }
    runs_.clear();
    if (is_windowed_) {
      find_near_runs(txn, op, row, limit);
    } else {
      find_runs(op, row, limit);
    }
    add_runs(txn, op, object);
  }

  // `stretch` up to `limit`: there is nothing behind it.
  static Run cut(Run stretch, Place limit) {
    stretch.highest = std::min(stretch.highest, limit);
    if (stretch.next > limit) stretch.next = kNone;
    return stretch;
  }

  void find_runs(OpIndex op, const Row& row, Place limit) {
    for (const Run& stretch : matches_.stretches(row)) {
      if (stretch.lowest > limit) break;
      Run run = cut(stretch, limit);
      // What was written only later cannot begin a run; going on with one, it changes nothing.
      while (run.lowest <= run.highest && (matches_.is_intermediate(row.object, run.lowest) ||
                                           is_after(row.object, run.lowest, op))) {
        ++run.lowest;
      }
      if (run.lowest <= run.highest) runs_.push_back(run);
    }
  }

  // The latest ones first; then all those together that were over before the transaction began.
  void find_near_runs(TxnIndex txn, OpIndex op, const Row& row, Place limit) {
    constexpr std::size_t kRunsMax = 8;
    const auto stretches = matches_.stretches(row);
    const Place last = last_begun(row.object, limit, op);
    auto behind =
        std::upper_bound(stretches.begin(), stretches.end(), last,
                         [](Place place, const Run& stretch) { return place < stretch.lowest; });
    while (behind != stretches.begin()) {
      --behind;
      runs_.push_back(cut(*behind, limit));
      const bool is_over = runs_.size() > 1 && runs_.back().next != kNone &&
                           end_of_writer(row.object, runs_.back().next) < history_.txn_begin[txn];
      if (is_over || runs_.size() == kRunsMax) break;
    }
    runs_.back().lowest = 0;
  }

  void add_runs(TxnIndex txn, OpIndex op, ObjectIndex object) {
    if (runs_.empty()) return;
    if (is_windowed_ && runs_.size() > 1 && choices_added() >= bounds_.choices) {
      ++without_choice_;
      runs_.resize(1);
      runs_[0].lowest = 0;
    }
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
  PredicateBounds bounds_;
  std::size_t choices_before_;
  RowMatches matches_;
  bool is_windowed_ = false;
  std::vector<TimeWindows> windows_;   // by predicate; numbers: its rows
  std::vector<Nanoseconds> earliest_;  // see find_earliest
  std::vector<Own> own_;               // by object
  std::vector<Finding> seen_wrong_;
  std::int64_t without_choice_ = 0;
  std::vector<std::uint32_t> near_;  // of the read at hand: rows
  std::vector<Run> runs_;            // of the read and row at hand
};

}  // namespace

void add_predicate_dependencies(const History& history, const Versions& versions,
                                Findings& findings, Dependencies& found,
                                const PredicateBounds& bounds) {
  PredicateReads(history, versions, findings, found, bounds).run();
}

}  // namespace hilsa
