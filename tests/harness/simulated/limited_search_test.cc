// Searches that end early: LIMIT, and SKIP LOCKED.
#include <gtest/gtest.h>

#include "tests/harness/simulated/scene.h"

namespace hilsa::tests {
namespace {

using simulated::Level;

constexpr Level kAllLevels[] = {Level::read_uncommitted, Level::read_committed, Level::snapshot,
                                Level::serializable_2pl, Level::serializable_ssi};

// Sessions 1, 2 and 3 have begun; rows are 1 (value 10) and 2 (value 20).
struct ThreeBegun : Scene {
  explicit ThreeBegun(Level level) : Scene(level) {
    begin(1);
    begin(2);
    begin(3);
  }
};

TEST(LimitedSearch, FindsTheLowestKeysFirst) {
  for (const Level level : kAllLevels) {
    ThreeBegun scene(level);
    EXPECT_EQ(scene.first(1), "1=10") << name_of(level);
    EXPECT_EQ(scene.set(1, 1, 5), "1 row");
    EXPECT_EQ(scene.first(1), "2=20");
    EXPECT_EQ(scene.first(1, Lock::update), "2=20");
  }
}

TEST(LimitedSearch, SkipsWhatOthersHaveLockedAtEveryLevel) {
  for (const Level level : kAllLevels) {
    ThreeBegun scene(level);
    EXPECT_EQ(scene.first(1, Lock::update_skip_locked), "1=10") << name_of(level);
    EXPECT_EQ(scene.first(1, Lock::update_skip_locked), "1=10") << "its own lock is none";
    EXPECT_EQ(scene.first(2, Lock::update_skip_locked), "2=20");
    EXPECT_EQ(scene.first(3, Lock::update_skip_locked), "none");
    EXPECT_EQ(scene.set(1, 1, 0), "1 row");
    EXPECT_EQ(scene.set(2, 2, 0), "1 row");
    EXPECT_EQ(scene.commit(1), "ok");
    EXPECT_EQ(scene.commit(2), "ok");
    EXPECT_EQ(scene.commit(3), "ok");
    EXPECT_FALSE(anomalies_of(scene.truth(), scene.store()).cycle) << name_of(level);
  }
}

TEST(LimitedSearch, SkipsWhatOthersShare) {
  ThreeBegun scene(Level::read_committed);
  scene.read(1, 1, Lock::share);
  EXPECT_EQ(scene.first(2, Lock::update_skip_locked), "2=20");
}

TEST(LimitedSearch, AtReadCommittedGoesOnToTheNextRowWhenTheFirstHasChanged) {
  ThreeBegun scene(Level::read_committed);
  EXPECT_EQ(scene.first(1, Lock::update), "1=10");
  EXPECT_EQ(scene.first(2, Lock::update), "waits");
  EXPECT_EQ(scene.first(3, Lock::update), "waits");
  EXPECT_EQ(scene.set(1, 1, 0), "1 row");
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.resume(2), "2=20");
  EXPECT_EQ(scene.set(2, 2, 0), "1 row");
  EXPECT_EQ(scene.commit(2), "ok");
  EXPECT_EQ(scene.resume(3), "none");
}

TEST(LimitedSearch, OnASnapshotARowThatHasChangedIsAnError) {
  for (const Level level : {Level::snapshot, Level::serializable_ssi}) {
    ThreeBegun scene(level);
    EXPECT_EQ(scene.first(1, Lock::update), "1=10");
    EXPECT_EQ(scene.first(2, Lock::update), "waits");
    EXPECT_EQ(scene.set(1, 1, 0), "1 row");
    EXPECT_EQ(scene.commit(1), "ok");
    EXPECT_EQ(scene.resume(2), "serialization_failure") << name_of(level);
  }
}

TEST(LimitedSearch, UnderTwoPhaseLockingLocksThePlacesThatItWentThroughAndNoOthers) {
  Scene scene(Level::serializable_2pl);
  scene.begin(1);
  EXPECT_EQ(scene.first(1), "1=10");
  scene.begin(2);
  EXPECT_EQ(scene.insert(2, 3, 30), "1 row");
  EXPECT_EQ(scene.insert(2, 0, 30), "waits");
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.resume(2), "1 row");
}

TEST(LimitedSearch, WithoutALockTwoFindTheSameRow) {
  ThreeBegun scene(Level::read_committed);
  EXPECT_EQ(scene.first(1), "1=10");
  EXPECT_EQ(scene.first(2), "1=10");
  EXPECT_EQ(scene.set(1, 1, 0), "1 row");
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.set(2, 1, 0), "1 row");
  EXPECT_EQ(scene.commit(2), "ok");
  EXPECT_EQ(scene.truth().lost_updates, 1);
}

}  // namespace
}  // namespace hilsa::tests
