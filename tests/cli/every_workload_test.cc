// Every workload with invariants, on every product, with every strategy at every level: what is
// promised is what is measured, in both directions. A promise to be safe that breaks is a bug of
// ours or of the database; a strategy that promises nothing must be seen to break, or its
// workload does not put it to the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/on_product.h"
#include "tests/seeds.h"
#include "workloads/table/workload.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EveryWorkload : public OnProduct {
 protected:
  static Words at_every_level(Words arguments) {
    const auto database = open_for_test(GetParam());
    for (const Isolation level : levels_of(database->product())) {
      arguments.insert(arguments.end(), {"--isolation", std::string(name_of(level))});
    }
    return arguments;
  }
  static json rows_of(Words arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Finished finished = tool(arguments);
    const json report = json::parse(finished.out, nullptr, false);
    if (report.is_discarded()) ADD_FAILURE() << finished.err;
    return report.is_discarded() ? json::array() : report["rows"];
  }
  // InnoDB's read uncommitted counts uncommitted rows too, so that two must be inside one and the
  // same statement at the same moment (workloads/capacity.cc).
  static bool may_hold_by_luck(const json& row) {
    return is_mysql() && row["strategy"] == "insert-select" &&
           row["isolation"] == "read uncommitted" && row["promised"] == "unsafe";
  }
  // PostgreSQL looks for deadlocks only after a second: workloads that are about them would take
  // minutes.
  void SetUp() override {
    if (!is("postgres")) return;
    const auto database = open_for_test(GetParam());
    const auto session = database->open_session();
    ASSERT_TRUE((*session)->execute(definition_sql("ALTER SYSTEM SET deadlock_timeout = '20ms'")));
    ASSERT_TRUE((*session)->execute(definition_sql("SELECT pg_reload_conf()")));
  }
  void TearDown() override { EXPECT_EQ(left_behind(), ""); }
};

INSTANTIATE_TEST_SUITE_P(Products, EveryWorkload,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(EveryWorkload, DoesAsPromisedInTrials) {
  for (const Workload* const workload : all_workloads()) {
    if (workload->history_decides) continue;
    Words arguments = {"compare", std::string(workload->name)};
    // A call of 300 ms shows a person more than it shows a test.
    if (workload->think_in_trials.count() > 20) {
      arguments.insert(arguments.end(), {"--think", "20ms"});
    }
    // Slow as it is then, a few trials show what sanitizers are there to show.
    if (kSanitized) arguments.insert(arguments.end(), {"--trials", "2"});
    for (const json& row : rows_of(at_every_level(arguments))) {
      SCOPED_TRACE(std::string(workload->name) + " " + row.dump());
      const bool may_hold = may_hold_by_luck(row) || (kSanitized && row["promised"] == "unsafe");
      if (!may_hold) {
        EXPECT_EQ(row["measured"], row["promised"]);
      }
      EXPECT_EQ(row["errors"].value("other", 0), 0);
      EXPECT_FALSE(row.value("breaks_promised_level", false));
    }
  }
}

TEST_P(EveryWorkload, KeepsWhatItPromisesWhenItGoesOn) {
  for (const Workload* const workload : all_workloads()) {
    if (workload->history_decides) continue;
    for (const json& row :
         rows_of({"compare", std::string(workload->name), "--tasks", "300", "--think", "1ms"})) {
      SCOPED_TRACE(std::string(workload->name) + " " + row.dump());
      if (row["promised"] == "safe") {
        EXPECT_NE(row["measured"], "unsafe");
      }
      EXPECT_EQ(row["errors"].value("other", 0), 0);
      EXPECT_FALSE(row.value("breaks_promised_level", false));
      EXPECT_GT(row["outcomes"]["done"], 0);
    }
  }
}

// The one that names rows by strategy and level.
json row_of(const json& rows, const std::string& strategy, const std::string& isolation) {
  for (const json& row : rows) {
    if (row["strategy"] == strategy && row["isolation"] == isolation) return row;
  }
  ADD_FAILURE() << "no row " << strategy << " at " << isolation;
  return {};
}

TEST_P(EveryWorkload, TheSameWithdrawalIsLostOnMySqlAndRefusedByPostgresql) {
  if (is("sqlite")) GTEST_SKIP() << "SQLite has no repeatable read";
  const json row = rows_of({"compare", "wallet", "--strategy", "read-then-write", "--isolation",
                            "repeatable-read"})
                       .at(0);
  SCOPED_TRACE(row.dump());
  if (is("postgres")) {
    EXPECT_EQ(row["measured"], "safe");
    EXPECT_GT(row["errors"]["serialization_failure"], 0);
    EXPECT_FALSE(row["anomalies"].contains("P4"));
  } else {
    EXPECT_EQ(row["measured"], "unsafe");
    EXPECT_GT(row["anomalies"]["P4"], 0);
    EXPECT_GT(row["violations"]["balance"], 0);
  }
}

TEST_P(EveryWorkload, TwoDoctorsWhoLeaveAtOnceAreAWriteSkew) {
  const json rows = rows_of(at_every_level(
      {"compare", "doctors", "--strategy", "count-then-leave", "--strategy", "own-row-version"}));
  for (const char* const strategy : {"count-then-leave", "own-row-version"}) {
    const json at_serializable = row_of(rows, strategy, "serializable");
    EXPECT_THAT(at_serializable["anomalies"], IsEmpty());
    if (is("sqlite")) continue;
    for (const char* const level : {"read committed", "repeatable read"}) {
      EXPECT_GT(row_of(rows, strategy, level)["anomalies"].value("G2-item", 0), 0) << level;
    }
  }
  if (is("sqlite")) return;
  const Finished told =
      tool({"run", "doctors", "--strategy", "count-then-leave", "--isolation", "repeatable-read"});
  EXPECT_THAT(told.out, HasSubstr("write skew"));
}

TEST_P(EveryWorkload, ACallInsideTheTransactionEmptiesThePool) {
  const json rows = rows_of({"compare", "gateway", "--buyers", "20", "--products", "2", "--pool",
                             "5", "--think", "300ms", "--pool-wait", "700ms", "--trials", "1"});
  const json& inside = rows.at(0);
  const json& after = rows.at(1);
  EXPECT_GT(inside["errors"]["pool_timeout"], 0);
  EXPECT_LT(inside["outcomes"]["done"], 20);
  EXPECT_EQ(after["outcomes"]["done"], 20);
  EXPECT_THAT(after["errors"], IsEmpty());
  EXPECT_THAT(inside["remark"], HasSubstr("by calculation"));
}

TEST_P(EveryWorkload, ADirtyReadShowsMoneyThatNeverMoved) {
  if (!is_mysql()) GTEST_SKIP() << "only MySQL and MariaDB have read uncommitted";
  const json row = rows_of({"compare", "report", "--strategy", "dirty"}).at(0);
  EXPECT_EQ(row["isolation"], "read uncommitted");
  EXPECT_GT(row["anomalies"]["G1a"], 0) << row;
}

}  // namespace
}  // namespace hilsa::tests
