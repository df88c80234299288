// UNIQUE columns, and the insert that counts first, step by step.
#include <gtest/gtest.h>

#include "tests/harness/simulated/scene.h"

namespace hilsa::tests {
namespace {

using simulated::Level;

constexpr Level kLevels[] = {Level::read_uncommitted, Level::read_committed, Level::snapshot,
                             Level::serializable_2pl, Level::serializable_ssi};

class AtEveryLevel : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    scene_.begin(1);
    scene_.begin(2);
  }
  Scene scene_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Levels, AtEveryLevel, ::testing::ValuesIn(kLevels));

TEST_P(AtEveryLevel, AUniqueValueWaitsForWhoHasInsertedItAndIsThenRefused) {
  EXPECT_EQ(scene_.insert_once(1, 1, 7), "1 row");
  EXPECT_EQ(scene_.insert_once(2, 2, 7), "waits");
  scene_.commit(1);
  EXPECT_EQ(scene_.resume(2), "unique_violation");
}

TEST_P(AtEveryLevel, AUniqueValueIsFreeAgainWhenItsInsertIsRolledBack) {
  scene_.insert_once(1, 1, 7);
  EXPECT_EQ(scene_.insert_once(2, 2, 7), "waits");
  scene_.rollback(1);
  EXPECT_EQ(scene_.resume(2), "1 row");
  EXPECT_EQ(scene_.commit(2), "ok");
}

TEST_P(AtEveryLevel, OtherValuesDoNotWait) {
  scene_.insert_once(1, 1, 7);
  EXPECT_EQ(scene_.insert_once(2, 2, 8), "1 row");
  EXPECT_EQ(scene_.commit(2), "ok");
}

TEST_P(AtEveryLevel, AValueThatIsBeingGivenUpIsNotFreeBeforeThatHasCommitted) {
  scene_.insert_once(1, 1, 7);
  scene_.commit(1);
  scene_.begin(3);
  scene_.begin(4);
  EXPECT_EQ(scene_.erase_once(3, 1), "1 row");
  EXPECT_EQ(scene_.insert_once(4, 2, 7), "waits");
  scene_.commit(3);
  EXPECT_EQ(scene_.resume(4), "1 row");
  scene_.commit(4);
  scene_.begin(5);
  EXPECT_EQ(scene_.insert_once(5, 3, 7), "unique_violation");
}

TEST_P(AtEveryLevel, AnUpdateToATakenValueIsRefusedAndToItsOwnIsNot) {
  scene_.insert_once(1, 1, 7);
  scene_.insert_once(1, 2, 8);
  EXPECT_EQ(scene_.set_once(1, 1, 7), "1 row");
  EXPECT_EQ(scene_.set_once(1, 2, 9), "1 row");
  EXPECT_EQ(scene_.set_once(1, 1, 8), "1 row") << "which the row before has given up";
  EXPECT_EQ(scene_.set_once(1, 2, 8), "unique_violation");
  scene_.rollback(1);
  EXPECT_EQ(scene_.insert_once(2, 3, 8), "1 row") << "all of it was rolled back";
}

TEST_P(AtEveryLevel, TwoWhoWantEachOthersValueAreADeadlock) {
  scene_.insert_once(1, 1, 7);
  scene_.insert_once(2, 2, 8);
  EXPECT_EQ(scene_.insert_once(1, 3, 8), "waits");
  EXPECT_EQ(scene_.insert_once(2, 4, 7), "deadlock");
}

TEST_P(AtEveryLevel, AnInsertThatCountsTellsWhatItCountedWhetherOrNotItInserts) {
  EXPECT_EQ(scene_.insert_if_fewer(1, 3, 10, 3), "1 row, 1 counted");
  EXPECT_EQ(scene_.insert_if_fewer(1, 4, 10, 3), "1 row, 2 counted");
  EXPECT_EQ(scene_.insert_if_fewer(1, 5, 10, 3), "0 rows, 3 counted");
  EXPECT_EQ(scene_.insert_if_fewer(1, 6, 99, 1), "1 row, 0 counted");
  EXPECT_EQ(scene_.insert_if_fewer(1, 7, 99, 0), "0 rows, 1 counted");
  EXPECT_EQ(scene_.insert_if_fewer(1, 3, 50, 1), "unique_violation") << "by its key";
}

TEST_P(AtEveryLevel, TwoInsertsThatCountAtOnce) {
  EXPECT_EQ(scene_.insert_if_fewer(1, 3, 99, 1), "1 row, 0 counted");
  const Came second = scene_.insert_if_fewer(2, 4, 99, 1);
  switch (GetParam()) {
    case Level::read_uncommitted:
      EXPECT_EQ(second, "0 rows, 1 counted");
      break;
    case Level::read_committed:
    case Level::snapshot:
      EXPECT_EQ(second, "1 row, 0 counted");
      EXPECT_EQ(scene_.commit(1), "ok");
      EXPECT_EQ(scene_.commit(2), "ok");
      EXPECT_TRUE(anomalies_of(scene_.truth(), scene_.store()).cycle);
      break;
    case Level::serializable_2pl:
      EXPECT_EQ(second, "waits");
      EXPECT_EQ(scene_.commit(1), "ok");
      EXPECT_EQ(scene_.resume(2), "0 rows, 1 counted");
      break;
    case Level::serializable_ssi:
      EXPECT_EQ(second, "1 row, 0 counted");
      EXPECT_EQ(scene_.commit(1), "ok");
      EXPECT_EQ(scene_.commit(2), "serialization_failure");
      break;
  }
}

}  // namespace
}  // namespace hilsa::tests
