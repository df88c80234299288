// What the checker says of real databases: each keeps what it promises at each level, and where a
// level lets an anomaly through, it is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CheckedProducts : public OnProduct {
 protected:
  static json rows_of(Words arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Finished finished = tool(arguments);
    const json report = json::parse(finished.out, nullptr, false);
    if (report.is_discarded()) ADD_FAILURE() << finished.err;
    return report.is_discarded() ? json::array() : report["rows"];
  }
  static Words at_every_level(Words arguments) {
    const auto database = open_for_test(GetParam());
    for (const Isolation level : levels_of(database->product())) {
      arguments.insert(arguments.end(), {"--isolation", std::string(name_of(level))});
    }
    return arguments;
  }
  // Anomalies that need no order besides the data.
  static std::vector<std::string> of_data(const json& row) {
    std::vector<std::string> classes;
    for (const auto& [name, count] : row["anomalies"].items()) {
      const bool needs_order = name.ends_with("-session") || name.ends_with("-realtime");
      if (!needs_order) classes.push_back(name);
    }
    return classes;
  }
};

INSTANTIATE_TEST_SUITE_P(Products, CheckedProducts,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(CheckedProducts, RandomTransactionsKeepWhatTheDatabasePromises) {
  for (const json& row : rows_of(at_every_level(
           {"compare", "rows", "--strategy", "transaction", "--trials", "3", "--think", "2ms"}))) {
    SCOPED_TRACE(row.dump(1));
    EXPECT_EQ(row["measured"], "safe");
    EXPECT_EQ(row["breaks_promised_level"], false);
    if (row["isolation"] != "serializable") continue;
    EXPECT_THAT(of_data(row), IsEmpty());
    EXPECT_THAT(row["levels"], Contains(HasSubstr("serializable")));
  }
}

TEST_P(CheckedProducts, WithoutTransactionsNothingIsKept) {
  const json row = rows_of({"compare", "rows", "--strategy", "autocommit", "--trials", "3"}).at(0);
  EXPECT_EQ(row["measured"], "unsafe") << row;
  EXPECT_THAT(row["levels"], Not(Contains(HasSubstr("serializable"))));
}

TEST_P(CheckedProducts, LostUpdatesAreFoundWhereTheLevelLetsThemThrough) {
  for (const json& row : rows_of(at_every_level(
           {"compare", "oversell", "--strategy", "read-then-write", "--trials", "5"}))) {
    SCOPED_TRACE(row.dump(1));
    if (row["promised"] == "safe") {
      EXPECT_THAT(of_data(row), IsEmpty());
    } else {
      EXPECT_GT(row["anomalies"].value("P4", 0), 0);
    }
    EXPECT_EQ(row["breaks_promised_level"], false);
  }
}

TEST_P(CheckedProducts, SnapshotsLoseNoUpdateButLetWriteSkewThrough) {
  if (!is("postgres")) GTEST_SKIP() << "only PostgreSQL's repeatable read is snapshot isolation";
  const json row = rows_of({"compare", "rows", "--strategy", "transaction", "--isolation",
                            "repeatable-read", "--trials", "10"})
                       .at(0);
  SCOPED_TRACE(row.dump(1));
  EXPECT_FALSE(row["anomalies"].contains("P4"));
  EXPECT_FALSE(row["anomalies"].contains("G-single"));
  EXPECT_THAT(of_data(row), Contains(AnyOf("G2-item", "G2")));
  EXPECT_THAT(row["levels"], Contains(HasSubstr("snapshot isolation")));
}

}  // namespace
}  // namespace hilsa::tests
