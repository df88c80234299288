#include <gtest/gtest.h>

#include <set>

#include "checkers/levels.h"
#include "checkers/verdict.h"

namespace hilsa {
namespace {

TEST(AnomalyNames, AreSpeltAsInTheDesign) {
  EXPECT_EQ(class_name(AnomalyClass::g0, Needs::data), "G0");
  EXPECT_EQ(class_name(AnomalyClass::g1a, Needs::data), "G1a");
  EXPECT_EQ(class_name(AnomalyClass::otv, Needs::data), "OTV");
  EXPECT_EQ(class_name(AnomalyClass::fractured_read, Needs::data), "fractured-read");
  EXPECT_EQ(class_name(AnomalyClass::g_single, Needs::session), "G-single-session");
  EXPECT_EQ(class_name(AnomalyClass::g2_item, Needs::realtime), "G2-item-realtime");
  EXPECT_EQ(class_name(AnomalyClass::dirty_update, Needs::data), "dirty-update");
}

TEST(AnomalyNames, NoTwoAreAlike) {
  std::set<std::string> spellings;
  std::set<std::string> commons;
  for (std::size_t i = 0; i < kAnomalyClassCount; ++i) {
    for (const Needs needs : {Needs::data, Needs::session, Needs::realtime}) {
      spellings.insert(class_name(static_cast<AnomalyClass>(i), needs));
      commons.insert(common_name(static_cast<AnomalyClass>(i), needs));
    }
  }
  EXPECT_EQ(spellings.size(), 3 * kAnomalyClassCount);
  EXPECT_EQ(commons.size(), 3 * kAnomalyClassCount);
}

TEST(AnomalyNames, StaleReadsAreCalledThat) {
  EXPECT_EQ(common_name(AnomalyClass::g_single, Needs::data), "read skew");
  EXPECT_EQ(common_name(AnomalyClass::g_single, Needs::realtime), "stale read");
}

TEST(Levels, AreFoundByTheirOwnNames) {
  for (const LevelForm& level : all_levels()) EXPECT_EQ(level_named(name_of(level)), level);
  EXPECT_EQ(all_levels().size(), 22U);
}

TEST(Levels, AreFoundByTheirShortNames) {
  const LevelForm si{Level::snapshot_isolation, Needs::data};
  EXPECT_EQ(level_named("SI"), si);
  EXPECT_EQ(level_named("snapshot-isolation"), si);
  EXPECT_EQ(level_named(" Snapshot_Isolation "), si);
  EXPECT_EQ(level_named("PL-2+"), (LevelForm{Level::consistent_view, Needs::data}));
  EXPECT_EQ(level_named("PL-2.99"), (LevelForm{Level::repeatable_read, Needs::data}));
  EXPECT_EQ(level_named("PL-1"), (LevelForm{Level::read_uncommitted, Needs::data}));
  EXPECT_EQ(level_named("PL-2"), (LevelForm{Level::read_committed, Needs::data}));
  EXPECT_EQ(level_named("serializability"), (LevelForm{Level::serializable, Needs::data}));
  EXPECT_EQ(level_named("strict-serializable"), (LevelForm{Level::serializable, Needs::realtime}));
  EXPECT_EQ(level_named("linearizable"), (LevelForm{Level::serializable, Needs::realtime}));
  EXPECT_EQ(level_named("strong-session SI"),
            (LevelForm{Level::snapshot_isolation, Needs::session}));
  EXPECT_EQ(level_named("strong snapshot isolation"),
            (LevelForm{Level::snapshot_isolation, Needs::realtime}));
}

TEST(Levels, UnknownOnesAreNotGuessed) {
  for (const char* const name : {"", "serial", "strict", "strict read uncommitted", "SSI"}) {
    EXPECT_FALSE(level_named(name).has_value()) << name;
  }
}

bool plain_implies(Level stronger, Level weaker) {
  return implies({stronger, Needs::data}, {weaker, Needs::data});
}

TEST(Levels, RepeatableReadIsComparableWithNoneOfItsNeighbours) {
  for (const Level other : {Level::monotonic_atomic_view, Level::read_atomic,
                            Level::consistent_view, Level::snapshot_isolation}) {
    EXPECT_FALSE(plain_implies(Level::repeatable_read, other));
    EXPECT_FALSE(plain_implies(other, Level::repeatable_read));
  }
  EXPECT_TRUE(plain_implies(Level::repeatable_read, Level::read_committed));
  EXPECT_TRUE(plain_implies(Level::serializable, Level::repeatable_read));
}

TEST(Levels, TheChainOfSnapshotsHolds) {
  const std::vector<Level> chain = {Level::read_uncommitted,      Level::read_committed,
                                    Level::monotonic_atomic_view, Level::read_atomic,
                                    Level::consistent_view,       Level::snapshot_isolation,
                                    Level::serializable};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    for (std::size_t j = 0; j < chain.size(); ++j) {
      EXPECT_EQ(plain_implies(chain[i], chain[j]), j <= i);
    }
  }
}

TEST(Levels, AFormImpliesTheWeakerForms) {
  const LevelForm strict{Level::snapshot_isolation, Needs::realtime};
  EXPECT_TRUE(implies(strict, {Level::snapshot_isolation, Needs::session}));
  EXPECT_TRUE(implies(strict, {Level::read_committed, Needs::data}));
  EXPECT_TRUE(implies(strict, {Level::read_uncommitted, Needs::data}));
  EXPECT_FALSE(implies({Level::serializable, Needs::data}, strict));
  EXPECT_FALSE(implies(strict, {Level::serializable, Needs::data}));
}

TEST(Levels, ImplicationIsAnOrder) {
  for (const LevelForm& a : all_levels()) {
    EXPECT_TRUE(implies(a, a));
    for (const LevelForm& b : all_levels()) {
      EXPECT_TRUE(a == b || !implies(a, b) || !implies(b, a));
      for (const LevelForm& c : all_levels()) {
        EXPECT_TRUE(!implies(a, b) || !implies(b, c) || implies(a, c));
      }
    }
  }
}

}  // namespace
}  // namespace hilsa
