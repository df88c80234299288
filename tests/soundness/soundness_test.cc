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

void expect_no_report_below(const Kept& kept, std::uint64_t seeds, const Expectation& expectation,
                            bool counted_inserts = false) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RandomHistory run =
        random_history({.level = kept.level, .seed = seed, .counted_inserts = counted_inserts});
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

TEST_P(Soundness, NorIsOneWithInsertsThatCountFirst) {
  expect_no_report_below(levels_kept()[GetParam()], seeds_to_try(1000), {}, true);
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
  int certain = 0;
};

// What happened in a run, as the database knows it or as its clients can be sure of it.
using Happened = std::function<bool(const RandomHistory&, const simulated::TrueAnomalies&)>;
using Says = std::function<bool(const Verdict&)>;

// The database knows more than its clients: which version of a row a query saw that did not return
// it. Of the runs in which it happened as the database knows it, 99 in 100 must be found. And where
// a verdict can say `exactly` that: it must in every run in which clients can be sure, and must not
// in any in which it did not happen.
void expect_found(const RandomRun& plan, std::uint64_t seeds, const Happened& happened,
                  const Says& is_found, const Says& exactly = nullptr,
                  const Expectation& expectation = {}) {
  Tally tally;
  std::uint64_t first_missed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RandomRun run = plan;
    run.seed = seed;
    const RandomHistory outcome = random_history(run);
    const Verdict verdict = check(outcome.history, expectation);
    const bool did = happened(outcome, outcome.anomalies);
    const bool certain = happened(outcome, outcome.seen_by_clients);
    if (exactly) {
      const bool may_have = did || outcome.anomalies.aborted_misses > 0;
      ASSERT_TRUE(may_have || !exactly(verdict)) << "seed " << seed << ": did not happen\n"
                                                 << to_tiny_text(outcome.history);
      ASSERT_TRUE(!certain || exactly(verdict)) << "seed " << seed << ": was missed\n"
                                                << to_tiny_text(outcome.history);
    }
    const bool seen = is_found(verdict);
    if (certain) ++tally.certain;
    if (did) ++tally.happened;
    if (did && seen) ++tally.found;
    if (did && !seen && first_missed == 0) first_missed = seed;
  }
  EXPECT_GE(tally.happened, static_cast<int>(seeds / 20)) << "too rare to say anything";
  // Sanitized builds try few: there one miss is no more than chance.
  EXPECT_LE(tally.happened - tally.found, std::max(1, tally.happened / 100))
      << "first missed: seed " << first_missed;
  testing::Test::RecordProperty("happened", tally.happened);
  testing::Test::RecordProperty("found", tally.found);
  std::printf("  of %d runs it happened in %d (for certain in %d), found in %d\n",
              static_cast<int>(seeds), tally.happened, tally.certain, tally.found);
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
      [](const RandomHistory&, const auto& anomalies) { return anomalies.aborted_reads > 0; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::g1a); });
}

TEST(Completeness, LostUpdatesAtReadCommitted) {
  expect_found(
      {.level = simulated::Level::read_committed}, seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return anomalies.lost_updates > 0; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::p4); });
}

TEST(Completeness, ReadSkewAtReadCommitted) {
  expect_found(
      {.level = simulated::Level::read_committed}, seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return anomalies.read_skew; },
      not_consistent_view, not_consistent_view);
}

TEST(Completeness, WriteSkewAtSnapshotIsolation) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return !anomalies.serializable(); },
      not_serializable, not_serializable);
}

TEST(Completeness, WriteSkewAtSnapshotIsolationWhereRowsFarFromAReadAreLeftOut) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return !anomalies.serializable(); },
      not_serializable, nullptr, {.predicates = {.comparisons = 0}});
}

TEST(Completeness, ItemWriteSkewAtSnapshotIsolation) {
  expect_found(
      {.level = simulated::Level::snapshot}, seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return anomalies.item_cycle; },
      [](const Verdict& verdict) { return found(verdict, AnomalyClass::g2_item); });
}

TEST(Completeness, LostWrites) {
  expect_found(
      {.level = simulated::Level::serializable_2pl, .bug = Bug::lost_write}, seeds_to_try(1000),
      [](const RandomHistory& run, const auto&) { return run.truth.bites > 0; }, has_lost_write,
      has_lost_write);
}

TEST(Completeness, DirtyReadsByABug) {
  expect_found(
      {.level = simulated::Level::serializable_2pl, .bug = Bug::dirty_read}, seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return !anomalies.serializable(); },
      not_serializable, not_serializable);
}

TEST(Completeness, StaleSnapshots) {
  expect_found(
      {.level = simulated::Level::snapshot, .bug = Bug::stale_snapshot, .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return !anomalies.snapshot_isolation(); },
      not_strict_snapshot_isolated, not_snapshot_isolated);
}

TEST(Completeness, MissedPhantomLocks) {
  expect_found(
      {.level = simulated::Level::serializable_2pl,
       .bug = Bug::missed_phantom_lock,
       .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return !anomalies.serializable(); },
      not_serializable, not_serializable);
}

TEST(Completeness, MissedPhantomLocksInSsi) {
  expect_found(
      {.level = simulated::Level::serializable_ssi,
       .bug = Bug::missed_phantom_lock,
       .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return !anomalies.serializable(); },
      not_serializable, not_serializable);
}

TEST(Completeness, ForgottenAborts) {
  expect_found(
      {.level = simulated::Level::serializable_2pl,
       .bug = Bug::forgotten_abort,
       .transactions = 150},
      seeds_to_try(1000), [](const RandomHistory& run, const auto&) { return run.truth.bites > 0; },
      [](const Verdict& verdict) { return fails(verdict, Level::read_committed); });
}

TEST(Completeness, ReorderedCommits) {
  expect_found(
      {.level = simulated::Level::snapshot, .bug = Bug::reordered_commit, .transactions = 150},
      seeds_to_try(1000),
      [](const RandomHistory&, const auto& anomalies) { return !anomalies.snapshot_isolation(); },
      not_strict_snapshot_isolated, not_snapshot_isolated);
}

}  // namespace
}  // namespace hilsa
