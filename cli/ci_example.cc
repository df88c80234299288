#include "cli/ci_config.h"

namespace hilsa {

std::string_view ci_example() {
  return R"(# What hilsa checks on every pull request: 'hilsa ci' reads this file (docs/ci.md).

databases:
  # A throw-away server from the binaries that are installed here. In CI rather a service container,
  # its URL in a variable: 'env:DATABASE_URL'. A password does not belong into this file.
  main: temp:postgres

suites:
  # Twenty buyers, one piece left, ten times over: is it ever sold twice?
  - name: last-piece
    workload: oversell
    database: main
    strategies:
      - atomic: {must: safe}
      - for-update: {must: safe}
      # What you do not do, and why: this fails when the demonstration stops working.
      - read-then-write: {must: unsafe}

  # What the safe ones cost, measured in turns with a reference.
  - name: checkout-cost
    workload: oversell
    database: main
    strategies: [atomic, optimistic]
    must: safe
    clients: 8
    duration: 10s   # of each strategy
    rounds: 10
    cost:
      reference: for-update
      attempts: '<= 5'          # per order placed
      # Slower than the committed hilsa-baseline.json by more than 10%? First of all:
      #   hilsa ci --update-baseline
      # regression: {tolerance: 10%, confidence: 99%}
)";
}

}  // namespace hilsa
