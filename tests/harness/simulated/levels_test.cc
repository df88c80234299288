// What each level prevents and what it lets through, step by step.
#include <gtest/gtest.h>

#include "tests/harness/simulated/scene.h"

namespace hilsa::tests {
namespace {

using simulated::Level;

constexpr Level kReadUncommitted = Level::read_uncommitted;
constexpr Level kReadCommitted = Level::read_committed;
constexpr Level kSnapshot = Level::snapshot;
constexpr Level k2pl = Level::serializable_2pl;
constexpr Level kSsi = Level::serializable_ssi;

// Sessions 1 and 2 have begun.
struct TwoBegun : Scene {
  explicit TwoBegun(Level level) : Scene(level) {
    begin(1);
    begin(2);
  }
};

// --- G0 ---
TEST(Levels, NoLevelLetsTwoTransactionsWriteOneRowAtATime) {
  for (const Level level : {kReadUncommitted, kReadCommitted, kSnapshot, k2pl, kSsi}) {
    TwoBegun scene(level);
    EXPECT_EQ(scene.set(1, 1, 11), "1 row");
    EXPECT_EQ(scene.set(2, 1, 12), "waits");
    EXPECT_EQ(scene.commit(1), "ok");
    const bool first_wins = level == kSnapshot || level == kSsi;
    EXPECT_EQ(scene.resume(2), first_wins ? "serialization_failure" : "1 row") << name_of(level);
  }
}

// --- G1a, G1b ---
TEST(ReadUncommitted, SeesWhatIsRolledBackLater) {
  TwoBegun scene(kReadUncommitted);
  scene.set(1, 1, 101);
  EXPECT_EQ(scene.read(2, 1), "101");
  scene.rollback(1);
  EXPECT_EQ(scene.read(2, 1), "10");
  scene.commit(2);
  EXPECT_EQ(anomalies_of(scene.truth(), scene.store()).aborted_reads, 1);
}

TEST(ReadCommitted, SeesOnlyWhatIsCommitted) {
  TwoBegun scene(kReadCommitted);
  scene.set(1, 1, 101);
  EXPECT_EQ(scene.read(2, 1), "10");
  scene.set(1, 1, 102);
  scene.commit(1);
  EXPECT_EQ(scene.read(2, 1), "102") << "a non-repeatable read is allowed here";
}

// --- updates that waited ---
TEST(ReadCommitted, AnUpdateThatWaitedLooksAtTheRowAgain) {
  TwoBegun scene(kReadCommitted);
  scene.set(1, 1, 11);
  EXPECT_EQ(scene.add(2, 1, 5), "waits");
  scene.commit(1);
  EXPECT_EQ(scene.resume(2), "1 row");
  EXPECT_EQ(scene.read(2, 1), "16");
}

TEST(ReadCommitted, ARowThatMatchesNoMoreIsLeftAlone) {
  TwoBegun scene(kReadCommitted);
  scene.set(1, 1, 11);
  EXPECT_EQ(scene.move(2, 10, 0), "waits");
  scene.commit(1);
  EXPECT_EQ(scene.resume(2), "0 rows");
}

// Hermitage's PMP for write predicates: PostgreSQL's read committed does the same.
TEST(ReadCommitted, ARowThatCameToMatchMeanwhileIsNotFound) {
  TwoBegun scene(kReadCommitted);
  scene.add(1, 1, 10);  // 20
  EXPECT_EQ(scene.move(2, 20, 0), "1 row");
  scene.commit(1);
  scene.commit(2);
  EXPECT_EQ(scene.read_all(3), "1=20 2=0");
}

TEST(ReadCommitted, LosesUpdates) {
  TwoBegun scene(kReadCommitted);
  scene.read(1, 1);
  scene.read(2, 1);
  scene.set(1, 1, 11);
  scene.commit(1);
  EXPECT_EQ(scene.set(2, 1, 11), "1 row");
  EXPECT_EQ(scene.commit(2), "ok");
  EXPECT_EQ(scene.truth().lost_updates, 1);
  EXPECT_EQ(anomalies_of(scene.truth(), scene.store()).lost_updates, 1);
}

TEST(Levels, FromSnapshotOnUpdatesAreNotLost) {
  for (const Level level : {kSnapshot, kSsi}) {
    TwoBegun scene(level);
    scene.read(1, 1);
    scene.read(2, 1);
    scene.set(1, 1, 11);
    scene.commit(1);
    EXPECT_EQ(scene.set(2, 1, 11), "serialization_failure");
  }
  TwoBegun scene(k2pl);
  scene.read(1, 1);
  scene.read(2, 1);
  EXPECT_EQ(scene.set(1, 1, 11), "waits");
  EXPECT_EQ(scene.set(2, 1, 11), "deadlock");
  EXPECT_EQ(scene.resume(1), "1 row");
}

// --- read skew ---
TEST(ReadCommitted, SkewsReads) {
  TwoBegun scene(kReadCommitted);
  EXPECT_EQ(scene.read(1, 1), "10");
  scene.set(2, 1, 12);
  scene.set(2, 2, 18);
  scene.commit(2);
  EXPECT_EQ(scene.read(1, 2), "18");
  scene.commit(1);
  EXPECT_TRUE(anomalies_of(scene.truth(), scene.store()).read_skew);
}

TEST(Snapshot, ReadsAllFromOneMoment) {
  for (const Level level : {kSnapshot, kSsi}) {
    TwoBegun scene(level);
    EXPECT_EQ(scene.read(1, 1), "10");
    scene.set(2, 1, 12);
    scene.set(2, 2, 18);
    scene.insert(2, 3, 30);
    scene.commit(2);
    EXPECT_EQ(scene.read(1, 2), "20");
    EXPECT_EQ(scene.read_all(1), "1=10 2=20");
  }
}

TEST(Snapshot, IsOfTheFirstStatementNotOfBegin) {
  TwoBegun scene(kSnapshot);
  scene.set(2, 1, 12);
  scene.commit(2);
  EXPECT_EQ(scene.read(1, 1), "12");
}

TEST(Snapshot, SeesItsOwnWrites) {
  TwoBegun scene(kSnapshot);
  scene.set(1, 1, 11);
  scene.insert(1, 3, 30);
  scene.erase(1, 2);
  EXPECT_EQ(scene.read_all(1), "1=11 3=30");
  EXPECT_EQ(scene.read_all(2), "1=10 2=20");
}

// --- write skew ---
TEST(Snapshot, SkewsWrites) {
  TwoBegun scene(kSnapshot);
  scene.read_all(1);
  scene.read_all(2);
  scene.set(1, 1, 11);
  scene.set(2, 2, 21);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.commit(2), "ok");
  const auto anomalies = anomalies_of(scene.truth(), scene.store());
  EXPECT_TRUE(anomalies.item_cycle);
  EXPECT_FALSE(anomalies.not_snapshot);
}

TEST(SerializableSsi, RefusesWriteSkew) {
  TwoBegun scene(kSsi);
  scene.read_all(1);
  scene.read_all(2);
  scene.set(1, 1, 11);
  scene.set(2, 2, 21);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.commit(2), "serialization_failure");
  EXPECT_EQ(scene.read_all(3), "1=11 2=20");
}

