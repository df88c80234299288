#include "harness/history/deadlock_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hilsa {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Recorded from the servers; names changed.
constexpr std::string_view kPostgres =
    "deadlock (40P01): deadlock detected; DETAIL:  Process 2118 waits for ShareLock on transaction "
    "755; blocked by process 2119.; Process 2119 waits for ExclusiveLock on tuple (0,2) of "
    "relation "
    "16396 of database 5; blocked by process 2120.; Process 2120 waits for ShareLock on "
    "transaction "
    "754; blocked by process 2118.; HINT:  See server log for query details.; CONTEXT:  while "
    "updating tuple (0,2) in relation \"products\"";

constexpr std::string_view kMysql = R"(2026-11-30 22:20:24 139629985580736
*** (1) TRANSACTION:
TRANSACTION 1600, ACTIVE 0 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 4 lock struct(s), heap size 1128, 2 row lock(s), undo log entries 2
MySQL thread id 23, OS thread handle 139629864855232, query id 203 localhost shop updating
UPDATE products SET stock = stock - 1
WHERE id = 2 AND stock >= 1

*** (1) HOLDS THE LOCK(S):
RECORD LOCKS space id 2 page no 4 n bits 72 index PRIMARY of table `shop`.`products` trx id 1600 lock_mode X locks rec but not gap
Record lock, heap no 2 PHYSICAL RECORD: n_fields 6; compact format; info bits 0
 0: len 8; hex 8000000000000001; asc         ;;
 1: len 6; hex 000000000640; asc      @;;
 12: len 7; hex 010000008a0427; asc       ';;


*** (1) WAITING FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 2 page no 4 n bits 72 index PRIMARY of table `shop`.`products` trx id 1600 lock_mode X locks rec but not gap waiting
Record lock, heap no 3 PHYSICAL RECORD: n_fields 6; compact format; info bits 0
 0: len 8; hex 8000000000000002; asc         ;;


*** (2) TRANSACTION:
TRANSACTION 1606, ACTIVE 0 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 4 lock struct(s), heap size 1128, 2 row lock(s), undo log entries 2
MySQL thread id 16, OS thread handle 139629871195840, query id 205 localhost shop updating
UPDATE products SET stock = stock - 1 WHERE id = 1 AND stock >= 1

*** (2) HOLDS THE LOCK(S):
RECORD LOCKS space id 2 page no 4 n bits 72 index PRIMARY of table `shop`.`products` trx id 1606 lock_mode X locks rec but not gap

*** (2) WAITING FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 2 page no 4 n bits 72 index PRIMARY of table `shop`.`products` trx id 1606 lock_mode X locks rec but not gap waiting

*** WE ROLL BACK TRANSACTION (2)
)";

constexpr std::string_view kMariadb = R"(2026-11-30 22:20:33 0x7ff6d06c96c0
*** (1) TRANSACTION:
TRANSACTION 88, ACTIVE 0 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 4 lock struct(s), heap size 1128, 2 row lock(s), undo log entries 2
MariaDB thread id 15, OS thread handle 140698035459776, query id 279 localhost shop Updating
UPDATE products SET stock = stock - 1 WHERE id = ? AND stock >= 1
*** WAITING FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `shop`.`products` trx id 88 lock_mode X locks rec but not gap waiting
Record lock, heap no 3 PHYSICAL RECORD: n_fields 6; compact format; info bits 0
 0: len 8; hex 8000000000000002; asc         ;;

*** CONFLICTING WITH:
RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `shop`.`products` trx id 83 lock_mode X locks rec but not gap
Record lock, heap no 3 PHYSICAL RECORD: n_fields 6; compact format; info bits 0
 0: len 8; hex 8000000000000002; asc         ;;


*** (2) TRANSACTION:
TRANSACTION 83, ACTIVE 0 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 4 lock struct(s), heap size 1128, 2 row lock(s), undo log entries 2
MariaDB thread id 13, OS thread handle 140698036074176, query id 274 localhost shop Updating
UPDATE products SET stock = stock - 1 WHERE id = ? AND stock >= 1
*** WAITING FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `shop`.`products` trx id 83 lock_mode X locks rec but not gap waiting
Record lock, heap no 2 PHYSICAL RECORD: n_fields 6; compact format; info bits 0
 0: len 8; hex 8000000000000001; asc         ;;

*** CONFLICTING WITH:
RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `shop`.`products` trx id 88 lock_mode X locks rec but not gap

*** WE ROLL BACK TRANSACTION (1)
)";

std::string status_with(std::string_view section) {
  return "=====\n2026-11-30 INNODB MONITOR OUTPUT\n=====\n------------------------\nLATEST "
         "DETECTED "
         "DEADLOCK\n------------------------\n" +
         std::string(section) + "------------\nTRANSACTIONS\n------------\nTrx id counter 1611\n";
}

