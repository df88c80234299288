// Who wrote which version of which row, as far as it counts: what RowVersions puts in order.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/history/history.h"

namespace hilsa {

// Finds a transaction by its id.
class TxnsById {
 public:
  explicit TxnsById(const History& history) {
    const auto& ids = history.txn_id;
    if (ids.empty()) return;
    const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
    lowest_ = *low;
    const auto span = static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low);
    if (span < 4 * ids.size() + 1024) {
      dense_.assign(static_cast<std::size_t>(span) + 1, kNone);
      for (TxnIndex txn = 0; txn < ids.size(); ++txn) {
        dense_[static_cast<std::size_t>(ids[txn] - lowest_)] = txn;
      }
    } else {
      for (TxnIndex txn = 0; txn < ids.size(); ++txn) sparse_.emplace(ids[txn], txn);
    }
  }

  TxnIndex find(AttemptId id) const {
    if (!dense_.empty()) {
      const auto at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(lowest_);
      return id >= lowest_ && at < dense_.size() ? dense_[static_cast<std::size_t>(at)] : kNone;
    }
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? kNone : found->second;
  }

 private:
  AttemptId lowest_ = 0;
  std::vector<TxnIndex> dense_;
  std::unordered_map<AttemptId, TxnIndex> sparse_;
};

// A write that may have its place among the versions of its row.
struct Claim {
  Version number;
  TxnIndex txn;
  OpIndex op;
  bool in_doubt;
};

// An in-doubt transaction counts as committed exactly when its writes were seen, and a write whose
// version its client did not learn gets it from those who read it.
class RowClaims {
 public:
  explicit RowClaims(const History& history);

  // By transaction: 1 if it counts as committed.
  const std::vector<std::uint8_t>& counted() const { return counted_; }
  bool any_in_doubt() const { return any_in_doubt_; }
  // In the order of their numbers; among equals, those in doubt last.
  std::span<const Claim> claims_of(ObjectIndex object) const {
    return std::span(claims_).subspan(first_[object], first_[object + 1] - first_[object]);
  }
  // The version that an operation read or made, if known by whatever way.
  Version number_of(OpIndex op) const;
  AttemptId writer_of(OpIndex op) const {
    return history_.op_writer.empty() ? 0 : history_.op_writer[op];
  }
  TxnIndex find(AttemptId id) const { return by_id_.find(id); }

 private:
  void judge_outcomes();
  void learn_versions();
  OpIndex doubtful_op(TxnIndex txn) const;
  template <typename Visit>
  void for_each_claim(Visit visit) const;
  void collect_claims();
  bool has_happened(const Claim& claim) const;
  void settle_doubts();
  std::span<Claim> claims_to_settle(ObjectIndex object) {
    return std::span(claims_).subspan(first_[object], first_[object + 1] - first_[object]);
  }

  const History& history_;
  TxnsById by_id_;
  std::vector<std::uint8_t> counted_;
  bool any_in_doubt_ = false;
  bool anything_unlearned_ = false;
  std::unordered_map<OpIndex, Version> learned_;
  std::vector<std::uint32_t> first_;  // by object: into claims_
  std::vector<Claim> claims_;
};

// Calls visit(transaction, operation) for every operation.
template <typename Visit>
void for_each_op(const History& history, Visit visit) {
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) visit(txn, op);
  }
}

inline bool is_row_read(Op op) { return op == Op::read || op == Op::seen_row; }

}  // namespace hilsa
