// Random transactions on a simulated database, without threads: clients are states, and one loop
// takes a step of one after the other. A run of 60 transactions takes about a millisecond, so that
// properties can be tried on tens of thousands of seeds.
#pragma once

#include <cstdint>

#include "harness/history/history.h"
#include "harness/simulated/level.h"
#include "harness/simulated/true_graph.h"
#include "harness/simulated/truth.h"
#include "tests/seeds.h"

namespace hilsa::tests {

struct RandomRun {
  simulated::Level level = simulated::Level::serializable_ssi;
  simulated::Bug bug = simulated::Bug::none;
  std::uint64_t seed = 1;
  int transactions = 60;
  int clients = 5;
  int tables = 3;  // at most 3
  int rows = 3;    // a table starts with; inserts add to them
  int statements_max = 5;
  // A row's value and kind are below this when they are set. With few values, a row meets one
  // predicate again and again, and it gets harder to tell when it did.
  int values = 4;
  bool counted_inserts = false;  // INSERT … SELECT … WHERE (SELECT COUNT(*) …) < n among the others
};

struct RandomHistory {
  History history;  // recorded as clients of real databases are, with the final state
  simulated::Truth truth;
  // What really happened; and what of that its clients can be sure of.
  simulated::TrueAnomalies anomalies;
  simulated::TrueAnomalies seen_by_clients;
};

RandomHistory random_history(const RandomRun& run);

}  // namespace hilsa::tests
