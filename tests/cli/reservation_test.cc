// Payment and expiry at the same moment, end to end, on every real server.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;

class Reservation : public OnProduct {
 protected:
  static json row_of(Words arguments) {
    arguments.insert(arguments.begin(), {"run", "reservation", "--format", "json"});
    const Finished finished = tool(arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return json::parse(finished.out)["rows"][0];
  }
};

INSTANTIATE_TEST_SUITE_P(Products, Reservation,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(Reservation, Of200OrdersTheConditionalUpdateLeavesNoneBothOrNeitherAndTheStockExact) {
  const json row = row_of({"--strategy", "conditional", "--trials", "20", "--orders", "10",
                           "--clients", "20", "--max-attempts", "50"});
  SCOPED_TRACE(row.dump(1));
  EXPECT_EQ(row["trials"], 20);
  EXPECT_EQ(row["trials_violated"], 0);
  EXPECT_EQ(row["measures"]["both_max"], 0);
  EXPECT_EQ(row["measures"]["neither_max"], 0);
  EXPECT_EQ(row["measures"]["stock_off_max"], 0);
  // Of each order one event has its way, and the other one is told so: none is left pending.
  EXPECT_EQ(row["outcomes"]["done"], 200);
  EXPECT_EQ(row["outcomes"]["refused"], 200);
}

TEST_P(Reservation, ReadThenWriteTellsBothAndGivesPiecesBackTwice) {
  const json row = row_of({"--strategy", "read-then-write"});
  SCOPED_TRACE(row.dump(1));
  if (is("sqlite")) {  // its transactions are serializable
    EXPECT_EQ(row["trials_violated"], 0);
    return;
  }
  EXPECT_GT(row["violations"]["both"], 0);
  EXPECT_GT(row["violations"]["stock"], 0);
  EXPECT_GT(row["anomalies"]["P4"], 0);
}

TEST_P(Reservation, OrdersThatArePlacedAgainStayExact) {
  const json row = row_of({"--strategy", "conditional", "--tasks", "400", "--trials", "2"});
  SCOPED_TRACE(row.dump(1));
  EXPECT_EQ(row["trials_violated"], 0);
  EXPECT_GT(row["outcomes"]["done"], 100);
}

}  // namespace
}  // namespace hilsa::tests
