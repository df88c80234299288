// Versions of stamped rows: facts, not inferences. O(operations), plus sorting within rows whose
// versions do not come in order.
#include <algorithm>
#include <unordered_map>

#include "checkers/row_claims.h"
#include "checkers/versions.h"

namespace hilsa {
namespace {

class RowVersions {
 public:
  RowVersions(const History& history, Findings& findings)
      : history_(history), findings_(findings), claims_(history) {}

  Versions run() {
    versions_.counted = claims_.counted();
    order_claims();
    place_operations();
    compare_with_final_state();
    tell_what_is_missing();
    return std::move(versions_);
  }

 private:
  void order_claims() {
    for (ObjectIndex object = 0; claims_.any_in_doubt() && object < history_.objects(); ++object) {
      for (const Claim& claim : claims_.claims_of(object)) {
        if (claim.in_doubt) versions_.in_doubt.insert(object);
      }
    }
    versions_.place.assign(history_.operations(), kNone);
    versions_.first.assign(1, 0);
    versions_.first.reserve(history_.objects() + 1);
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      Version last = 0;
      Place place = 0;
      for (const Claim& claim : claims_.claims_of(object)) {
        if (claim.in_doubt) continue;
        if (place > 0 && claim.number == last) {
          two_writers(versions_.op.back(), claim.op);
          continue;
        }
        if (last + 1 < claim.number && (place > 0 || claim.number > 1)) {
          gaps_.push_back({object, last, claim.number, claim.op});
        }
        versions_.writer.push_back(claim.txn);
        versions_.op.push_back(claim.op);
        versions_.number.push_back(claim.number);
        versions_.place[claim.op] = ++place;
        last = claim.number;
      }
      versions_.first.push_back(static_cast<std::uint32_t>(versions_.op.size()));
    }
  }

  void two_writers(OpIndex kept, OpIndex other) {
    findings_.add({AnomalyClass::lost_write,
                   {kept, other},
                   "both were acknowledged and made the same version: one of them is lost"});
  }

  // The place of a version by the number that the database gave it; kNone: nobody made it.
  Place place_of(ObjectIndex object, Version number) const {
    const std::uint32_t begin = versions_.first[object];
    const std::uint32_t count = versions_.first[object + 1] - begin;
    if (count == 0 || number < versions_.number[begin]) return 0;  // from before the history
    const auto guess = static_cast<std::uint64_t>(number - versions_.number[begin]);
    if (guess < count && versions_.number[begin + static_cast<std::uint32_t>(guess)] == number) {
      return static_cast<Place>(guess) + 1;
    }
    const auto from = versions_.number.begin() + begin;
    const auto found = std::lower_bound(from, from + count, number);
    if (found == from + count || *found != number) return kNone;
    return static_cast<Place>(found - from) + 1;
  }

  bool is_gone_at_last(ObjectIndex object) const {
    const Place last = versions_.last_place(object);
    return last > 0 && history_.op_kind[versions_.op_at(object, last)] == Op::erase;
  }

  // What each transaction has read and written of an object so far. Arrays over all objects that
  // are never cleared: an entry counts for the transaction that it names.
  struct OwnView {
    TxnIndex wrote_by = kNone;
    OpIndex wrote_op = kNone;
    TxnIndex read_by = kNone;
    OpIndex read_op = kNone;
  };

