// The checker against simulated databases that know what they did: it never reports less than a
// database's level holds, and it finds what a weaker level or a bug has let happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>

#include "checkers/checker.h"
#include "tests/checkers/tiny_history.h"
#include "tests/harness/simulated/random_history.h"

namespace hilsa {
namespace {

using simulated::Bug;
using tests::random_history;
using tests::RandomHistory;
using tests::RandomRun;
using tests::seeds_to_try;

std::optional<Validity> result_of(const Verdict& verdict, const LevelForm& level) {
  for (const LevelResult& result : verdict.results) {
    if (result.level == level) return result.validity;
  }
  return std::nullopt;
}

bool found(const Verdict& verdict, AnomalyClass anomaly) {
  for (const Anomaly& one : verdict.anomalies) {
    if (one.anomaly == anomaly) return true;
  }
  return false;
}

// --- nothing is reported that did not happen ---

struct Kept {
  simulated::Level level;
  std::vector<LevelForm> holds;
};

const std::vector<Kept>& levels_kept() {
  static const std::vector<Kept> kept = {
      {simulated::Level::read_uncommitted, {{Level::read_uncommitted, Needs::data}}},
      {simulated::Level::read_committed,
       {{Level::monotonic_atomic_view, Needs::data}, {Level::read_committed, Needs::realtime}}},
      {simulated::Level::snapshot, {{Level::snapshot_isolation, Needs::realtime}}},
      {simulated::Level::serializable_2pl, {{Level::serializable, Needs::realtime}}},
      {simulated::Level::serializable_ssi,
       {{Level::serializable, Needs::data}, {Level::snapshot_isolation, Needs::realtime}}}};
  return kept;
}

class Soundness : public testing::TestWithParam<std::size_t> {};

void expect_no_report_below(const Kept& kept, std::uint64_t seeds, const Expectation& expectation) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RandomHistory run = random_history({.level = kept.level, .seed = seed});
    const Verdict verdict = check(run.history, expectation);
    for (const LevelForm& level : kept.holds) {
      ASSERT_EQ(result_of(verdict, level), Validity::valid)
          << name_of(level) << ", seed " << seed << ", " << verdict.reason << "\n"
          << to_tiny_text(run.history);
    }
    EXPECT_FALSE(found(verdict, AnomalyClass::lost_write)) << seed;
    EXPECT_FALSE(found(verdict, AnomalyClass::garbage_read)) << seed;
    EXPECT_FALSE(found(verdict, AnomalyClass::internal)) << seed;
    EXPECT_FALSE(found(verdict, AnomalyClass::dirty_update)) << seed;
  }
}

TEST_P(Soundness, NoHistoryIsReportedBelowItsDatabasesLevel) {
  expect_no_report_below(levels_kept()[GetParam()], seeds_to_try(2500), {});
}

// As in histories that are too long for every read to be compared with every row.
TEST_P(Soundness, NorIsOneOfWhichRowsFarFromAReadAreLeftOut) {
  expect_no_report_below(levels_kept()[GetParam()], seeds_to_try(1000), {.predicates = {0, 0}});
  expect_no_report_below(levels_kept()[GetParam()], seeds_to_try(1000),
                         {.predicates = {.comparisons = 0}});
}

INSTANTIATE_TEST_SUITE_P(Levels, Soundness, testing::Range(std::size_t{0}, std::size_t{5}),
                         [](const auto& param_info) {
                           std::string name(name_of(levels_kept()[param_info.param].level));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// --- what happened is found ---

struct Tally {
  int happened = 0;
  int found = 0;
};

// Of the runs in which it happened, the share in which it was found; what was found without having
// happened fails the test.
void expect_found(const RandomRun& plan, std::uint64_t seeds,
                  const std::function<bool(const RandomHistory&)>& happened,
                  const std::function<bool(const Verdict&)>& is_found, bool only_if_happened,
                  const Expectation& expectation = {}) {
  Tally tally;
  std::uint64_t first_missed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RandomRun run = plan;
    run.seed = seed;
    const RandomHistory outcome = random_history(run);
    const bool did = happened(outcome);
    const bool seen = is_found(check(outcome.history, expectation));
    if (only_if_happened && seen && !did) {
      FAIL() << "seed " << seed << ": found what did not happen\n" << to_tiny_text(outcome.history);
    }
    if (!did) continue;
    ++tally.happened;
    if (seen) ++tally.found;
    if (!seen && first_missed == 0) first_missed = seed;
  }
  EXPECT_GE(tally.happened, static_cast<int>(seeds / 20)) << "too rare to say anything";
  EXPECT_GE(tally.found * 100, tally.happened * 99) << "first missed: seed " << first_missed;
  testing::Test::RecordProperty("happened", tally.happened);
  testing::Test::RecordProperty("found", tally.found);
  std::printf("  happened in %d runs of %d, found in %d\n", tally.happened, static_cast<int>(seeds),
              tally.found);
}

bool fails(const Verdict& verdict, Level level, Needs form = Needs::data) {
  return result_of(verdict, {level, form}) == Validity::invalid;
}

TEST(Completeness, DirtyReadsAtReadUncommitted) {
  expect_found(
      {.level = simulated::Level::read_uncommitted}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.aborted_reads > 0; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::g1a); }, false);
}

