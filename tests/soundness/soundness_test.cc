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

TEST_P(Soundness, NoHistoryIsReportedBelowItsDatabasesLevel) {
  const Kept& kept = levels_kept()[GetParam()];
  const std::uint64_t seeds = seeds_to_try(2500);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RandomHistory run = random_history({.level = kept.level, .seed = seed});
    const Verdict verdict = check(run.history);
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

using Says = std::function<bool(const Verdict&)>;

bool nothing(const Verdict& /*verdict*/) { return false; }

// Of the runs in which it happened, the share in which it was found. A verdict that says
// `only_then` of a run in which it did not happen fails the test.
void expect_found(const RandomRun& plan, std::uint64_t seeds,
                  const std::function<bool(const RandomHistory&)>& happened, const Says& is_found,
                  const Says& only_then) {
  Tally tally;
  std::uint64_t first_missed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RandomRun run = plan;
    run.seed = seed;
    const RandomHistory outcome = random_history(run);
    const bool did = happened(outcome);
    const Verdict verdict = check(outcome.history);
    const bool seen = is_found(verdict);
    if (!did && only_then(verdict)) {
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
bool not_serializable(const Verdict& verdict) { return fails(verdict, Level::serializable); }
bool not_snapshot_isolated(const Verdict& verdict) {
  return fails(verdict, Level::snapshot_isolation);
}
bool not_consistent_view(const Verdict& verdict) { return fails(verdict, Level::consistent_view); }
bool has_lost_write(const Verdict& verdict) { return found(verdict, AnomalyClass::lost_write); }
// What these databases keep when they are well.
bool not_strict_snapshot_isolated(const Verdict& verdict) {
  return fails(verdict, Level::snapshot_isolation, Needs::realtime);
}

TEST(Completeness, DirtyReadsAtReadUncommitted) {
  expect_found(
      {.level = simulated::Level::read_uncommitted}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.aborted_reads > 0; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::g1a); }, nothing);
}

TEST(Completeness, LostUpdatesAtReadCommitted) {
  expect_found(
      {.level = simulated::Level::read_committed}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.lost_updates > 0; },
      // The checker also counts a row that was not there when it was looked for.
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::p4); }, nothing);
}

TEST(Completeness, ReadSkewAtReadCommitted) {
  expect_found(
      {.level = simulated::Level::read_committed}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.read_skew; }, not_consistent_view,
      not_consistent_view);
}

TEST(Completeness, WriteSkewAtSnapshotIsolation) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.serializable(); }, not_serializable,
      not_serializable);
}

TEST(Completeness, ItemWriteSkewAtSnapshotIsolation) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.anomalies.item_cycle; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::g2_item); }, nothing);
}

TEST(Completeness, LostWrites) {
  expect_found(
      {.level = simulated::Level::serializable_2pl, .bug = Bug::lost_write}, seeds_to_try(1000),
      [](const RandomHistory& run) { return run.truth.bites > 0; }, has_lost_write, has_lost_write);
}

TEST(Completeness, DirtyReadsByABug) {
  expect_found(
      {.level = simulated::Level::serializable_2pl, .bug = Bug::dirty_read}, seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.serializable(); }, not_serializable,
      nothing);
}

TEST(Completeness, StaleSnapshots) {
  expect_found(
      {.level = simulated::Level::snapshot, .bug = Bug::stale_snapshot, .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.snapshot_isolation(); },
      not_strict_snapshot_isolated, not_snapshot_isolated);
}

TEST(Completeness, MissedPhantomLocks) {
  expect_found(
      {.level = simulated::Level::serializable_2pl,
       .bug = Bug::missed_phantom_lock,
       .transactions = 150},
      seeds_to_try(1000), [](const RandomHistory& run) { return !run.anomalies.serializable(); },
      not_serializable, not_serializable);
}

TEST(Completeness, MissedPhantomLocksInSsi) {
  expect_found(
      {.level = simulated::Level::serializable_ssi,
       .bug = Bug::missed_phantom_lock,
       .transactions = 150},
      seeds_to_try(1000), [](const RandomHistory& run) { return !run.anomalies.serializable(); },
      not_serializable, not_serializable);
}

TEST(Completeness, ForgottenAborts) {
  expect_found(
      {.level = simulated::Level::serializable_2pl,
       .bug = Bug::forgotten_abort,
       .transactions = 150},
      seeds_to_try(1000), [](const RandomHistory& run) { return run.truth.bites > 0; },
      [](const Verdict& verdict) { return fails(verdict, Level::read_committed); }, nothing);
}

TEST(Completeness, ReorderedCommits) {
  expect_found(
      {.level = simulated::Level::snapshot, .bug = Bug::reordered_commit, .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory& run) { return !run.anomalies.snapshot_isolation(); },
      not_strict_snapshot_isolated, not_snapshot_isolated);
}

}  // namespace
}  // namespace hilsa
