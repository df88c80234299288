// Serializable snapshot isolation (Cahill, Röhm, Fekete: Serializable isolation for snapshot
// databases, SIGMOD 2008; Ports, Grittner: Serializable snapshot isolation in PostgreSQL, VLDB
// 2012).
//
// Every cycle of dependencies that snapshot isolation lets through has two rw edges in a row,
//
//     T1 --rw--> T2 --rw--> T3        (T1 and T3 may be one)
//
// between transactions that ran at the same time, where T3 is the first to commit of the whole
// cycle; and if T1 wrote nothing, T3 had committed before T1's snapshot. Edges are found exactly,
// by holding writes against the predicates read. Whoever would complete such a structure of
// committed transactions is refused; one of the three is always the last to commit, so to look at
// that moment is enough. O(transactions at the same time) a read or write.
#pragma once

#include <memory>
#include <vector>

#include "harness/simulated/txn.h"

namespace hilsa::simulated {

class Conflicts {
 public:
  // From its first statement on. It must stay where it is until forget() gives it up.
  void watch(std::shared_ptr<Txn> txn) { watched_.push_back(std::move(txn)); }
  void note_read(Txn& txn, const Predicate& predicate);
  void note_write(Txn& txn, const Image& image);
  // Whether the transaction must not commit any more.
  static bool dangerous(const Txn& txn);
  // Call when it has its commit number.
  static void note_commit(Txn& txn);
  // Gives up what no transaction still active ran at the same time as. `oldest`: the oldest
  // snapshot of those.
  void forget(CommitNumber oldest);

 private:
  // Whether `other` ran at the same time as the active `txn` and counts.
  static bool concurrent(const Txn& txn, const Txn& other);
  static void add_edge(Txn& reader, Txn& writer);

  std::vector<std::shared_ptr<Txn>> watched_;
};

}  // namespace hilsa::simulated