  void place_operations() {
    views_.resize(history_.objects());
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      if (versions_.counted[txn] == 0) continue;
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (is_stamped_write(history_.op_kind[op])) {
          note_write(txn, op);
        } else if (is_row_read(history_.op_kind[op])) {
          place_read(txn, op);
        }
      }
    }
    views_ = {};
  }

  void note_write(TxnIndex txn, OpIndex op) {
    OwnView& view = views_[history_.op_object[op]];
    const Place place = versions_.place[op];
    const bool first_write = view.wrote_by != txn;
    if (first_write && view.read_by == txn && place != kNone) check_lost_update(txn, op, view);
    view.wrote_by = txn;
    view.wrote_op = op;
  }

  // P4: it wrote on top of a version that it had not seen, having read an older one.
  void check_lost_update(TxnIndex txn, OpIndex op, const OwnView& view) {
    const ObjectIndex object = history_.op_object[op];
    const Place read = versions_.place[view.read_op];
    const Place made = versions_.place[op];
    if (read == kNone || made < 2 || read >= made - 1) return;
    if (versions_.writer_at(object, made - 1) == txn) return;
    findings_.add({AnomalyClass::p4, {view.read_op, versions_.op_at(object, made - 1), op}, ""});
  }

  void place_read(TxnIndex txn, OpIndex op) {
    const ObjectIndex object = history_.op_object[op];
    const Version number = claims_.number_of(op);
    if (number == kVersionUnknown) return;
    OwnView& view = views_[object];
    if (number == kUnborn && view.wrote_by != txn && versions_.in_doubt.count(object) != 0) return;
    Place place = number == kUnborn ? 0 : place_of(object, number);
    if (number == kUnborn && is_gone_at_last(object)) {
      const OpIndex last = versions_.op_at(object, versions_.last_place(object));
      const bool own = view.wrote_by == txn;
      if (own && last == view.wrote_op) {
        place = versions_.last_place(object);  // deleted by itself
      } else if (!own) {
        versions_.absent_or_gone.push_back(op);
        return;
      }
    }
    if (number != kUnborn && !is_by_its_writer(op, object, number, place)) place = kNone;
    if (place == kNone) return;
    versions_.place[op] = place;
    compare_with_own_view(txn, op, view, object, place);
    view.read_by = txn;
    view.read_op = op;
  }

  // The aborted write that made this version; kNone: there is none. Also whether the history sees
  // the row born, so that it cannot have been there before.
  OpIndex aborted_write_of(ObjectIndex object, Version number) {
    if (!aborted_collected_) {
      aborted_collected_ = true;
      born_.assign(history_.objects(), 0);
      for_each_op(history_, [&](TxnIndex txn, OpIndex op) {
        const Op kind = history_.op_kind[op];
        if (kind == Op::insert) born_[history_.op_object[op]] = 1;
        if (is_stamped_write(kind) && versions_.counted[txn] == 0) {
          aborted_writes_[history_.op_object[op]].push_back(op);
        }
      });
    }
    const auto found = aborted_writes_.find(object);
    if (found == aborted_writes_.end()) return kNone;
    for (const OpIndex op : found->second) {
      if (claims_.number_of(op) == number) return op;
    }
    return kNone;
  }

  // A version whose writer the reader was not told, and that no committed transaction made.
  bool was_there_before(OpIndex op, ObjectIndex object, Version number, Place place) {
    const OpIndex aborted = aborted_write_of(object, number);
    if (place == 0 && born_[object] == 0 && aborted == kNone) return true;
    if (aborted != kNone) {
      findings_.add({AnomalyClass::g1a, {aborted, op}, ""});
    } else {
      findings_.add({AnomalyClass::garbage_read, {op}, "nobody made a row of this version"});
    }
    return false;
  }

  // Whether the version that was read is one that a committed transaction made.
  bool is_by_its_writer(OpIndex op, ObjectIndex object, Version number, Place place) {
    const AttemptId id = claims_.writer_of(op);
    const bool made_here = place != kNone && place > 0;
    // Nobody can read the version with which a row ended.
    if (made_here && history_.op_kind[versions_.op_at(object, place)] == Op::erase) {
      const bool by_committed =
          id == 0 || (claims_.find(id) != kNone && versions_.counted[claims_.find(id)] != 0);
      if (by_committed) return was_there_before(op, object, number, kNone);
    }
    if (id == 0) {
      if (made_here) return true;
      // Read by an update as what it replaced: the missing version itself is told of.
      if (place == kNone && is_followed_by_its_write(op)) return false;
      return was_there_before(op, object, number, place);
    }
    const TxnIndex writer = claims_.find(id);
    if (writer == kNone) {
      // Rows from before the history have writers that it does not know.
      if (place == 0) return true;
      findings_.add({AnomalyClass::garbage_read,
                     {op},
                     "its writer, T" + std::to_string(id) + ", is not in this history"});
      return false;
    }
    if (versions_.counted[writer] == 0) {
      std::vector<OpIndex> operations;
      const OpIndex write = write_of(writer, object, number);
      if (write != kNone) operations.push_back(write);
      operations.push_back(op);
      findings_.add({AnomalyClass::g1a, operations, ""});
      return false;
    }
    if (place != kNone && place > 0 && versions_.writer_at(object, place) == writer) return true;
    if (write_of(writer, object, number) == kNone) {
      findings_.add(
          {AnomalyClass::garbage_read,
           {op},
           history_.txn_name(writer) + ", which is named as its writer, did not write it"});
    }
    return false;
  }

  bool is_followed_by_its_write(OpIndex op) const {
    const OpIndex next = op + 1;
    return next < history_.end_op(history_.txn_of(op)) &&
           is_stamped_write(history_.op_kind[next]) &&
           history_.op_object[next] == history_.op_object[op] &&
           history_.op_number[next] == history_.op_number[op] + 1;
  }

  OpIndex write_of(TxnIndex txn, ObjectIndex object, Version number) const {
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (is_stamped_write(history_.op_kind[op]) && history_.op_object[op] == object &&
          claims_.number_of(op) == number) {
        return op;
      }
    }
    return kNone;
  }

  void compare_with_own_view(TxnIndex txn, OpIndex op, const OwnView& view, ObjectIndex object,
                             Place place) {
    const TxnIndex writer = place == 0 ? kNone : versions_.writer_at(object, place);
    if (view.wrote_by == txn) {
      const Place own = versions_.place[view.wrote_op];
      if (own != kNone && place < own) {
        findings_.add({AnomalyClass::internal, {view.wrote_op, op}, ""});
      }
    }
    if (writer == txn && versions_.op_at(object, place) > op) {
      findings_.add({AnomalyClass::internal,
                     {op, versions_.op_at(object, place)},
                     "it read what it wrote only later"});
    }
    if (writer == txn) return;
    if (view.read_by == txn && versions_.place[view.read_op] != place && view.wrote_by != txn) {
      findings_.add({AnomalyClass::non_repeatable_read, {view.read_op, op}, ""});
    }
    if (place == 0 || place >= versions_.last_place(object)) return;
    if (versions_.writer_at(object, place + 1) == writer) {
      findings_.add({AnomalyClass::g1b,
                     {versions_.op_at(object, place), op, versions_.op_at(object, place + 1)},
                     ""});
    }
  }

  void compare_with_final_state() {
    if (!history_.has_final_state || history_.cut_short) return;
    std::vector<std::uint8_t> present(history_.objects(), 0);
    for (const FinalRow& row : history_.final_rows) {
      present[row.object] = 1;
      const Place last = versions_.last_place(row.object);
      const Version number =
          last == 0 ? 0 : versions_.number[versions_.first[row.object] + last - 1];
      if (last > 0 && (row.version < number || is_gone_at_last(row.object))) {
        findings_.add({AnomalyClass::lost_write,
                       {versions_.op_at(row.object, last)},
                       "in the end, " + history_.object_name(row.object) + " had version " +
                           std::to_string(row.version)});
      } else if (row.version > number) {
        judge_surplus(row);
      }
    }
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      const Place last = versions_.last_place(object);
      if (last == 0 || present[object] != 0 || is_gone_at_last(object)) continue;
      findings_.add({AnomalyClass::lost_write,
                     {versions_.op_at(object, last)},
                     "in the end, " + history_.object_name(object) + " was gone"});
    }
  }

  // The final state holds a version that no committed transaction made.
  void judge_surplus(const FinalRow& row) {
    const TxnIndex writer = row.writer == 0 ? kNone : claims_.find(row.writer);
    if (writer == kNone || versions_.counted[writer] != 0) {
      ++foreign_versions_;
      return;
    }
    const OpIndex op = write_of(writer, row.object, row.version);
    if (op == kNone) return;
    findings_.add({AnomalyClass::dirty_update,
                   {op},
                   "in the end, " + history_.object_name(row.object) + " still had this version"});
  }

  struct Gap {
    ObjectIndex object;
    Version after;
    Version before;
    OpIndex next;
  };

  // A version that nobody committed, below one that somebody did: an aborted write that stayed, or
  // a write by somebody who is not in the history.
  void tell_what_is_missing() {
    std::unordered_map<ObjectIndex, std::vector<Gap>> by_object;
    for (const Gap& gap : gaps_) {
      // An in-doubt transaction may have made what is missing.
      if (versions_.in_doubt.count(gap.object) == 0) by_object[gap.object].push_back(gap);
    }
    std::int64_t explained = 0;
    for (TxnIndex txn = 0; !by_object.empty() && txn < history_.transactions(); ++txn) {
      if (history_.txn_flags[txn].outcome != AttemptOutcome::aborted) continue;
      for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
        if (!is_stamped_write(history_.op_kind[op])) continue;
        const auto found = by_object.find(history_.op_object[op]);
        if (found == by_object.end()) continue;
        for (const Gap& gap : found->second) {
          if (history_.op_number[op] <= gap.after || history_.op_number[op] >= gap.before) continue;
          findings_.add({AnomalyClass::dirty_update, {op, gap.next}, ""});
          if (gap.after > 0) ++explained;
        }
      }
    }
    std::int64_t missing = 0;
    for (const auto& [object, gaps] : by_object) {
      // Versions below a row's first may be from before the history.
      for (const Gap& gap : gaps) missing += gap.after > 0 ? gap.before - gap.after - 1 : 0;
    }
    if (missing > explained) {
      versions_.notes.push_back(std::to_string(missing - explained) +
                                " row versions were made by nobody whose version this history "
                                "tells: other programs, or writes whose answer was lost");
    }
    if (foreign_versions_ > 0) {
      versions_.notes.push_back("the final state holds " + std::to_string(foreign_versions_) +
                                " row versions that this history does not tell of");
    }
  }

  const History& history_;
  Findings& findings_;
  RowClaims claims_;
  Versions versions_;
  std::vector<Gap> gaps_;
  std::vector<OwnView> views_;
  bool aborted_collected_ = false;
  std::vector<std::uint8_t>
      born_;  // by object: its insert is in the history, whatever became of it
  std::unordered_map<ObjectIndex, std::vector<OpIndex>> aborted_writes_;
  std::int64_t foreign_versions_ = 0;
};

}  // namespace

Versions versions_of_rows(const History& history, Findings& findings) {
  return RowVersions(history, findings).run();
}

}  // namespace hilsa