TEST(Serializable2pl, EndsWriteSkewByDeadlock) {
  TwoBegun scene(k2pl);
  scene.read_all(1);
  scene.read_all(2);
  EXPECT_EQ(scene.set(1, 1, 11), "waits");
  EXPECT_EQ(scene.set(2, 2, 21), "deadlock");
  EXPECT_EQ(scene.resume(1), "1 row");
  EXPECT_EQ(scene.commit(1), "ok");
}

// --- phantoms ---
TEST(Snapshot, LetsPhantomsSkewWrites) {
  TwoBegun scene(kSnapshot);
  EXPECT_EQ(scene.read_value(1, 30), "none");
  EXPECT_EQ(scene.read_value(2, 30), "none");
  scene.insert(1, 3, 30);
  scene.insert(2, 4, 30);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.commit(2), "ok");
  const auto anomalies = anomalies_of(scene.truth(), scene.store());
  EXPECT_FALSE(anomalies.item_cycle);
  EXPECT_TRUE(anomalies.cycle);
}

TEST(SerializableSsi, WatchesPredicates) {
  TwoBegun scene(kSsi);
  scene.read_value(1, 30);
  scene.read_value(2, 30);
  scene.insert(1, 3, 30);
  scene.insert(2, 4, 30);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.commit(2), "serialization_failure");
}

TEST(SerializableSsi, APredicateThatNoWriteTouchesIsNoConflict) {
  TwoBegun scene(kSsi);
  scene.read_value(1, 30);
  scene.read_value(2, 31);
  scene.insert(1, 3, 32);
  scene.insert(2, 4, 33);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.commit(2), "ok");
}

