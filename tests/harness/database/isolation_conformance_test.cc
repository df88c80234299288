// Isolation levels are asked for per transaction, take effect, and are gone afterwards.
#include "tests/harness/database/conformance.h"

namespace hilsa::tests {
namespace {

INSTANTIATE_TEST_SUITE_P(Servers, ServerConformance,
                         ::testing::Values("postgres", "mariadb", "mysql"), product_of);
INSTANTIATE_TEST_SUITE_P(Innodb, InnodbConformance, ::testing::Values("mariadb", "mysql"),
                         product_of);

TEST_P(Conformance, EveryLevelOfTheProductCanBegin) {
  const auto client = session();
  for (const Isolation level : levels_of(product())) {
    must(*client, begin_at(level));
    must(*client, "UPDATE {item} SET stock = stock + 1 WHERE id = 1");
    must(*client, commit());
  }
  EXPECT_EQ(stock_of(1), 10 + static_cast<std::int64_t>(levels_of(product()).size()));
}

TEST_P(ServerConformance, TheLevelAskedForIsInEffect) {
  const auto client = session();
  for (const Isolation level : levels_of(product())) {
    must(*client, begin_at(level));
    EXPECT_EQ(level_in_effect(*client), name_of(level));
    must(*client, rollback());
  }
}

TEST_P(ServerConformance, ALevelDoesNotLeakIntoTheNextTransaction) {
  const auto client = session();
  const Isolation usual = database().traits().default_isolation;
  for (const Isolation level : {Isolation::serializable, Isolation::read_committed}) {
    must(*client, begin_at(level));
    must(*client, commit());
    must(*client, begin_at(std::nullopt));
    EXPECT_EQ(level_in_effect(*client), name_of(usual)) << "after " << name_of(level);
    must(*client, rollback());
  }
}

// Connector/C++ sets every new session to REPEATABLE READ.
TEST_P(InnodbConformance, WithoutALevelTheServersDefaultIsInEffect) {
  const auto client = session();
  must(*client, "SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED");
  {
    const auto fresh = open_again({});
    EXPECT_EQ(fresh->traits().default_isolation, Isolation::read_committed);
    const auto other = session_of(*fresh);
    must(*other, begin_at(std::nullopt));
    EXPECT_EQ(level_in_effect(*other), "read committed");
    must(*other, rollback());
  }
  must(*client, "SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ");
}

TEST_P(InnodbConformance, OnlyReadUncommittedReadsDirty) {
  const auto writer = session();
  const auto reader = session();
  must(*writer, begin_at(std::nullopt));
  must(*writer, "UPDATE {item} SET stock = 99 WHERE id = 1");
  const auto stock_at = [&](Isolation level) {
    must(*reader, begin_at(level));
    Value stock = value_of(*reader, "SELECT stock FROM {item} WHERE id = 1");
    must(*reader, commit());
    return stock;
  };
  EXPECT_EQ(stock_at(Isolation::read_uncommitted), Value(99));
  EXPECT_EQ(stock_at(Isolation::read_committed), Value(10));
  EXPECT_EQ(stock_at(Isolation::repeatable_read), Value(10));
  must(*writer, rollback());
}

TEST_P(ServerConformance, RepeatableReadRepeatsAndReadCommittedDoesNot) {
  const auto writer = session();
  const auto reader = session();
  const auto second_read = [&](Isolation level) {
    must(*reader, begin_at(level));
    value_of(*reader, "SELECT stock FROM {item} WHERE id = 1");
    must(*writer, "UPDATE {item} SET stock = stock + 1 WHERE id = 1");
    Value stock = value_of(*reader, "SELECT stock FROM {item} WHERE id = 1");
    must(*reader, commit());
    return stock;
  };
  EXPECT_EQ(second_read(Isolation::read_committed), Value(11));
  EXPECT_EQ(second_read(Isolation::repeatable_read), Value(11));
}

// The first statement takes the snapshot: schedules that rely on the order of BEGINs are wrong.
TEST_P(ServerConformance, BeginTakesNoSnapshot) {
  const auto writer = session();
  const auto reader = session();
  must(*reader, begin_at(Isolation::repeatable_read));
  must(*writer, "UPDATE {item} SET stock = 11 WHERE id = 1");
  EXPECT_EQ(value_of(*reader, "SELECT stock FROM {item} WHERE id = 1"), Value(11));
  must(*reader, rollback());
}

// One transaction sees both: its plain reads are of its snapshot, its locking reads of now.
TEST_P(InnodbConformance, ALockingReadAtRepeatableReadIsNotOfTheSnapshot) {
  const auto writer = session();
  const auto reader = session();
  must(*reader, begin_at(Isolation::repeatable_read));
  EXPECT_EQ(value_of(*reader, "SELECT stock FROM {item} WHERE id = 1"), Value(10));
  must(*writer, "UPDATE {item} SET stock = 11 WHERE id = 1");
  EXPECT_EQ(value_of(*reader, "SELECT stock FROM {item} WHERE id = 1 FOR UPDATE"), Value(11));
  EXPECT_EQ(value_of(*reader, "SELECT stock FROM {item} WHERE id = 1"), Value(10));
  must(*reader, rollback());
}

TEST_P(Conformance, SerializablePreventsWriteSkew) {
  const auto first = session();
  const auto second = session();
  const std::string sum = "SELECT sum(stock) FROM {item}";
  must(*first, begin_at(Isolation::serializable));
  must(*second, begin_at(Isolation::serializable));
  value_of(*first, sum);
  value_of(*second, sum);
  // InnoDB: the first waits for the second's read lock, until that wants to write as well. The
  // others answer at once.
  Pending one = in_background(*first, "UPDATE {item} SET stock = 0 WHERE id = 1");
  if (product() == Product::mysql || product() == Product::mariadb) wait_until_blocked();
  const auto two = run(*second, "UPDATE {item} SET stock = 0 WHERE id = 2");
  const auto second_ended = second->execute(two ? commit() : rollback());
  const auto one_ended = outcome_of(one);
  const auto first_ended = first->execute(one_ended ? commit() : rollback());
  const bool both = one_ended && two && first_ended && second_ended;
  EXPECT_FALSE(both);
}

}  // namespace
}  // namespace hilsa::tests
