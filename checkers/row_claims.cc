#include "checkers/row_claims.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace hilsa {

RowClaims::RowClaims(const History& history) : history_(history), by_id_(history) {
  judge_outcomes();
  if (anything_unlearned_) learn_versions();
  collect_claims();
  if (any_in_doubt_) settle_doubts();
}

Version RowClaims::number_of(OpIndex op) const {
  const Version recorded = history_.op_number[op];
  if (recorded != kVersionUnknown) return recorded;
  const auto learned = learned_.find(op);
  return learned == learned_.end() ? kVersionUnknown : learned->second;
}

void RowClaims::judge_outcomes() {
  const std::size_t count = history_.transactions();
  counted_.assign(count, 0);
  for (TxnIndex txn = 0; txn < count; ++txn) {
    const TxnFlags flags = history_.txn_flags[txn];
    const bool unknown = flags.outcome == AttemptOutcome::unknown;
    // Statements outside a transaction have committed one by one: only the last is in doubt.
    const bool counts =
        flags.outcome == AttemptOutcome::committed || (unknown && !flags.one_transaction);
    counted_[txn] = counts ? 1 : 0;
    if (unknown) any_in_doubt_ = true;
  }
  for (OpIndex op = 0; op < history_.operations() && !anything_unlearned_; ++op) {
    anything_unlearned_ = history_.op_number[op] == kVersionUnknown;
  }
}

// Reads name the writer of what they saw; that tells the version of a write whose client lost

// Reads name the writer of what they saw; that tells the version of a write whose client lost
// the connection before it learned it. Only where a transaction has one such write of the row.
void RowClaims::learn_versions() {
  std::unordered_map<std::uint64_t, std::vector<OpIndex>> unlearned;  // (transaction, object)
  const auto name = [](TxnIndex txn, ObjectIndex object) {
    return (std::uint64_t{txn} << 32) | object;
  };
  for_each_op(history_, [&](TxnIndex txn, OpIndex op) {
    if (is_stamped_write(history_.op_kind[op]) && history_.op_number[op] == kVersionUnknown) {
      unlearned[name(txn, history_.op_object[op])].push_back(op);
    }
  });
  const auto tell = [&](ObjectIndex object, AttemptId writer, Version number) {
    const TxnIndex txn = writer == 0 ? kNone : by_id_.find(writer);
    if (txn == kNone || number <= 0) return;
    const auto found = unlearned.find(name(txn, object));
    if (found == unlearned.end() || found->second.size() != 1) return;
    learned_[found->second.front()] = number;
  };
  for_each_op(history_, [&](TxnIndex, OpIndex op) {
    if (is_row_read(history_.op_kind[op]))
      tell(history_.op_object[op], writer_of(op), history_.op_number[op]);
  });
  for (const FinalRow& row : history_.final_rows) tell(row.object, row.writer, row.version);
  // The read that stands before such a write is of the version that it replaced.
  for_each_op(history_, [&](TxnIndex txn, OpIndex op) {
    const OpIndex next = op + 1;
    if (history_.op_kind[op] != Op::read || history_.op_number[op] != kVersionUnknown) return;
    if (next >= history_.end_op(txn) || history_.op_object[next] != history_.op_object[op]) {
      return;
    }
    const auto written = learned_.find(next);
    if (written != learned_.end()) learned_[op] = written->second - 1;
  });
}

// The last write of an attempt outside a transaction whose last answer never came.
OpIndex RowClaims::doubtful_op(TxnIndex txn) const {
  const TxnFlags flags = history_.txn_flags[txn];
  if (flags.outcome != AttemptOutcome::unknown || flags.one_transaction) return kNone;
  for (OpIndex op = history_.end_op(txn); op-- > history_.first_op(txn);) {
    if (is_stamped_write(history_.op_kind[op])) return op;
  }
  return kNone;
}

template <typename Visit>
void RowClaims::for_each_claim(Visit visit) const {
  for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
    const TxnFlags flags = history_.txn_flags[txn];
    if (flags.outcome == AttemptOutcome::aborted) continue;
    const bool all_in_doubt = flags.outcome == AttemptOutcome::unknown && flags.one_transaction;
    const OpIndex doubtful = doubtful_op(txn);
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (!is_stamped_write(history_.op_kind[op])) continue;
      const Version number = number_of(op);
      if (number > 0)
        visit(history_.op_object[op], Claim{number, txn, op, all_in_doubt || op == doubtful});
    }
  }
}

void RowClaims::collect_claims() {
  first_.assign(history_.objects() + 2, 0);
  for_each_claim([&](ObjectIndex object, const Claim&) { ++first_[object + 2]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  claims_.resize(first_.back());
  for_each_claim(
      [&](ObjectIndex object, const Claim& claim) { claims_[first_[object + 1]++] = claim; });
  first_.pop_back();
  const auto earlier = [](const Claim& a, const Claim& b) {
    if (a.number != b.number) return a.number < b.number;
    return a.in_doubt != b.in_doubt ? !a.in_doubt : a.op < b.op;
  };
  for (ObjectIndex object = 0; object < history_.objects(); ++object) {
    const auto range = claims_to_settle(object);
    if (!std::is_sorted(range.begin(), range.end(), earlier)) {
      std::sort(range.begin(), range.end(), earlier);
    }
  }
}

bool RowClaims::has_happened(const Claim& claim) const {
  return !claim.in_doubt ||
         (counted_[claim.txn] != 0 && history_.txn_flags[claim.txn].one_transaction);
}

// An in-doubt write happened if somebody read it, if it is in the final state, or if a write
// that happened made a later version of the row, while nobody else made this one.
void RowClaims::settle_doubts() {
  std::unordered_set<AttemptId> seen_writers;
  const auto note_reads_of = [&](TxnIndex txn) {
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (is_row_read(history_.op_kind[op])) seen_writers.insert(writer_of(op));
    }
  };
  for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
    if (counted_[txn] != 0) note_reads_of(txn);
  }
  for (const FinalRow& row : history_.final_rows) seen_writers.insert(row.writer);
  bool settled = false;
  while (!settled) {
    settled = true;
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      const auto claims = claims_to_settle(object);
      Version latest = 0;  // of those that happened
      for (std::size_t i = claims.size(); i-- > 0;) {
        Claim& claim = claims[i];
        claim.in_doubt = !has_happened(claim);
        if (!claim.in_doubt) {
          latest = std::max(latest, claim.number);
          continue;
        }
        const auto [first, last] =
            std::equal_range(claims.begin(), claims.end(), claim,
                             [](const Claim& a, const Claim& b) { return a.number < b.number; });
        const bool taken =
            std::any_of(first, last, [&](const Claim& other) { return has_happened(other); });
        // Of two that nobody names, either may have made the version that a later one followed.
        const bool alone =
            std::all_of(first, last, [&](const Claim& other) { return other.txn == claim.txn; });
        const bool seen =
            seen_writers.count(history_.txn_id[claim.txn]) != 0 || (latest > claim.number && alone);
        if (!seen || taken) continue;
        claim.in_doubt = false;
        latest = std::max(latest, claim.number);
        settled = false;
        if (counted_[claim.txn] == 0) {
          counted_[claim.txn] = 1;
          note_reads_of(claim.txn);
        }
      }
    }
  }
}

}  // namespace hilsa