TEST(Serializable2pl, LocksPredicates) {
  TwoBegun scene(k2pl);
  EXPECT_EQ(scene.read_value(1, 30), "none");
  EXPECT_EQ(scene.insert(2, 4, 31), "1 row") << "outside of it";
  EXPECT_EQ(scene.insert(2, 3, 30), "waits") << "a row that enters it";
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.resume(2), "1 row");
}

TEST(Serializable2pl, AReaderWaitsForWhatItWouldSee) {
  TwoBegun scene(k2pl);
  scene.set(1, 1, 30);
  EXPECT_EQ(scene.read_value(2, 20), "2=20") << "neither the old nor the new row is in it";
  EXPECT_EQ(scene.read_value(2, 10), "waits") << "the row may come back";
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.resume(2), "none");
}

TEST(Serializable2pl, AWaitingWriterIsNotOvertakenByReaders) {
  TwoBegun scene(k2pl);
  scene.begin(3);
  scene.read(1, 1);
  EXPECT_EQ(scene.set(2, 1, 11), "waits");
  EXPECT_EQ(scene.read(3, 1), "waits");
  scene.commit(1);
  EXPECT_EQ(scene.resume(2), "1 row");
  EXPECT_EQ(scene.resume(3), "waits");
  scene.commit(2);
  EXPECT_EQ(scene.resume(3), "11");
}

// Fekete, O'Neil, O'Neil: A read-only transaction anomaly under snapshot isolation (2004).
Came read_only_anomaly(Scene& scene) {
  scene.begin(1);
  scene.begin(2);
  scene.begin(3);
  scene.read_all(2);  // sees 10 and 20, and will write 1
  scene.read(1, 2);
  scene.set(1, 2, 40);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.read_all(3), "1=10 2=40");  // after 1, before 2
  EXPECT_EQ(scene.commit(3), "ok");
  const Came wrote = scene.set(2, 1, 0);
  return wrote == "1 row" ? scene.commit(2) : wrote;
}

TEST(Snapshot, HasTheReadOnlyTransactionAnomaly) {
  Scene scene(kSnapshot);
  EXPECT_EQ(read_only_anomaly(scene), "ok");
  EXPECT_TRUE(anomalies_of(scene.truth(), scene.store()).cycle);
}

TEST(SerializableSsi, RefusesTheReadOnlyTransactionAnomaly) {
  Scene scene(kSsi);
  EXPECT_EQ(read_only_anomaly(scene), "serialization_failure");
}

TEST(SerializableSsi, AReaderWithAnEarlierSnapshotIsNoAnomaly) {
  Scene scene(kSsi);
  scene.begin(1);
  scene.begin(2);
  scene.begin(3);
  scene.read(3, 1);  // takes its snapshot before 1 commits
  scene.read_all(2);
  scene.set(1, 2, 40);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.read_all(3), "1=10 2=20");
  EXPECT_EQ(scene.commit(3), "ok");
  EXPECT_EQ(scene.set(2, 1, 0), "1 row");
  EXPECT_EQ(scene.commit(2), "ok");
}

// --- locks ---
TEST(Locks, ForUpdateExcludesForUpdate) {
  TwoBegun scene(kReadCommitted);
  EXPECT_EQ(scene.read(1, 1, Lock::update), "10");
  EXPECT_EQ(scene.read(2, 1), "10") << "a plain read takes no lock";
  EXPECT_EQ(scene.read(2, 1, Lock::update), "waits");
  scene.set(1, 1, 11);
  scene.commit(1);
  EXPECT_EQ(scene.resume(2), "11") << "it sees what it waited for";
}

TEST(Locks, SharedLocksAreSharedAndBlockWriters) {
  TwoBegun scene(kReadCommitted);
  scene.begin(3);
  EXPECT_EQ(scene.read(1, 1, Lock::share), "10");
  EXPECT_EQ(scene.read(2, 1, Lock::share), "10");
  EXPECT_EQ(scene.set(3, 1, 11), "waits");
  EXPECT_EQ(scene.read(4, 1, Lock::share), "waits") << "nobody overtakes the writer";
  scene.commit(1);
  EXPECT_EQ(scene.resume(3), "waits");
  scene.commit(2);
  EXPECT_EQ(scene.resume(4), "waits");
  EXPECT_EQ(scene.resume(3), "1 row");
  scene.commit(3);
  EXPECT_EQ(scene.resume(4), "11");
}

