// Every bug does what it says, often enough to be found, and nothing without company.
#include <gtest/gtest.h>

#include <string>

#include "tests/harness/simulated/random_history.h"
#include "tests/harness/simulated/scene.h"

namespace hilsa::tests {
namespace {

using simulated::Bug;
using simulated::Level;

constexpr std::uint64_t kSeeds = seeds_to_try(200);

struct Found {
  int bitten = 0;
  int aborted_reads = 0;
  int lost_updates = 0;
  int not_snapshot = 0;
  int cycles = 0;
};

// In how many of kSeeds runs.
Found found(Level level, Bug bug) {
  Found found;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomHistory run =
        random_history({.level = level, .bug = bug, .seed = seed, .transactions = 100});
    if (run.truth.bites > 0) ++found.bitten;
    if (run.anomalies.aborted_reads > 0) ++found.aborted_reads;
    if (run.anomalies.lost_updates > 0) ++found.lost_updates;
    if (run.anomalies.not_snapshot) ++found.not_snapshot;
    if (run.anomalies.cycle) ++found.cycles;
  }
  return found;
}

constexpr int kMost = kSeeds * 8 / 10;
constexpr int kMany = kSeeds / 5;

TEST(Bugs, LostWriteBites) {
  EXPECT_GT(found(Level::serializable_ssi, Bug::lost_write).bitten, kMost);
}

TEST(Bugs, DirtyReadShowsWhatIsRolledBack) {
  for (const Level level :
       {Level::read_committed, Level::serializable_2pl, Level::serializable_ssi}) {
    const Found runs = found(level, Bug::dirty_read);
    EXPECT_GT(runs.bitten, kMost) << name_of(level);
    EXPECT_GT(runs.aborted_reads, kMany) << name_of(level);
  }
}

TEST(Bugs, StaleSnapshotLosesUpdatesAndSkewsReads) {
  const Found runs = found(Level::snapshot, Bug::stale_snapshot);
  EXPECT_GT(runs.bitten, kMost);
  EXPECT_GT(runs.not_snapshot, kMany);
  EXPECT_GT(runs.lost_updates, 0);
}

TEST(Bugs, MissedPhantomLockLetsCyclesOfPredicatesThrough) {
  for (const Level level : {Level::serializable_2pl, Level::serializable_ssi}) {
    const Found runs = found(level, Bug::missed_phantom_lock);
    EXPECT_GT(runs.bitten, kMost) << name_of(level);
    EXPECT_GT(runs.cycles, kMany) << name_of(level);
    EXPECT_EQ(runs.aborted_reads, 0) << name_of(level);
  }
}

TEST(Bugs, ForgottenAbortShowsWhatWasRolledBack) {
  const Found runs = found(Level::serializable_ssi, Bug::forgotten_abort);
  EXPECT_GT(runs.bitten, kMany);
  EXPECT_GT(runs.aborted_reads, kMany);
}

TEST(Bugs, ReorderedCommitForksTheHistory) {
  const Found runs = found(Level::snapshot, Bug::reordered_commit);
  EXPECT_GT(runs.bitten, kMost);
  EXPECT_GT(runs.not_snapshot, kMany);
  EXPECT_EQ(runs.lost_updates, 0) << "who overwrites what he cannot see is refused";
}

TEST(Bugs, NoneBitesWhenTheDatabaseHasNone) {
  EXPECT_EQ(found(Level::serializable_2pl, Bug::none).bitten, 0);
}

TEST(Bugs, WhoeverIsAloneIsServedRight) {
  for (int bug = 1; bug < static_cast<int>(simulated::kBugCount); ++bug) {
    Scene scene(Level::serializable_ssi, static_cast<Bug>(bug));
    for (int i = 1; i <= 50; ++i) {
      scene.begin(1);
      EXPECT_EQ(scene.set(1, 1, i), "1 row");
      EXPECT_EQ(scene.commit(1), "ok");
      EXPECT_EQ(scene.read(2, 1), std::to_string(i));
      scene.begin(1);
      scene.set(1, 1, 1000);
      scene.rollback(1);
    }
    EXPECT_EQ(scene.truth().bites, 0);
  }
}

TEST(Names, OfLevelsAndBugsAreFoundAgain) {
  for (const std::string& name : simulated::level_names()) {
    EXPECT_EQ(name_of(*simulated::level_named(name)), name);
  }
  for (const std::string& name : simulated::bug_names()) {
    EXPECT_EQ(name_of(*simulated::bug_named(name)), name);
  }
  EXPECT_EQ(simulated::level_named("serializable"), std::nullopt);
  EXPECT_EQ(simulated::bug_named("lost write"), std::nullopt);
}

}  // namespace
}  // namespace hilsa::tests
