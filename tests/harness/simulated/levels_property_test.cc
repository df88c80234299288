// Every level keeps what it promises, and no more, over many random runs: judged by the database's
// own log.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/harness/simulated/random_history.h"

namespace hilsa::tests {
namespace {

using simulated::Bug;
using simulated::Level;

constexpr std::uint64_t kSeeds = seeds_to_try(1000);

bool kept(Level level, const simulated::TrueAnomalies& a) {
  switch (level) {
    case Level::read_uncommitted:
      return !a.dirty_write;
    case Level::read_committed:
      return a.read_committed();
    case Level::snapshot:
      return a.snapshot_isolation() && a.lost_updates == 0;
    default:
      return a.serializable() && a.lost_updates == 0;
  }
}

class EveryLevel : public ::testing::TestWithParam<Level> {};
INSTANTIATE_TEST_SUITE_P(Levels, EveryLevel,
                         ::testing::Values(Level::read_uncommitted, Level::read_committed,
                                           Level::snapshot, Level::serializable_2pl,
                                           Level::serializable_ssi),
                         [](const auto& test) {
                           std::string name(name_of(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// What a level does not prevent must also happen, or the test above shows nothing.
TEST(Levels, LetThroughWhatTheNextOnePrevents) {
  int dirty = 0;
  int lost_updates = 0;
  int write_skews = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    if (!random_history({.level = Level::read_uncommitted, .seed = seed})
             .anomalies.read_committed())
      ++dirty;
    if (random_history({.level = Level::read_committed, .seed = seed}).anomalies.lost_updates > 0)
      ++lost_updates;
    if (random_history({.level = Level::snapshot, .seed = seed}).anomalies.cycle) ++write_skews;
  }
  constexpr int kSome = kSeeds / 20;
  EXPECT_GT(dirty, kSome);
  EXPECT_GT(lost_updates, kSome);
  EXPECT_GT(write_skews, kSome);
}

TEST_P(EveryLevel, KeepsItsPromiseInEveryRun) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomHistory run = random_history({.level = GetParam(), .seed = seed});
    ASSERT_TRUE(kept(GetParam(), run.anomalies)) << "seed " << seed;
    ASSERT_GT(run.truth.commits, 10) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hilsa::tests
