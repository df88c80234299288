// Two sessions that want the same rows: who waits, who fails, and as what.
#include <map>
#include <thread>

#include "harness/history/deadlock_report.h"
#include "tests/harness/database/conformance.h"

namespace hilsa::tests {
namespace {

using std::chrono::milliseconds;

INSTANTIATE_TEST_SUITE_P(Mariadb, MariadbConformance, ::testing::Values("mariadb"), product_of);
INSTANTIATE_TEST_SUITE_P(Postgres, PostgresConformance, ::testing::Values("postgres"), product_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, SqliteConformance, ::testing::Values("sqlite"), product_of);

TEST_P(Conformance, TheSecondWriterWaitsForTheFirst) {
  const auto first = session();
  const auto second = session();
  must(*first, begin_at(std::nullopt));
  must(*first, "UPDATE {item} SET stock = stock - 1 WHERE id = 1");
  Pending pending = in_background(*second, "UPDATE {item} SET stock = stock - 1 WHERE id = 1");
  // SQLite does not tell who waits; its second writer may come before or after the commit.
  if (product() != Product::sqlite) wait_until_blocked();
  must(*first, commit());
  const auto waited = outcome_of(pending);
  ASSERT_TRUE(waited) << to_text(waited.error());
  EXPECT_EQ(waited->affected, 1);
  EXPECT_EQ(stock_of(1), 8);
}

// The victim's error, after one of the two has been made it; the other has committed.
//
//   first   update 1            update 2 (waits)
//   second            update 2                   update 1
Error victim_of_deadlock(Session& first, Session& second, Session*& victim,
                         const std::function<void()>& wait_until_blocked) {
  must(first, begin_at(Isolation::read_committed));
  must(second, begin_at(Isolation::read_committed));
  must(first, "UPDATE {item} SET stock = 11 WHERE id = 1");
  must(second, "UPDATE {item} SET stock = 22 WHERE id = 2");
  Pending one = in_background(first, "UPDATE {item} SET stock = 21 WHERE id = 2");
  wait_until_blocked();
  const auto two = run(second, "UPDATE {item} SET stock = 12 WHERE id = 1");
  if (!two) {
    victim = &second;
    EXPECT_TRUE(outcome_of(one));
    must(first, commit());
    return two.error();
  }
  victim = &first;
  must(second, commit());
  const auto one_ended = outcome_of(one);
  EXPECT_FALSE(one_ended);
  return one_ended ? Error() : one_ended.error();
}

TEST_P(ServerConformance, ADeadlockHasOneVictim) {
  const auto first = session();
  const auto second = session();
  Session* victim = nullptr;
  const Error error = victim_of_deadlock(*first, *second, victim, [this] { wait_until_blocked(); });
  EXPECT_EQ(error.kind, ErrorKind::deadlock);
  EXPECT_EQ(error.sqlstate, product() == Product::postgresql ? "40P01" : "40001");
  EXPECT_EQ(error.vendor_code, product() == Product::postgresql ? 0 : 1213);
  must(*victim, rollback());
  EXPECT_TRUE(run(*victim, "SELECT 1"));
  const bool first_won = victim == second.get();
  EXPECT_EQ(stock_of(1), first_won ? 11 : 12);
  EXPECT_EQ(stock_of(2), first_won ? 21 : 22);
}

TEST_P(ServerConformance, WhatTheServerSaysOfADeadlockNamesItsSessions) {
  const auto first = session();
  const auto second = session();
  Session* victim = nullptr;
  const Error error = victim_of_deadlock(*first, *second, victim, [this] { wait_until_blocked(); });
  must(*victim, rollback());
  const std::int64_t survivor = (victim == first.get() ? second : first)->server_id();

  const auto words = database().latest_deadlock(*first);
  ASSERT_TRUE(words) << to_text(words.error());
  const bool victim_is_told = product() == Product::postgresql;
  EXPECT_EQ(words->empty(), victim_is_told);
  const auto report =
      victim_is_told ? deadlock_in_error(error.server_text) : innodb_deadlock(*words);
  ASSERT_TRUE(report) << *words << error.server_text;
  ASSERT_EQ(report->waits.size(), 2U) << report->words;
  std::map<std::int64_t, std::int64_t> blocked_by;
  for (const DeadlockReport::Wait& wait : report->waits) {
    blocked_by[wait.session] = wait.blocked_by;
    EXPECT_FALSE(wait.lock.empty());
    if (victim_is_told) continue;
    EXPECT_EQ(wait.is_victim, wait.session == victim->server_id());
    EXPECT_NE(wait.statement.find("SET stock = "), std::string::npos) << wait.statement;
  }
  EXPECT_EQ(blocked_by[victim->server_id()], survivor);
  EXPECT_EQ(blocked_by[survivor], victim->server_id());
}

// InnoDB has ended the victim's transaction: a further statement would commit by itself.
TEST_P(ServerConformance, AfterADeadlockNothingMoreIsWrittenBeforeTheRollback) {
  const auto first = session();
  const auto second = session();
  Session* victim = nullptr;
  victim_of_deadlock(*first, *second, victim, [this] { wait_until_blocked(); });
  must_fail(*victim, "INSERT INTO {item} VALUES (3, 1, 'stray')");
  must_fail(*victim, commit());
  EXPECT_EQ(stock_of(1) + stock_of(2), victim == second.get() ? 32 : 34);
  EXPECT_EQ(value_of(*session(), "SELECT count(*) FROM {item}"), Value(2));
}

TEST_P(PostgresConformance, RepeatableReadRefusesToWriteARowThatChanged) {
  const auto first = session();
  const auto second = session();
  must(*first, begin_at(Isolation::repeatable_read));
  value_of(*first, "SELECT stock FROM {item} WHERE id = 1");
  must(*second, "UPDATE {item} SET stock = 9 WHERE id = 1");
  const Error error = must_fail(*first, "UPDATE {item} SET stock = 8 WHERE id = 1");
  EXPECT_EQ(error.kind, ErrorKind::serialization_failure);
  EXPECT_EQ(error.sqlstate, "40001");
  must(*first, rollback());
  EXPECT_EQ(stock_of(1), 9);
}

TEST_P(MariadbConformance, SnapshotIsolationRefusesToWriteARowThatChanged) {
  const auto first = session();
  const auto second = session();
  must(*first, "SET SESSION innodb_snapshot_isolation = ON");
  must(*first, begin_at(Isolation::repeatable_read));
  value_of(*first, "SELECT stock FROM {item} WHERE id = 1");
  must(*second, "UPDATE {item} SET stock = 9 WHERE id = 1");
  const Error error = must_fail(*first, "UPDATE {item} SET stock = 8 WHERE id = 1");
  EXPECT_EQ(error.kind, ErrorKind::serialization_failure);
  EXPECT_EQ(error.vendor_code, 1020);
  must(*first, rollback());
  EXPECT_EQ(stock_of(1), 9);
}

// InnoDB rolls back the statement only, and would commit the rest.
TEST_P(InnodbConformance, AfterALockWaitTimeoutNothingIsKept) {
  const auto holder = session();
  const auto client = session();
  must(*holder, begin_at(std::nullopt));
  must(*holder, "UPDATE {item} SET stock = 9 WHERE id = 1");
  must(*client, "SET SESSION innodb_lock_wait_timeout = 1");
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 19 WHERE id = 2");
  const Error error = must_fail(*client, "UPDATE {item} SET stock = 8 WHERE id = 1");
  EXPECT_EQ(error.kind, ErrorKind::lock_timeout);
  EXPECT_EQ(error.vendor_code, 1205);
  must_fail(*client, commit());
  must(*holder, rollback());
  EXPECT_EQ(stock_of(2), 20);
  EXPECT_TRUE(client->usable());
}

TEST_P(ServerConformance, NowaitDoesNotWait) {
  const auto holder = session();
  const auto client = session();
  must(*holder, begin_at(std::nullopt));
  must(*holder, "UPDATE {item} SET stock = 9 WHERE id = 1");
  const Error error = must_fail(*client, "SELECT stock FROM {item} WHERE id = 1 FOR UPDATE NOWAIT");
  EXPECT_EQ(error.kind, ErrorKind::lock_timeout);
  must(*holder, rollback());
}

// PostgreSQL 57014, MySQL 3024, MariaDB 1969.
TEST_P(ServerConformance, ABlockedReadEndsAtTheStatementsLimit) {
  const auto limited = open_again({.statement_timeout = milliseconds(300)});
  const auto holder = session();
  const auto client = session_of(*limited);
  must(*holder, begin_at(std::nullopt));
  must(*holder, "UPDATE {item} SET stock = 9 WHERE id = 1");
  must(*client, begin_at(std::nullopt));
  const Error error = must_fail(*client, "SELECT stock FROM {item} WHERE id = 1 FOR UPDATE");
  EXPECT_EQ(error.kind, ErrorKind::statement_timeout) << to_text(error);
  EXPECT_TRUE(client->usable());
  must(*client, rollback());
  must(*holder, rollback());
}

// MySQL has no limit for writes, only one for their lock waits.
TEST_P(ServerConformance, ABlockedWriteEndsAtTheStatementsLimit) {
  const auto limited = open_again({.statement_timeout = milliseconds(300)});
  const auto holder = session();
  const auto inside = session_of(*limited);
  const auto outside = session_of(*limited);
  must(*holder, begin_at(std::nullopt));
  must(*holder, "UPDATE {item} SET stock = 9 WHERE id = 1");
  must(*inside, begin_at(std::nullopt));
  const std::string update = "UPDATE {item} SET stock = 8 WHERE id = 1";
  const Error in_transaction = must_fail(*inside, update);
  const Error by_itself = must_fail(*outside, update);
  const auto kind =
      product() == Product::mysql ? ErrorKind::lock_timeout : ErrorKind::statement_timeout;
  EXPECT_EQ(in_transaction.kind, kind) << to_text(in_transaction);
  EXPECT_EQ(by_itself.kind, kind) << to_text(by_itself);
  must(*inside, rollback());
  must(*holder, rollback());
}

TEST_P(ServerConformance, InterruptEndsABlockedStatement) {
  const auto holder = session();
  const auto client = session();
  must(*holder, begin_at(std::nullopt));
  must(*holder, "UPDATE {item} SET stock = 9 WHERE id = 1");
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 19 WHERE id = 2");
  Pending pending = in_background(*client, "UPDATE {item} SET stock = 8 WHERE id = 1");
  wait_until_blocked();
  client->interrupt();
  const auto ended = outcome_of(pending);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::interrupted) << to_text(ended.error());
  must(*client, rollback());
  must(*holder, rollback());
  EXPECT_EQ(stock_of(2), 20);
}

TEST_P(Conformance, AfterAnInterruptOnlyRollbackWorks) {
  const auto client = session();
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 9 WHERE id = 1");
  client->interrupt();
  client->interrupt();
  EXPECT_EQ(must_fail(*client, "SELECT 1").kind, ErrorKind::interrupted);
  must_fail(*client, commit());
  must(*client, rollback());
  EXPECT_EQ(must_fail(*client, begin_at(std::nullopt)).kind, ErrorKind::interrupted);
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(SqliteConformance, InterruptEndsAWaitForTheWriteLock) {
  const auto holder = session();
  const auto client = session();
  must(*holder, begin_at(std::nullopt));
  must(*holder, "UPDATE {item} SET stock = 9 WHERE id = 1");
  Pending pending = in_background(*client, "UPDATE {item} SET stock = 8 WHERE id = 1");
  // Nobody can see it wait. It is the same if the interrupt comes first, only less of a test.
  std::this_thread::sleep_for(milliseconds(50));
  client->interrupt();
  const auto ended = outcome_of(pending);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::interrupted) << to_text(ended.error());
  must(*holder, rollback());
}

TEST_P(SqliteConformance, ASlowStatementEndsAtTheStatementsLimit) {
  const auto limited = open_database(parse_url("sqlite:"), {.statement_timeout = milliseconds(50)});
  const auto client = session_of(*limited);
  const Error error = must_fail(*client,
                                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                "SELECT count(*) FROM n");
  EXPECT_EQ(error.kind, ErrorKind::statement_timeout);
  EXPECT_TRUE(run(*client, "SELECT 1"));
}

// A read transaction that wants to write after somebody else did can never succeed: no wait.
TEST_P(SqliteConformance, AStaleReaderThatWantsToWriteIsBusyAtOnce) {
  constexpr int kBusySnapshot = 517;
  const auto first = session();
  const auto second = session();
  must(*first, begin_at(std::nullopt));
  value_of(*first, "SELECT stock FROM {item} WHERE id = 1");
  must(*second, "UPDATE {item} SET stock = 9 WHERE id = 1");
  const Error error = must_fail(*first, "UPDATE {item} SET stock = 8 WHERE id = 1");
  EXPECT_EQ(error.kind, ErrorKind::busy);
  EXPECT_EQ(error.vendor_code, kBusySnapshot);
  must(*first, rollback());
  EXPECT_EQ(stock_of(1), 9);
}

// What is a deadlock elsewhere.
TEST_P(SqliteConformance, OfTwoReadersThatWantToWriteOneIsBusy) {
  const auto first = session();
  const auto second = session();
  for (Session* const client : {first.get(), second.get()}) {
    must(*client, begin_at(std::nullopt));
    value_of(*client, "SELECT sum(stock) FROM {item}");
  }
  must(*first, "UPDATE {item} SET stock = 9 WHERE id = 1");
  EXPECT_EQ(must_fail(*second, "UPDATE {item} SET stock = 8 WHERE id = 1").kind, ErrorKind::busy);
  must(*second, rollback());
  must(*first, commit());
  EXPECT_EQ(stock_of(1), 9);
}

}  // namespace
}  // namespace hilsa::tests
