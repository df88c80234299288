#include "harness/database/statement.h"

#include <gtest/gtest.h>

#include "harness/database/transaction_state.h"

namespace hilsa {
namespace {

TEST(Statement, IdsAreUnique) { EXPECT_NE(raw_sql("SELECT 1").id(), raw_sql("SELECT 1").id()); }

TEST(Statement, TablesGetThePrefix) {
  EXPECT_EQ(with_table_prefix("SELECT * FROM {a} JOIN {b}", "s."), "SELECT * FROM s.a JOIN s.b");
}

TEST(Statement, ParametersAreNumberedByWhatTheyTake) {
  EXPECT_EQ(with_numbered_parameters({"a = ? AND b = ? AND c = '?'", {1, 0}}),
            "a = $2 AND b = $1 AND c = '?'");
}

TEST(Statement, BeginAsksForTheLevelInEachProductsWords) {
  const Statement& begin = begin_at(Isolation::repeatable_read);
  EXPECT_EQ(begin.rendering(Product::postgresql)[0].text, "BEGIN ISOLATION LEVEL REPEATABLE READ");
  EXPECT_EQ(begin.rendering(Product::mysql)[0].text,
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  EXPECT_EQ(begin.rendering(Product::mysql)[1].text, "START TRANSACTION");
  EXPECT_EQ(begin_at(std::nullopt).rendering(Product::mariadb).size(), 1U);
}

TEST(TransactionState, ALinkThatBreaksWhileSomethingMayCommitIsUnknown) {
  TransactionState state;
  EXPECT_EQ(state.when_link_breaks(StatementKind::update), ErrorKind::commit_unknown);
  EXPECT_EQ(state.when_link_breaks(StatementKind::read_row), ErrorKind::connection_lost);
  state.ended_well(StatementKind::begin);
  EXPECT_EQ(state.when_link_breaks(StatementKind::update), ErrorKind::connection_lost);
  EXPECT_EQ(state.when_link_breaks(StatementKind::commit), ErrorKind::commit_unknown);
  EXPECT_EQ(state.when_link_breaks(StatementKind::rollback), ErrorKind::connection_lost);
}

TEST(TransactionState, AFailedTransactionIsFailedUntilItEnds) {
  TransactionState state;
  state.ended_badly();
  state.ended_well(StatementKind::begin);
  EXPECT_FALSE(state.failed()) << "an error outside a transaction spoils nothing";
  state.ended_badly();
  EXPECT_TRUE(state.failed());
  state.ended_well(StatementKind::rollback);
  EXPECT_FALSE(state.failed());
}

}  // namespace
}  // namespace hilsa
