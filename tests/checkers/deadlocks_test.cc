// Small histories of waits: time runs to the right, in ms; `[` a statement is sent, `]` answered.
#include "checkers/deadlocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/history/history_builder.h"

namespace hilsa {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Nanoseconds kMs = 1'000'000;
constexpr const char* kUpdate = "UPDATE {rows} SET a = a - 1 WHERE id = ?";
constexpr const char* kSelect = "SELECT a FROM {rows} WHERE id = ?";
constexpr const char* kSelectForUpdate = "SELECT a FROM {rows} WHERE id = ? FOR UPDATE";

class Waits {
 public:
  Waits() { builder_.table("rows", "id", std::vector<std::string>{"id", "a"}); }

  struct Step {
    std::int64_t key;
    int begin;
    int end;
    Op op = Op::write;
    const char* sql = kUpdate;
  };
  struct Failed {
    std::int64_t key;  // 0: not known
    int begin;
    int end;
    ErrorKind kind = ErrorKind::deadlock;
    const char* sql = kUpdate;
  };
  // In the order of their ends. The id is also the client, and 100 + id the session.
  void committed(AttemptId id, int begin, int end, const std::vector<Step>& steps) {
    add(id, begin, end, steps, {});
  }
  void failed(AttemptId id, int begin, int end, const std::vector<Step>& steps,
              const Failed& failed) {
    Failure failure{.kind = failed.kind,
                    .statement = builder_.statement(failed.sql),
                    .begin = failed.begin * kMs,
                    .end = failed.end * kMs};
    if (failed.key != 0) failure.object = row(failed.key);
    add(id, begin, end, steps, failure);
  }
  HistoryBuilder& builder() { return builder_; }
  bool one_transaction = true;

