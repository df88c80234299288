// The order of versions of every object, and which of them each operation read or made: observed
// for stamped rows, inferred for lists as far as that is certain. Also what is wrong with single
// operations: anomalies that are no cycles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

// Place of a version among the object's versions: 0 is the state before all writes, k the state
// after the k-th.
using Place = std::uint32_t;

// The operations that show an anomaly without a cycle.
struct Finding {
  AnomalyClass anomaly = AnomalyClass::internal;
  std::vector<OpIndex> operations;
  std::string remark;  // a sentence, or empty
};

// Counts all findings of a class, keeps the first few.
class Findings {
 public:
  explicit Findings(int keep) : keep_(static_cast<std::size_t>(keep)) {}
  void add(Finding finding);
  bool any(AnomalyClass anomaly) const { return count(anomaly) > 0; }
  std::int64_t count(AnomalyClass anomaly) const {
    return counts_[static_cast<std::size_t>(anomaly)];
  }
  std::span<const Finding> kept(AnomalyClass anomaly) const {
    return kept_[static_cast<std::size_t>(anomaly)];
  }

 private:
  std::size_t keep_;
  std::array<std::int64_t, kAnomalyClassCount> counts_{};
  std::array<std::vector<Finding>, kAnomalyClassCount> kept_;
};

struct Versions {
  // By transaction: 1 if it counts as committed. An in-doubt one does exactly when a committed
  // transaction, or the final state, has seen one of its writes.
  std::vector<std::uint8_t> counted;

  // By object: where its versions begin below; one more than objects.
  std::vector<std::uint32_t> first;
  std::vector<TxnIndex> writer;
  std::vector<OpIndex> op;
  std::vector<Version> number;  // stamped only: as the database counted

  // By operation: the place that it read or made; kNone: none that is known (an aborted
  // transaction's, a read of nobody's version, a predicate read, a read of a row that was not there
  // while the object has been deleted since: see `absent`).
  std::vector<Place> place;
  // Reads that found no row, of objects whose last version is a deletion: they saw the state before
  // all writes, or that one.
  std::vector<OpIndex> absent_or_gone;

  // Lists: committed appends that nobody has read: they come after all versions, in an order that
  // is not known. In the order of objects, then of operations.
  struct Unread {
    ObjectIndex object;
    TxnIndex txn;
    OpIndex op;
  };
  std::vector<Unread> unread;

  // Stamped only: rows that an in-doubt transaction, of which nobody is known to have seen
  // anything, may have changed or deleted. That it was not returned then says nothing about such a
  // row.
  std::unordered_set<ObjectIndex> in_doubt;

  std::vector<std::string> notes;

  Place last_place(ObjectIndex object) const { return first[object + 1] - first[object]; }
  TxnIndex writer_at(ObjectIndex object, Place at) const { return writer[first[object] + at - 1]; }
  OpIndex op_at(ObjectIndex object, Place at) const { return op[first[object] + at - 1]; }
  std::span<const Unread> unread_of(ObjectIndex object) const;
  // The first version after `at` by another transaction than the one that wrote `at`; kNone:
  // there is none.
  Place next_by_another(ObjectIndex object, Place at) const;
};

Versions versions_of_rows(const History& history, Findings& findings);
Versions versions_of_lists(const History& history, Findings& findings);

}  // namespace hilsa
