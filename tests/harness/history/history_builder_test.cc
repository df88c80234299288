#include "harness/history/history_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/history/rng.h"

namespace hilsa {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::int64_t> bits_of(const std::vector<Scalar>& scalars) {
  std::vector<std::int64_t> bits;
  for (const Scalar scalar : scalars) bits.push_back(scalar.bits() >> 2);
  return bits;
}

// A builder of lists, with one transaction begun.
class Lists {
 public:
  Lists() : builder_(Form::lists) { builder_.begin_txn({.id = 1}); }
  void read(const std::vector<std::int64_t>& elements, bool committed = true) {
    std::vector<Scalar> scalars;
    for (const std::int64_t element : elements) {
      scalars.push_back(builder_.scalars().integer(element));
    }
    builder_.add_read_list(builder_.object(0, builder_.scalars().integer(1)), scalars, committed);
  }
  History finish() {
    builder_.end_txn();
    return builder_.finish();
  }

 private:
  HistoryBuilder builder_;
};

TEST(HistoryBuilder, ReadsOfAListShareTheLongestOne) {
  Lists lists;
  lists.read({1, 2});
  lists.read({});
  lists.read({1, 2, 3});
  lists.read({1});
  const History history = lists.finish();
  EXPECT_THAT(bits_of(history.longest_list[0]), ElementsAre(1, 2, 3));
  EXPECT_THAT(history.op_number, ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(history.deviant_lists, IsEmpty());
}

TEST(HistoryBuilder, AReadThatIsNoPrefixIsKeptByItself) {
  Lists lists;
  lists.read({1, 2});
  lists.read({2});
  lists.read({1, 3, 4});
  const History history = lists.finish();
  EXPECT_THAT(bits_of(history.longest_list[0]), ElementsAre(1, 2));
  EXPECT_THAT(history.op_number, ElementsAre(2, -1, -2));
  EXPECT_THAT(bits_of(history.deviant_lists[0]), ElementsAre(2));
  EXPECT_THAT(bits_of(history.deviant_lists[1]), ElementsAre(1, 3, 4));
}

TEST(HistoryBuilder, WhatOnlyUncommittedTransactionsReadSaysNothingAboutTheOrder) {
  Lists lists;
  lists.read({1}, false);
  lists.read({1, 2});
  lists.read({1}, false);
  const History history = lists.finish();
  EXPECT_THAT(bits_of(history.longest_list[0]), ElementsAre(1, 2));
  EXPECT_THAT(history.op_number, ElementsAre(-1, 2, 1));
}

// Objects with small keys are found by place, others by hash: nobody may notice.
TEST(HistoryBuilder, EqualKeysAreOneObjectHoweverTheyAreSpread) {
  HistoryBuilder builder;
  const std::vector<std::string> columns = {"id"};
  builder.table("a", "id", columns);
  builder.table("b", "id", columns);
  std::map<std::pair<std::uint32_t, std::int64_t>, ObjectIndex> expected;
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto table = static_cast<std::uint32_t>(rng.below(2));
    const std::uint64_t magnitude = rng.next() >> rng.below(64);
    const auto key = static_cast<std::int64_t>(rng.below(2) == 0 ? magnitude : ~magnitude);
    const ObjectIndex object = builder.object(table, builder.scalars().integer(key));
    const auto known = expected.try_emplace({table, key}, object).first;
    ASSERT_EQ(object, known->second) << "table " << table << ", key " << key;
  }
  const ObjectIndex text = builder.object(0, builder.scalars().text("1"));
  const ObjectIndex null = builder.object(0, Scalar());
  EXPECT_EQ(text, builder.object(0, builder.scalars().text("1")));
  EXPECT_EQ(null, builder.object(0, Scalar()));
  const History history = builder.finish();
  ASSERT_EQ(history.objects(), expected.size() + 2);
  for (const auto& [name, object] : expected) {
    EXPECT_EQ(history.object_table[object], name.first);
    EXPECT_EQ(history.scalars.integer_of(history.object_key[object]), name.second);
  }
}

TEST(HistoryBuilder, EqualStatementsAndPredicatesAreOne) {
  HistoryBuilder builder;
  EXPECT_EQ(builder.statement("a"), 0U);
  EXPECT_EQ(builder.statement("b"), 1U);
  EXPECT_EQ(builder.statement("a"), 0U);
  const auto above = [&](std::int64_t number) {
    return BoundPredicate{
        .table = 0, .comparisons = {{0, Comparator::greater, builder.scalars().integer(number)}}};
  };
  EXPECT_EQ(builder.predicate(above(1)), 0);
  EXPECT_EQ(builder.predicate(above(2)), 1);
  EXPECT_EQ(builder.predicate(above(1)), 0);
}

TEST(HistoryBuilder, TablesOfOneNameAreOneAndColumnsAddUp) {
  HistoryBuilder builder;
  const std::vector<std::string> first = {"id", "a"};
  const std::vector<std::string> second = {"b", "a"};
  const std::uint32_t table = builder.table("t", "id", first);
  EXPECT_EQ(builder.table("t", "id", second), table);
  const History history = builder.finish();
  EXPECT_THAT(history.header.tables[0].columns, ElementsAre("id", "a", "b"));
}

TEST(HistoryBuilder, WhatOnlySomeTransactionsHaveIsFilledUpForTheOthers) {
  HistoryBuilder builder(Form::registers);
  builder.begin_txn({.id = 1});
  builder.end_txn();
  builder.begin_txn(
      {.id = 2, .begin = 5, .end = 7, .task = History::TaskNumber{1, 2, 3}, .reply = "done"});
  builder.end_txn();
  builder.begin_txn({.id = 3});
  builder.end_txn();
  const History history = builder.finish();
  EXPECT_THAT(history.txn_begin, ElementsAre(0, 5, 0));
  EXPECT_THAT(history.txn_end, ElementsAre(0, 7, 0));
  ASSERT_EQ(history.txn_task.size(), 3U);
  EXPECT_EQ(history.txn_task[1].task, 2);
  ASSERT_EQ(history.txn_reply.size(), 3U);
  EXPECT_EQ(history.txn_reply[0], history.txn_reply[2]);
}

TEST(HistoryBuilder, AnAttemptAsRecordedIsATransaction) {
  HistoryBuilder builder;
  const std::vector<RecordedTable> tables = {{"products", "id", {"id", "stock"}}};
  builder.use_tables(tables);
  Attempt attempt{.id = 12, .client = 1, .trial = 0, .task = 3, .try_number = 2};
  attempt.outcome = AttemptOutcome::committed;
  attempt.begin_ns = 1;
  attempt.end_ns = 9;
  Operation read{.kind = OperationKind::read, .statement = 4, .sql = "SELECT"};
  read.key = 1;
  read.version = 3;
  read.writer = 9;
  read.values = {{"stock", std::int64_t{5}}};
  Operation looked{.kind = OperationKind::predicate_read, .statement = 4, .sql = "SELECT"};
  looked.predicate = {{"stock", Comparator::at_least, std::int64_t{1}}};
  looked.rows = {{.key = 1, .version = 3, .writer = 9, .values = {{"stock", std::int64_t{5}}}}};
  attempt.operations = {read, looked};
  builder.add(attempt);
  const History history = builder.finish();
  EXPECT_THAT(history.op_kind, ElementsAre(Op::read, Op::predicate_read, Op::seen_row));
  EXPECT_THAT(history.op_writer, ElementsAre(9, 0, 9));
  EXPECT_EQ(history.object_name(history.op_object[2]), "products/1");
  EXPECT_THAT(history.statements, ElementsAre("SELECT"));
  EXPECT_EQ(history.cells_of(2).size(), 1U);
  EXPECT_EQ(history.txn_of(2), 0U);
  EXPECT_EQ(history.txn_name(0), "T12");
}

TEST(HistoryBuilder, AnAttemptThatFailedTellsWhere) {
  HistoryBuilder builder;
  const std::vector<RecordedTable> tables = {{"products", "id", {"id", "stock"}}};
  builder.use_tables(tables);
  builder.add(Attempt{.id = 1});
  Attempt attempt{.id = 2, .session = 17};
  attempt.error = Error{ErrorKind::deadlock, "40P01", 0, "deadlock detected"};
  attempt.failed = FailedStatement{
      .statement = 4, .sql = "UPDATE", .table = 0, .key = 7, .begin_ns = 3, .end_ns = 5};
  builder.add(attempt);
  builder.add(Attempt{.id = 3});
  const History history = builder.finish();
  EXPECT_THAT(history.txn_session, ElementsAre(0, 17, 0));
  ASSERT_EQ(history.failed.size(), 1U);
  EXPECT_EQ(history.failed[0].txn, 1U);
  const Failure& failure = *history.failure_of(1);
  EXPECT_EQ(failure.kind, ErrorKind::deadlock);
  EXPECT_EQ(history.statements[failure.statement], "UPDATE");
  EXPECT_EQ(history.object_name(failure.object), "products/7");
  EXPECT_EQ(failure.end - failure.begin, 2);
}

TEST(HistoryBuilder, IsEmptyOnceFinished) {
  HistoryBuilder builder(Form::registers);
  builder.begin_txn({.id = 1});
  builder.add_write_register(builder.object(0, Scalar()), Scalar());
  builder.end_txn();
  EXPECT_EQ(builder.finish().transactions(), 1U);
  const History second = builder.finish();
  EXPECT_EQ(second.form, Form::registers);
  EXPECT_EQ(second.transactions(), 0U);
  EXPECT_EQ(second.objects(), 0U);
}

}  // namespace
}  // namespace hilsa
