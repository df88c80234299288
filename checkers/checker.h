// The checker: a history in, a verdict out. Exact, deterministic, without a clock: the same history
// gives the same verdict, byte for byte. O(operations) for stamped rows and lists; where the order
// of writes has to be searched for, bounded by a number of steps.
//
// Adya, Liskov, O'Neil: Generalized isolation level definitions (ICDE 2000); Adya's thesis (MIT
// 1999); Cerone, Gotsman: Analysing snapshot isolation (JACM 2018); Bailis et al.: Scalable atomic
// visibility with RAMP transactions (SIGMOD 2014); Kingsbury, Alvaro: Elle (VLDB 2020).
#pragma once

#include <cstdint>
#include <optional>

#include "checkers/predicate_bounds.h"
#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

struct Expectation {
  // The level whose validity is the verdict's; none: serializable.
  std::optional<LevelForm> level;
  // What may be assumed about the order of a register's writes, beyond what is certain.
  enum class Assume { nothing, sequential_keys, linearizable_keys };
  Assume assume = Assume::nothing;
  // How many pieces of evidence of each class to look for, at least 1.
  int evidence = 1;
  // How long the search for an order may go on, in steps (some 10 ns each), for each level.
  std::int64_t search_steps = 200'000'000;
  // How far predicate reads are compared with all rows, before those that changed far from them in
  // time are left out: anomalies may then be missed, and a note says so.
  PredicateBounds predicates = {};
};

// Threads may check different histories, or the same, at once.
Verdict check(const History& history, const Expectation& expectation = {});

}  // namespace hilsa
