// A transaction of the simulated database, as its parts see it.
#pragma once

#include <unordered_map>
#include <vector>

#include "harness/simulated/level.h"
#include "harness/simulated/store.h"

namespace hilsa::simulated {

class Connection;

// A row before and after one write; null where there is no such row.
struct Image {
  TableNumber table = 0;
  bool existed = false;
  bool exists = false;
  Cells before;
  Cells after;

  // Whether the write takes a row into what the predicate selects, out of it, or changes it there.
  bool touches(const Predicate& predicate) const {
    return predicate.table == table &&
           ((existed && predicate.matches(before)) || (exists && predicate.matches(after)));
  }
};

struct Txn {
  enum class State { active, committed, aborted };

  TxnId id = 0;
  Level level = Level::serializable_ssi;
  State state = State::active;
  Connection* connection = nullptr;  // null once it has ended
  AttemptId writer = 0;              // of the attempt that it belongs to, once it has written

  // From the first statement on.
  bool has_snapshot = false;
  CommitNumber snapshot = 0;  // what had been committed when it began
  View view;                  // what it really sees (a bug may have had its hand in that)

  // Two-phase locking: predicates locked. SSI: predicates watched. Otherwise empty.
  std::vector<Predicate> reads;
  std::vector<Image> images;   // of its writes
  std::vector<Image> intents;  // of the writes of the statement that waits to make them
  struct Written {
    TableNumber table;
    Row* row;
  };
  std::vector<Written> written;  // each row once

  // For Truth: the version of each row that it read last, and how often it then overwrote another
  // one; the predicates that Bug::missed_phantom_lock kept out of `reads`.
  struct LastRead {
    TxnId made_by;
    Version number;
    friend bool operator==(const LastRead&, const LastRead&) = default;
  };
  std::unordered_map<const Row*, LastRead> last_reads;
  std::int64_t lost_updates = 0;
  std::vector<Predicate> missed;

  // Predicate locks have no queue: these are the ones whose end it waits for.
  std::vector<TxnId> waits_for;

  // SSI: rw dependencies from and to transactions that ran at the same time.
  std::vector<Txn*> before;  // they read what this one overwrote
  std::vector<Txn*> after;   // they overwrote what this one read
  CommitNumber ended = 0;    // the number of its commit, or of the last one when it was aborted
  std::uint32_t mark = 0;    // of the last search for deadlocks that came by
  CommitNumber earliest_after = 0;  // once committed: the first commit among `after`; 0: none
};

}  // namespace hilsa::simulated
