// What MySQL and MariaDB return through Connector/C++, beyond whole numbers and texts.
#include "tests/harness/database/conformance.h"

namespace hilsa::tests {
namespace {

TEST_P(InnodbConformance, WholeNumbersOfAllTypesAreNumbers) {
  const auto client = session();
  const Result result =
      must(*client,
           "SELECT CAST(7 AS UNSIGNED), CAST(-7 AS DECIMAL(20, 0)), 7 = 7, "
           "18446744073709551615, CAST(7.5 AS DECIMAL(10, 1)), YEAR('2024-02-29')");
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0], (std::vector<Value>{7, -7, 1, "18446744073709551615", "7.5", 2024}));
}

// Prepared, the library cannot fetch MySQL's JSON.
TEST_P(InnodbConformance, JsonIsText) {
  const auto client = session();
  must(*client, definition_sql("CREATE TABLE {document} (body JSON)"));
  must(*client, "INSERT INTO {document} VALUES (?)", {"{\"a\": 1}"});
  EXPECT_EQ(value_of(*client, "SELECT body FROM {document}"), Value("{\"a\": 1}"));
}

TEST_P(InnodbConformance, WhatCannotBePreparedRunsAsText) {
  const auto client = session();
  must(*client, "XA START 'a'");
  must(*client, "UPDATE {item} SET stock = 9 WHERE id = 1");
  must(*client, "XA END 'a'");
  must(*client, "XA ROLLBACK 'a'");
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(InnodbConformance, CallGivesTheFirstResultAndLeavesNoneBehind) {
  const auto client = session();
  must(*client, definition_sql("CREATE PROCEDURE {twice}() BEGIN SELECT 1; SELECT 2; END"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(value_of(*client, "CALL {twice}()"), Value(1));
    EXPECT_EQ(value_of(*client, "SELECT 3"), Value(3));
  }
}

TEST_P(MariadbConformance, ReturningCountsItsRows) {
  const Statement insert({.kind = StatementKind::insert},
                         Rendering{{"INSERT INTO {item} (id, stock) VALUES (3, 1), (4, 1) "
                                    "RETURNING id",
                                    {}}});
  const auto client = session();
  const auto result = client->execute(insert);
  ASSERT_TRUE(result) << to_text(result.error());
  EXPECT_EQ(result->affected, 2);
  ASSERT_EQ(result->rows.size(), 2U);
  EXPECT_EQ(result->rows[1], std::vector<Value>{4});
}

TEST_P(InnodbConformance, AnErrorInTheMiddleOfAResultIsAnErrorAndLeavesNothingBehind) {
  const auto client = session();
  const Error error = must_fail(*client, "SELECT (SELECT id FROM {item})");
  EXPECT_EQ(error.vendor_code, 1242);
  EXPECT_EQ(value_of(*client, "SELECT 3"), Value(3));
}

TEST_P(InnodbConformance, SessionVariablesAreKeptBetweenStatements) {
  const auto client = session();
  must(*client, "UPDATE {item} SET stock = (@h1 := stock + 1) WHERE id = 1");
  EXPECT_EQ(value_of(*client, "SELECT CAST(@h1 AS SIGNED)"), Value(11));
  EXPECT_EQ(value_of(*client, "SELECT CAST(@h2 AS SIGNED)"), Value());
}

// They would commit the transaction without being asked.
TEST_P(InnodbConformance, BeginAndDefinitionsAreRefusedInATransaction) {
  const auto client = session();
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 9 WHERE id = 1");
  must_fail(*client, begin_at(std::nullopt));
  must_fail(*client, definition_sql("CREATE TABLE {extra} (id BIGINT)"));
  must(*client, rollback());
  EXPECT_EQ(stock_of(1), 10);
}

}  // namespace
}  // namespace hilsa::tests
