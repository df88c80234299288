// Deadlocks in a history of stamped rows: who waited for whom, and how long.
//
// A history tells which attempts ended as victims, at which statement, and which statements of
// others ran meanwhile. Row locks are held to their transaction's end. So if X's statement wanted a
// row that Y had locked before, and it was not through when Y's own last statement began to wait, X
// waited for Y's end. A chain of such waits that leads from a victim back to it is the circle: with
// the victim's end it came apart. Where a history does not tell all of it (locks on gaps, on the
// place of a row that is not there, on names), only the victim is known, and nobody is guessed.
//
// O(victims · clients · chain · log transactions).
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/deadlock_report.h"
#include "harness/history/histogram.h"
#include "harness/history/history.h"

namespace hilsa {

// One of the circle: its statement waited for the next one, the last one's for the first one.
struct DeadlockMember {
  TxnIndex txn = kNone;
  std::uint32_t statement = kNone;  // index into the history's statements
  ObjectIndex row = kNone;          // the row that it waited for, where the history tells it
  OpIndex lock = kNone;             // likewise: what had locked that row, of the next one
  Nanoseconds begin = 0;            // of the statement
  Nanoseconds end = 0;

  Nanoseconds waited() const { return end - begin; }
};

struct Deadlock {
  std::vector<DeadlockMember> circle;  // the victim first; alone if the others are not known
  bool is_whole() const { return circle.size() > 1; }
};

struct Deadlocks {
  std::vector<Deadlock> found;  // one for each victim, in the order of their ends
  Histogram victims_waited;     // how long the statements of victims had waited
  Histogram survivors_waited;   // how long those of the others in a circle took, each once
};

// Threads may look at one history at once.
Deadlocks find_deadlocks(const History& history);

// The circle that a server has told of, in the attempts of a history: matched by their sessions and
// by the time of the victim (a transaction of history.failed). It may be longer than what row locks
// alone explain: a server also lets one wait behind another in a queue. Where sessions do not
// match, or make no circle, what the history itself tells.
Deadlock deadlock_told(const History& history, TxnIndex victim, const DeadlockReport& report);

}  // namespace hilsa