 private:
  ObjectIndex row(std::int64_t key) { return builder_.object(0, Scalar::small_integer(key)); }
  void add(AttemptId id, int begin, int end, const std::vector<Step>& steps,
           const std::optional<Failure>& failure) {
    const auto outcome = failure ? AttemptOutcome::aborted : AttemptOutcome::committed;
    builder_.begin_txn({.id = id,
                        .client = static_cast<std::int32_t>(id),
                        .flags = {outcome, one_transaction},
                        .begin = begin * kMs,
                        .end = end * kMs,
                        .session = 100 + id,
                        .failure = failure});
    for (const Step& step : steps) {
      builder_.add(step.op, row(step.key), 1,
                   {.statement = builder_.statement(step.sql),
                    .begin = step.begin * kMs,
                    .end = step.end * kMs});
    }
    builder_.end_txn();
  }
  HistoryBuilder builder_;
};

std::vector<AttemptId> circle_in(const History& history, const Deadlock& deadlock) {
  std::vector<AttemptId> ids;
  for (const DeadlockMember& member : deadlock.circle) ids.push_back(history.txn_id[member.txn]);
  return ids;
}

// T1  [a]  [b...............] deadlock
// T2  [b]   [a..............]  [ ]
void two_in_a_circle(Waits& waits) {
  waits.failed(1, 1, 1010, {{.key = 1, .begin = 1, .end = 2}}, {.key = 2, .begin = 5, .end = 1008});
  waits.committed(2, 1, 1030,
                  {{.key = 2, .begin = 1, .end = 2}, {.key = 1, .begin = 6, .end = 1009}});
}

TEST(Deadlocks, TheVictimAndTheSurvivorAreFoundWithTheirWaits) {
  Waits waits;
  two_in_a_circle(waits);
  const History history = waits.builder().finish();
  const Deadlocks deadlocks = find_deadlocks(history);
  ASSERT_THAT(deadlocks.found, SizeIs(1));
  EXPECT_THAT(circle_in(history, deadlocks.found[0]), ElementsAre(1, 2));
  const DeadlockMember& victim = deadlocks.found[0].circle[0];
  EXPECT_EQ(history.object_name(victim.row), "rows/2");
  EXPECT_EQ(history.txn_of(victim.lock), 1U);
  EXPECT_EQ(victim.waited(), 1003 * kMs);
  const DeadlockMember& survivor = deadlocks.found[0].circle[1];
  EXPECT_EQ(history.object_name(survivor.row), "rows/1");
  EXPECT_EQ(survivor.waited(), 1003 * kMs);
  EXPECT_EQ(deadlocks.victims_waited.max(), 1003 * kMs);
  EXPECT_EQ(deadlocks.survivors_waited.count(), 1U);
}

TEST(Deadlocks, WhatTheSurvivorDidAfterItsWaitIsNotTakenForIt) {
  // The victim's client hears of its end when the survivor is two statements further.
  Waits waits;
  waits.committed(2, 1, 12,
                  {{.key = 2, .begin = 1, .end = 2},
                   {.key = 1, .begin = 4, .end = 8},
                   {.key = 7, .begin = 9, .end = 10}});
  waits.failed(1, 1, 20, {{.key = 1, .begin = 1, .end = 2}}, {.key = 2, .begin = 5, .end = 19});
  const History history = waits.builder().finish();
  const Deadlocks deadlocks = find_deadlocks(history);
  EXPECT_THAT(circle_in(history, deadlocks.found.at(0)), ElementsAre(1, 2));
  EXPECT_EQ(deadlocks.survivors_waited.max(), 4 * kMs);
}

TEST(Deadlocks, WhoOnlyQueuesForARowOfTheVictimIsNoSurvivor) {
  Waits waits;
  two_in_a_circle(waits);
  waits.committed(3, 1, 1040, {{.key = 1, .begin = 1, .end = 1035}});
  waits.committed(4, 1, 1050,
                  {{.key = 9, .begin = 1, .end = 2}, {.key = 1, .begin = 3, .end = 1041}});
  const History history = waits.builder().finish();
  const Deadlocks deadlocks = find_deadlocks(history);
  ASSERT_THAT(deadlocks.found, SizeIs(1));
  EXPECT_THAT(circle_in(history, deadlocks.found[0]), ElementsAre(1, 2));
  EXPECT_EQ(deadlocks.survivors_waited.count(), 1U);
}

TEST(Deadlocks, ThreeInACircleAreToldInItsOrder) {
  Waits waits;
  waits.failed(1, 1, 20, {{.key = 1, .begin = 1, .end = 2}}, {.key = 2, .begin = 5, .end = 19});
  waits.committed(3, 1, 25, {{.key = 3, .begin = 1, .end = 2}, {.key = 1, .begin = 4, .end = 20}});
  waits.committed(2, 1, 30, {{.key = 2, .begin = 1, .end = 2}, {.key = 3, .begin = 4, .end = 26}});
  const History history = waits.builder().finish();
  const Deadlocks deadlocks = find_deadlocks(history);
  ASSERT_THAT(deadlocks.found, SizeIs(1));
  EXPECT_THAT(circle_in(history, deadlocks.found[0]), ElementsAre(1, 2, 3));
  EXPECT_EQ(deadlocks.survivors_waited.count(), 2U);
}

TEST(Deadlocks, OfTwoThatHadTheRowTheFirstIsTheOne) {
  // T3 had row 2 only when T2 was done with it, which was after the victim's end; the victim's
  // client was slow to hear of that.
  Waits waits;
  waits.committed(2, 1, 14, {{.key = 2, .begin = 1, .end = 2}, {.key = 1, .begin = 4, .end = 11}});
  waits.failed(1, 1, 20, {{.key = 1, .begin = 1, .end = 2}}, {.key = 2, .begin = 5, .end = 19});
  waits.committed(3, 1, 25,
                  {{.key = 2, .begin = 3, .end = 15}, {.key = 1, .begin = 16, .end = 22}});
  const History history = waits.builder().finish();
  EXPECT_THAT(circle_in(history, find_deadlocks(history).found.at(0)), ElementsAre(1, 2));
}

TEST(Deadlocks, ReadsForUpdateLockAndPlainOnesDoNot) {
  for (const bool locking : {true, false}) {
    const char* const sql = locking ? kSelectForUpdate : kSelect;
    Waits waits;
    waits.failed(1, 1, 20, {{.key = 1, .begin = 1, .end = 2, .op = Op::read, .sql = sql}},
                 {.key = 2, .begin = 5, .end = 19, .sql = kSelectForUpdate});
    waits.committed(2, 1, 30,
                    {{.key = 2, .begin = 1, .end = 2, .op = Op::read, .sql = sql},
                     {.key = 1, .begin = 4, .end = 20, .op = Op::read, .sql = kSelectForUpdate}});
    const History history = waits.builder().finish();
    EXPECT_EQ(find_deadlocks(history).found.at(0).is_whole(), locking);
  }
}

TEST(Deadlocks, InnodbsPlainReadsLockAtSerializable) {
  for (const char* const isolation : {"serializable", "repeatable read"}) {
    Waits waits;
    waits.builder().header().product = "mysql";
    waits.builder().header().isolation = isolation;
    const Waits::Step read = {.key = 1, .begin = 1, .end = 2, .op = Op::read, .sql = kSelect};
    waits.failed(1, 1, 20, {read}, {.key = 1, .begin = 5, .end = 6});
    waits.committed(2, 1, 30, {read, {.key = 1, .begin = 4, .end = 7}});
    const History history = waits.builder().finish();
    const Deadlocks deadlocks = find_deadlocks(history);
    EXPECT_EQ(deadlocks.found.at(0).is_whole(), std::string(isolation) == "serializable");
  }
}

TEST(Deadlocks, WhereTheRowIsNotKnownOnlyTheVictimIs) {
  Waits waits;
  waits.failed(1, 1, 20, {{.key = 1, .begin = 1, .end = 2}}, {.key = 0, .begin = 5, .end = 19});
  waits.committed(2, 1, 30, {{.key = 2, .begin = 1, .end = 2}, {.key = 1, .begin = 4, .end = 20}});
  const History history = waits.builder().finish();
  const Deadlocks deadlocks = find_deadlocks(history);
  EXPECT_THAT(circle_in(history, deadlocks.found.at(0)), ElementsAre(1));
  EXPECT_EQ(deadlocks.victims_waited.count(), 1U);
  EXPECT_EQ(deadlocks.survivors_waited.count(), 0U);
}

TEST(Deadlocks, StatementsOutsideTransactionsHoldNothing) {
  Waits waits;
  waits.one_transaction = false;
  two_in_a_circle(waits);
  EXPECT_FALSE(find_deadlocks(waits.builder().finish()).found.at(0).is_whole());
}

TEST(Deadlocks, OtherErrorsAreNone) {
  Waits waits;
  waits.failed(1, 1, 20, {{.key = 1, .begin = 1, .end = 2}},
               {.key = 2, .begin = 5, .end = 19, .kind = ErrorKind::serialization_failure});
  EXPECT_THAT(find_deadlocks(waits.builder().finish()).found, IsEmpty());
  EXPECT_THAT(find_deadlocks(History()).found, IsEmpty());
}

TEST(Deadlocks, AStatementThatSurvivesTwoCountsOnce) {
  Waits waits;
  waits.failed(1, 1, 10, {{.key = 1, .begin = 1, .end = 2}}, {.key = 2, .begin = 5, .end = 9});
  waits.failed(3, 1, 20, {{.key = 1, .begin = 1, .end = 10}}, {.key = 2, .begin = 12, .end = 19});
  waits.committed(2, 1, 30, {{.key = 2, .begin = 1, .end = 2}, {.key = 1, .begin = 4, .end = 20}});
  const History history = waits.builder().finish();
  const Deadlocks deadlocks = find_deadlocks(history);
  ASSERT_THAT(deadlocks.found, SizeIs(2));
  EXPECT_THAT(circle_in(history, deadlocks.found[1]), ElementsAre(3, 2));
  EXPECT_EQ(deadlocks.survivors_waited.count(), 1U);
}

TEST(Deadlocks, TheServersCircleIsMatchedBySession) {
  Waits waits;
  two_in_a_circle(waits);
  waits.committed(3, 1, 1040, {{.key = 1, .begin = 1, .end = 1035}});
  const History history = waits.builder().finish();
  DeadlockReport report;
  report.waits = {{.session = 101, .blocked_by = 103},
                  {.session = 103, .blocked_by = 102},
                  {.session = 102, .blocked_by = 101}};
  EXPECT_THAT(circle_in(history, deadlock_told(history, 0, report)), ElementsAre(1, 3, 2));
  report.waits[2].session = 107;  // nobody of ours
  EXPECT_THAT(circle_in(history, deadlock_told(history, 0, report)), ElementsAre(1, 2));
  EXPECT_THAT(circle_in(history, deadlock_told(history, 0, {})), ElementsAre(1, 2));
  report.waits = {{.session = 101, .blocked_by = 102}, {.session = 102, .blocked_by = 101}};
  EXPECT_NE(deadlock_told(history, 0, report).circle.at(1).lock, kNone);
}

}  // namespace
}  // namespace hilsa