TEST(DeadlockReport, PostgresqlTellsItsVictimWhoWaitsForWhom) {
  const auto report = deadlock_in_error(kPostgres);
  ASSERT_TRUE(report);
  ASSERT_THAT(report->waits, SizeIs(3));
  EXPECT_EQ(report->waits[0].session, 2118);
  EXPECT_EQ(report->waits[0].lock, "ShareLock on transaction 755");
  EXPECT_EQ(report->waits[0].blocked_by, 2119);
  EXPECT_EQ(report->waits[1].lock, "ExclusiveLock on tuple (0,2) of relation 16396 of database 5");
  EXPECT_EQ(report->waits[2].blocked_by, 2118);
  EXPECT_THAT(report->words, HasSubstr("while updating tuple (0,2) in relation \"products\""));
}

TEST(DeadlockReport, AnErrorWithoutDetailsHasNone) {
  EXPECT_FALSE(deadlock_in_error("deadlock (40P01): deadlock detected"));
  EXPECT_FALSE(deadlock_in_error(""));
  EXPECT_FALSE(deadlock_in_error("Process waits for x"));
  EXPECT_FALSE(deadlock_in_error("Process 1 waits for a lock; blocked by process ?."));
  EXPECT_FALSE(
      deadlock_in_error("Process 99999999999999999999 waits for x; blocked by process 1."));
}

TEST(DeadlockReport, TheSectionIsCutOutOfTheStatus) {
  EXPECT_EQ(std::string(innodb_deadlock_section(status_with(kMysql))) + "\n", kMysql);
  EXPECT_THAT(innodb_deadlock_section("-----\nTRANSACTIONS\n-----\n"), IsEmpty());
  EXPECT_THAT(innodb_deadlock_section("LATEST DETECTED DEADLOCK\n"), IsEmpty());
}

TEST(DeadlockReport, MysqlsStatusIsUnderstood) {
  const auto report = innodb_deadlock(innodb_deadlock_section(status_with(kMysql)));
  ASSERT_TRUE(report);
  ASSERT_THAT(report->waits, SizeIs(2));
  EXPECT_EQ(report->waits[0].session, 23);
  EXPECT_EQ(report->waits[0].blocked_by, 16);
  EXPECT_EQ(report->waits[0].statement,
            "UPDATE products SET stock = stock - 1 WHERE id = 2 AND stock >= 1");
  EXPECT_FALSE(report->waits[0].is_victim);
  EXPECT_EQ(report->waits[1].session, 16);
  EXPECT_TRUE(report->waits[1].is_victim);
  EXPECT_THAT(report->waits[1].lock, HasSubstr("trx id 1606 lock_mode X"));
  EXPECT_THAT(report->waits[1].lock, HasSubstr("waiting"));
}

TEST(DeadlockReport, MariadbsStatusIsUnderstood) {
  const auto report = innodb_deadlock(innodb_deadlock_section(status_with(kMariadb)));
  ASSERT_TRUE(report);
  ASSERT_THAT(report->waits, SizeIs(2));
  EXPECT_EQ(report->waits[0].session, 15);
  EXPECT_TRUE(report->waits[0].is_victim);
  EXPECT_THAT(report->waits[0].lock, HasSubstr("trx id 88 lock_mode X"));
  EXPECT_EQ(report->waits[1].session, 13);
  EXPECT_EQ(report->waits[1].blocked_by, 15);
  EXPECT_EQ(report->waits[1].statement,
            "UPDATE products SET stock = stock - 1 WHERE id = ? AND stock >= 1");
  EXPECT_FALSE(report->waits[1].is_victim);
}

TEST(DeadlockReport, WordsAreOneLineWithoutWhatIsInTheRows) {
  for (const std::string_view section : {kMysql, kMariadb}) {
    const std::string words = innodb_deadlock(section)->words;
    EXPECT_THAT(words, Not(HasSubstr("\n")));
    EXPECT_THAT(words, Not(HasSubstr("hex")));
    EXPECT_THAT(words, HasSubstr("*** WE ROLL BACK TRANSACTION ("));
    EXPECT_THAT(words, HasSubstr("WAITING FOR THIS LOCK TO BE GRANTED: RECORD LOCKS"));
  }
}

TEST(DeadlockReport, OfThreeInnodbDoesNotSayWhoIsWhose) {
  const std::string third =
      "*** (3) TRANSACTION:\nTRANSACTION 9\nMySQL thread id 7, OS thread handle 1\nDELETE\n";
  const auto report = innodb_deadlock(std::string(kMysql) + third);
  ASSERT_TRUE(report);
  ASSERT_THAT(report->waits, SizeIs(3));
  EXPECT_EQ(report->waits[0].blocked_by, 0);
  EXPECT_EQ(report->waits[2].session, 7);
}

TEST(DeadlockReport, WhatIsCutShortIsNoReport) {
  const std::string whole(kMysql);
  EXPECT_FALSE(innodb_deadlock(""));
  EXPECT_FALSE(innodb_deadlock(whole.substr(0, whole.find("*** (2)"))));
  EXPECT_FALSE(innodb_deadlock(whole.substr(0, whole.find("MySQL thread id 16"))));
  for (std::size_t size = 0; size < whole.size(); size += 7) innodb_deadlock(whole.substr(0, size));
}

}  // namespace
}  // namespace hilsa