TEST(Completeness, LostUpdatesAtReadCommitted) {
  expect_found(
      {.level = simulated::Level::read_committed}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.lost_updates > 0; },
      // The checker also counts a row that was not there when it was looked for.
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::p4); }, false);
}

TEST(Completeness, ReadSkewAtReadCommitted) {
  expect_found(
      {.level = simulated::Level::read_committed}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.read_skew; },
      [](const Verdict& verdict) { return fails(verdict, Level::consistent_view); }, true);
}

TEST(Completeness, WriteSkewAtSnapshotIsolation) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.serializable(); },
      [](const Verdict& verdict) { return fails(verdict, Level::serializable); }, true);
}

TEST(Completeness, WriteSkewAtSnapshotIsolationWhereRowsFarFromAReadAreLeftOut) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.serializable(); },
      [](const Verdict& verdict) { return fails(verdict, Level::serializable); }, true,
      {.predicates = {.comparisons = 0}});
}

TEST(Completeness, ItemWriteSkewAtSnapshotIsolation) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.item_cycle; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::g2_item); }, false);
}

TEST(Completeness, LostWrites) {
  expect_found(
      {.level = simulated::Level::serializable_2pl, .bug = Bug::lost_write}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.truth.bites > 0; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::lost_write); }, true);
}

TEST(Completeness, DirtyReadsByABug) {
  expect_found(
      {.level = simulated::Level::serializable_2pl, .bug = Bug::dirty_read}, seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.serializable(); },
      [](const Verdict& verdict) { return fails(verdict, Level::serializable); }, false);
}

TEST(Completeness, StaleSnapshots) {
  expect_found(
      {.level = simulated::Level::snapshot, .bug = Bug::stale_snapshot, .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.snapshot_isolation(); },
      [](const Verdict& verdict) { return fails(verdict, Level::snapshot_isolation); }, true);
}

TEST(Completeness, MissedPhantomLocks) {
  expect_found(
      {.level = simulated::Level::serializable_2pl,
       .bug = Bug::missed_phantom_lock,
       .transactions = 150},
      seeds_to_try(1000), [](const RandomHistory& run) { return !run.anomalies.serializable(); },
      [](const Verdict& verdict) { return fails(verdict, Level::serializable); }, true);
}

TEST(Completeness, MissedPhantomLocksInSsi) {
  expect_found(
      {.level = simulated::Level::serializable_ssi,
       .bug = Bug::missed_phantom_lock,
       .transactions = 150},
      seeds_to_try(1000), [](const RandomHistory& run) { return !run.anomalies.serializable(); },
      [](const Verdict& verdict) { return fails(verdict, Level::serializable); }, true);
}

TEST(Completeness, ForgottenAborts) {
  expect_found(
      {.level = simulated::Level::serializable_2pl,
       .bug = Bug::forgotten_abort,
       .transactions = 150},
      seeds_to_try(1000), [](const RandomHistory& run) { return run.truth.bites > 0; },
      [](const Verdict& verdict) { return fails(verdict, Level::read_committed); }, true);
}

TEST(Completeness, ReorderedCommits) {
  expect_found(
      {.level = simulated::Level::snapshot, .bug = Bug::reordered_commit, .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.snapshot_isolation(); },
      [](const Verdict& verdict) { return fails(verdict, Level::snapshot_isolation); }, true);
}

}  // namespace
}  // namespace hilsa