TEST(Locks, AreGrantedFirstComeFirstServed) {
  TwoBegun scene(kReadCommitted);
  scene.begin(3);
  scene.set(1, 1, 11);
  EXPECT_EQ(scene.set(2, 1, 12), "waits");
  EXPECT_EQ(scene.set(3, 1, 13), "waits");
  scene.commit(1);
  EXPECT_EQ(scene.resume(3), "waits");
  EXPECT_EQ(scene.resume(2), "1 row");
  scene.rollback(2);
  EXPECT_EQ(scene.resume(3), "1 row");
}

TEST(Locks, WhoClosesTheCircleIsTheVictim) {
  TwoBegun scene(kReadCommitted);
  scene.begin(3);
  scene.begin(4);
  scene.insert(4, 3, 30);
  scene.commit(4);
  scene.set(1, 1, 0);
  scene.set(2, 2, 0);
  scene.set(3, 3, 0);
  EXPECT_EQ(scene.set(1, 2, 0), "waits");
  EXPECT_EQ(scene.set(2, 3, 0), "waits");
  EXPECT_EQ(scene.set(3, 1, 0), "deadlock");
  EXPECT_EQ(scene.resume(2), "1 row") << "the victim's locks are free at once";
  EXPECT_EQ(scene.truth().deadlocks, 1);
}

TEST(Locks, TwoWhoShareALockAndBothWantToWriteAreADeadlock) {
  TwoBegun scene(kReadCommitted);
  scene.read(1, 1, Lock::share);
  scene.read(2, 1, Lock::share);
  EXPECT_EQ(scene.set(1, 1, 0), "waits");
  EXPECT_EQ(scene.set(2, 1, 0), "deadlock");
  EXPECT_EQ(scene.resume(1), "1 row");
}

TEST(Locks, ANameIsHeldToTheTransactionsEnd) {
  TwoBegun scene(kReadCommitted);
  EXPECT_EQ(scene.lock(1, 7), "ok");
  EXPECT_EQ(scene.lock(1, 7), "ok");
  EXPECT_EQ(scene.lock(2, 8), "ok");
  EXPECT_EQ(scene.lock(2, 7), "waits");
  scene.rollback(1);
  EXPECT_EQ(scene.resume(2), "ok");
}

// --- errors ---
TEST(Errors, AfterOneATransactionCanOnlyBeRolledBack) {
  TwoBegun scene(kReadCommitted);
  scene.set(1, 2, 0);
  EXPECT_EQ(scene.insert(1, 1, 0), "unique_violation");
  EXPECT_EQ(scene.read(1, 1), "other");
  EXPECT_EQ(scene.commit(1), "other") << "never reported as a success";
  EXPECT_EQ(scene.read(1, 2), "20");
  EXPECT_EQ(scene.rollback(1), "ok") << "also when nothing is open";
}

TEST(Errors, AnInsertWaitsForAnotherOfItsKey) {
  TwoBegun scene(kReadCommitted);
  scene.insert(1, 3, 30);
  EXPECT_EQ(scene.insert(2, 3, 31), "waits");
  scene.commit(1);
  EXPECT_EQ(scene.resume(2), "unique_violation");
  scene.begin(3);
  scene.insert(3, 4, 40);
  EXPECT_EQ(scene.insert(4, 4, 41), "waits");
  scene.rollback(3);
  EXPECT_EQ(scene.resume(4), "1 row");
}

TEST(Errors, ACheckHoldsForEveryRowWritten) {
  Scene scene(kReadCommitted);
  EXPECT_EQ(scene.add(1, 1, -10), "1 row");
  EXPECT_EQ(scene.add(1, 1, -1), "check_violation");
  EXPECT_EQ(scene.insert(1, 3, -1), "check_violation");
  EXPECT_EQ(scene.read_all(1), "1=0 2=20");
}

TEST(Errors, AStatementWithoutATransactionIsOne) {
  Scene scene(kSsi);
  EXPECT_EQ(scene.set(1, 1, 11), "1 row");
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.read(2, 1), "11");
  EXPECT_EQ(scene.erase(2, 1), "1 row");
  EXPECT_EQ(scene.read(1, 1), "none");
  EXPECT_EQ(scene.set(1, 1, 12), "0 rows");
}

TEST(Levels, ATransactionMayAskForAnother) {
  Scene scene(kReadCommitted);
  scene.begin(1, Isolation::serializable);
  scene.begin(2, Isolation::serializable);
  scene.read_all(1);
  scene.read_all(2);
  scene.set(1, 1, 11);
  scene.set(2, 2, 21);
  EXPECT_EQ(scene.commit(1), "ok");
  EXPECT_EQ(scene.commit(2), "serialization_failure");
}

}  // namespace
}  // namespace hilsa::tests
