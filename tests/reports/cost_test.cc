// Deciding about costs, on rounds that are made up: what noise alone must not do, and what must be
// noticed in spite of it.
#include "reports/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/history/rng.h"
#include "reports/demands.h"
#include "tests/seeds.h"

namespace hilsa {
namespace {

double normal(Rng& rng) {
  return std::sqrt(-2 * std::log(1 - rng.unit())) * std::cos(2 * std::numbers::pi * rng.unit());
}

// A machine: log-normal noise in every round, and bursts of a few rounds in which something else
// takes much of it, now from this strategy, now from the reference.
struct Machine {
  double noise = 0.05;
  double burst_chance = 0.05;
  double burst_size = 1.0;
};

std::vector<double> ratios(Rng& rng, std::size_t rounds, double true_ratio,
                           const Machine& machine) {
  std::vector<double> made;
  int burst_left = 0;
  double burst = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    if (burst_left == 0 && rng.unit() < machine.burst_chance) {
      burst_left = 3;
      burst = machine.burst_size * normal(rng);
    }
    const double disturbed = burst_left > 0 ? burst : 0;
    if (burst_left > 0) --burst_left;
    made.push_back(true_ratio * std::exp(machine.noise * normal(rng) + disturbed));
  }
  return made;
}

constexpr std::size_t kRounds = 20;
constexpr int kTries = static_cast<int>(tests::seeds_to_try(150));

// In how many of `tries` the first measurement alone calls it a regression.
int regressions(double change, const Machine& machine, int tries, std::size_t rounds = kRounds) {
  int found = 0;
  for (int i = 0; i < tries; ++i) {
    Rng rng(static_cast<std::uint64_t>(i) + 1);
    const auto baseline = ratios(rng, 2 * rounds, 1.2, machine);
    const auto now = ratios(rng, rounds, 1.2 * change, machine);
    if (compare(Figure::throughput, now, baseline, {}).is_worse) ++found;
  }
  return found;
}

// In how many of them a build fails: after as many measurements as it takes.
int failures(double change, const Machine& machine, int tries) {
  int failed = 0;
  for (int i = 0; i < tries; ++i) {
    Rng rng(static_cast<std::uint64_t>(i) + 1);
    const auto baseline = ratios(rng, 2 * kRounds, 1.2, machine);
    std::vector<CostFinding> measurements;
    do {
      const auto now = ratios(rng, kRounds, 1.2 * change, machine);
      const CostChange found = compare(Figure::throughput, now, baseline, {});
      CostFinding& finding = measurements.emplace_back();
      finding.demand.status = found.is_worse ? Demand::Status::broken : Demand::Status::kept;
      finding.is_beyond = found.is_beyond;
    } while (needs_another(measurements));
    if (settled(measurements).status == Demand::Status::broken) ++failed;
  }
  return failed;
}

const Machine kQuiet{.noise = 0.05, .burst_chance = 0};
const Machine kBusy{.noise = 0.15, .burst_chance = 0.05};
const Machine kHopeless{.noise = 0.3, .burst_chance = 0.1};

TEST(Regression, NoiseAloneIsNone) {
  EXPECT_EQ(regressions(1.0, kQuiet, kTries), 0);
  EXPECT_EQ(regressions(1.0, kBusy, kTries), 0);
  EXPECT_LE(regressions(1.0, kHopeless, kTries), 5);
  EXPECT_EQ(failures(1.0, kBusy, kTries), 0);
  EXPECT_LE(failures(1.0, kHopeless, kTries), 1);
}

// The confidence is what it says: at the very edge of the tolerance, one in a hundred. (A count of
// 1000 with a chance of 0.01 is below 22 with all but certainty.)
TEST(Regression, AtTheToleranceIsCalledOneAsSeldomAsTheConfidenceSays) {
  constexpr int kMany = static_cast<int>(tests::seeds_to_try(1000));
  const int called = regressions(0.9, {.noise = 0.1, .burst_chance = 0}, kMany);
  EXPECT_LE(called, 22);
  EXPECT_GE(called, tests::kSanitized ? 0 : 2)
      << "much rarer: the test wastes what it could notice";
}

TEST(Regression, ThirtyPercentIsNoticed) {
  EXPECT_EQ(failures(0.7, kQuiet, kTries), kTries);
  EXPECT_GE(regressions(0.7, kQuiet, kTries, 7), kTries - 2);
  EXPECT_GE(failures(0.7, kBusy, kTries), kTries * 19 / 20);
}

TEST(Regression, FiveRoundsAreEnoughWhenAllAreWorse) {
  const std::vector<double> baseline = {1.20, 1.21, 1.19, 1.22, 1.18};
  const std::vector<double> now = {0.84, 0.86, 0.85, 0.83, 0.87};
  const CostChange change = compare(Figure::throughput, now, baseline, {});
  EXPECT_TRUE(change.is_worse);
  EXPECT_NEAR(change.p, 1.0 / 252, 1e-9);
  EXPECT_NEAR(change.factor.value, 0.85 / 1.20, 0.005);
  EXPECT_FALSE(compare(Figure::throughput, now, baseline, {.confidence = 0.999}).is_worse);
}

TEST(Regression, WhatIsWorseDependsOnTheFigure) {
  const std::vector<double> low = {0.5, 0.51, 0.52, 0.53, 0.54};
  const std::vector<double> high = {1.0, 1.01, 1.02, 1.03, 1.04};
  EXPECT_TRUE(compare(Figure::throughput, low, high, {}).is_worse);
  EXPECT_TRUE(compare(Figure::p99, high, low, {}).is_worse);
  EXPECT_TRUE(compare(Figure::attempts, high, low, {}).is_worse);
  EXPECT_TRUE(compare(Figure::throughput, high, low, {}).is_better);
  EXPECT_FALSE(compare(Figure::throughput, high, low, {}).is_worse);
  EXPECT_TRUE(compare(Figure::p99, low, high, {}).is_better);
}

TEST(Limit, IsBrokenOnlyWhenThatIsSure) {
  const CostLimit limit{Figure::throughput, 0.8};
  const std::vector<double> near = {0.70, 0.85, 0.76, 0.83, 0.72, 0.84, 0.74};
  const LimitFinding unsure = weigh(limit, near, 0.99);
  EXPECT_TRUE(unsure.is_beyond);
  EXPECT_FALSE(unsure.is_broken);
  EXPECT_FALSE(unsure.is_kept);
  const std::vector<double> below = {0.70, 0.71, 0.69, 0.72, 0.68, 0.73, 0.70};
  EXPECT_TRUE(weigh(limit, below, 0.99).is_broken);
  const std::vector<double> above = {0.90, 0.91, 0.89, 0.92, 0.88, 0.93, 0.90};
  EXPECT_TRUE(weigh(limit, above, 0.99).is_kept);
  EXPECT_TRUE(weigh({Figure::p99, 0.8}, above, 0.99).is_broken);
  EXPECT_TRUE(weigh({Figure::attempts, 1}, std::vector<double>(7, 1.0), 0.99).is_kept);
}

TEST(Rounds, ItTakesSoManyToBeSure) {
  EXPECT_EQ(rounds_needed_for_limit(0.99), 7U);
  EXPECT_EQ(rounds_needed_for_regression(0.99), 5U);
  EXPECT_EQ(rounds_needed_for_regression(0.999), 7U);
  EXPECT_EQ(rounds_needed_for_regression(0.99, 40), 5U);
  EXPECT_EQ(rounds_needed_for_regression(0.99, 2), 13U);
}

Round a_round(std::int64_t done, std::int64_t attempts, Nanoseconds p99) {
  return {.running = std::chrono::seconds(1), .done = done, .attempts = attempts, .p99 = p99};
}

TEST(Figures, AreRelativeRoundByRound) {
  const std::vector<Round> rounds = {a_round(50, 100, 20), a_round(30, 30, 30)};
  const std::vector<Round> reference = {a_round(100, 100, 10), a_round(120, 120, 60)};
  EXPECT_EQ(relative_figures(Figure::throughput, rounds, reference),
            (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(relative_figures(Figure::p99, rounds, reference), (std::vector<double>{2, 0.5}));
  EXPECT_EQ(relative_figures(Figure::attempts, rounds, reference), (std::vector<double>{2, 1}));
}

TEST(Figures, ARoundWithoutOneIsLeftOut) {
  const std::vector<Round> idle = {a_round(0, 7, 0), a_round(30, 30, 30)};
  const std::vector<Round> reference = {a_round(100, 100, 10), a_round(120, 120, 60)};
  // Nothing done is a throughput of nothing, but no latency.
  EXPECT_EQ(relative_figures(Figure::throughput, idle, reference), (std::vector<double>{0, 0.25}));
  EXPECT_EQ(relative_figures(Figure::p99, idle, reference), (std::vector<double>{0.5}));
  EXPECT_EQ(relative_figures(Figure::throughput, reference, idle), (std::vector<double>{4}));
  EXPECT_EQ(attempts_per_task(idle), (std::vector<double>{1}));
}

}  // namespace
}  // namespace hilsa
