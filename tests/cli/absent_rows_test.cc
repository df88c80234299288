// Rows that are not there yet: what only the workloads about them must show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class AbsentRows : public OnProduct {
 protected:
  static json row_of(const Words& arguments) {
    Words words = arguments;
    words.insert(words.end(), {"--format", "json"});
    const Finished finished = tool(words);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return json::parse(finished.out)["rows"][0];
  }
};
INSTANTIATE_TEST_SUITE_P(Products, AbsentRows,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });
class AbsentRowsOnServer : public AbsentRows {};
INSTANTIATE_TEST_SUITE_P(Servers, AbsentRowsOnServer,
                         ::testing::Values("postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(AbsentRowsOnServer, ADoubleBookingIsExplainedAsAPhantom) {
  for (const char* const level : {"read-committed", "repeatable-read"}) {
    const Finished finished =
        tool({"run", "seats", "--strategy", "select-then-insert", "--isolation", level});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("phantom (G2): a query missed what would have changed"));
    EXPECT_THAT(finished.out, HasSubstr("(predicate rw)"));
  }
}

TEST_P(AbsentRowsOnServer, ForUpdateLocksWhatIsNotThereOnInnodbOnly) {
  const json row =
      row_of({"run", "seats", "--strategy", "for-update", "--isolation", "repeatable-read"});
  EXPECT_EQ(row["measured"], is("postgres") ? "unsafe" : "safe") << row.dump(1);
  if (is("postgres")) {
    EXPECT_GT(row["anomalies"]["G2"], 0);
  } else {
    EXPECT_GT(row["errors"]["deadlock"], 0);
  }
}

TEST_P(AbsentRowsOnServer, OneStatementThatCountsAndInsertsOversellsAtReadCommitted) {
  const json row =
      row_of({"run", "capacity", "--strategy", "insert-select", "--isolation", "read-committed"});
  EXPECT_EQ(row["measured"], "unsafe") << row.dump(1);
  EXPECT_GT(row["anomalies"]["G2"], 0);
  EXPECT_GT(row["measures"]["tickets_max"], 3);
}

TEST_P(AbsentRows, NoLevelHelpsWhoIgnoresARowCount) {
  const Finished finished =
      tool({"run", "capacity", "--strategy", "unchecked-guard", "--isolation", "serializable"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("so no isolation level helps"));
}

TEST_P(AbsentRows, EveryClientOfOneKeyIsToldTheSameOrder) {
  const json row = row_of({"run", "idempotency", "--strategy", "unique-key", "--clients", "20",
                           "--max-attempts", "1000"});
  EXPECT_EQ(row["measured"], "safe") << row.dump(1);
  EXPECT_EQ(row["outcomes"]["done"], 200);
  EXPECT_EQ(row["measures"]["orders_max"], 1);
}

TEST_P(AbsentRows, AHeldSeatIsSoldOnceHoweverManyClockReadersMeetOnIt) {
  const json row = row_of({"run", "holds", "--strategy", "hold-conditional", "--clients", "16",
                           "--clock-skew", "60000", "--max-attempts", "1000"});
  EXPECT_EQ(row["measured"], "safe") << row.dump(1);
  EXPECT_EQ(row["outcomes"]["done"], 10);
  EXPECT_EQ(row["outcomes"]["refused"], 150);
}

}  // namespace
}  // namespace hilsa::tests
