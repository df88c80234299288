// Decides when a bug strikes, by the seed, and counts how often it made a difference.
#pragma once

#include <array>
#include <cstdint>

#include "harness/history/rng.h"
#include "harness/simulated/level.h"

namespace hilsa::simulated {

class Saboteur {
 public:
  explicit Saboteur(Bug bug) : bug_(bug) {}

  void seed(std::uint64_t seed) { rng_ = Rng(seed); }
  Bug bug() const { return bug_; }
  // True one time in `times` on average, if this is the bug that the database has.
  bool strikes(Bug bug, std::uint64_t times) { return bug == bug_ && rng_.below(times) == 0; }
  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }
  // It has changed what somebody saw, or what is stored.
  void bites() { ++bites_; }
  std::int64_t times_bitten() const { return bites_; }

 private:
  Bug bug_;
  Rng rng_{1};
  std::int64_t bites_ = 0;
};

}  // namespace hilsa::simulated
