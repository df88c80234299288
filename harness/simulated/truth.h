// What really happened in a simulated database, as only it can know: the oracle for checkers.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/simulated/txn.h"

namespace hilsa::simulated {

// A version, by who made it (0: the row did not exist) and which of theirs it was.
struct TrueVersion {
  TableNumber table = 0;
  std::int64_t key = 0;
  TxnId txn = 0;
  Version number = kUnborn;
  bool selected = false;  // whether it matched what the read asked for
};

// A predicate read (a read by key is one as well), with the version that it saw of every row that
// there ever was in the table when it looked, whether it matched or not.
struct TrueRead {
  Predicate predicate;
  std::vector<TrueVersion> saw;
  bool by_key = false;  // a read of one row: that it was not there counts as seen
  // What it found was of no interest: an update by key, to constants.
  bool only_to_overwrite = false;
};

struct TrueTxn {
  TxnId id = 0;
  AttemptId writer = 0;  // 0: it wrote nothing
  Level level = Level::serializable_ssi;
  Txn::State state = Txn::State::active;
  CommitNumber committed = kNotCommitted;
  std::vector<TrueRead> reads;
};

struct Truth {
  // How often the database's bug changed what somebody saw, or what is stored.
  std::int64_t bites = 0;
  // Of transactions that were committed: how often one overwrote, without looking, a version of a
  // row that it had read an older version of.
  std::int64_t lost_updates = 0;
  std::int64_t commits = 0;
  std::int64_t deadlocks = 0;
  std::int64_t serialization_failures = 0;

  // Only of a database that keeps a log: every transaction, by its id (the first is 1); those that
  // committed in the order of their commits; and every row with all its versions in order. A
  // version whose transaction was not committed is there if a bug made it stay.
  std::vector<TrueTxn> txns;
  std::vector<TxnId> commit_order;
};

}  // namespace hilsa::simulated
