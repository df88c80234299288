// The stamping SQL, and what a Transaction records of it.
#include "workloads/table/tracked.h"

#include <gtest/gtest.h>

#include <deque>

#include "workloads/table/session_log.h"
#include "workloads/table/transaction.h"

namespace hilsa {
namespace {

const Table kItems{
    .name = "items", .columns = {{"id"}, {"stock"}}, .check = "stock >= 0", .indexed = {"stock"}};
const Statement kRead = read_row(kItems, {"stock"});
const Statement kSet = update_row(kItems, {set("stock", param(1))});
const Statement kTake =
    update_row(kItems, {subtract("stock", param(1))}, {at_least("stock", param(1))});
const Statement kTakeAll =
    update_rows(kItems, {set("stock", Value(std::int64_t{0}))}, {at_least("stock", param(0))});
const Statement kSelect = read_rows(kItems, {"stock"}, {at_least("stock", param(0))});
const Statement kFirst = read_first_rows(kItems, {"stock"}, {at_least("stock", param(0))}, 2);
const Statement kInsert = insert_row(kItems);
const Statement kInsertIfFewer = insert_row_if_fewer(kItems, {equal("stock", param(1))}, param(2));
const Statement kErase = erase_row(kItems);
const Statement kEraseIfSoldOut = erase_row(kItems, {at_most("stock", param(1))});
const Statement kEraseAll = erase_rows(kItems, {less("stock", param(0))});

std::string text(const Statement& statement, Product product) {
  return statement.rendering(product).at(0).text;
}

TEST(Tracked, ReadsAskForTheStamps) {
  EXPECT_EQ(text(kRead, Product::postgresql),
            "SELECT id, stock, _version, _writer FROM {items} WHERE id = ?");
  EXPECT_EQ(text(read_row(kItems, {"stock"}, Lock::update), Product::mysql),
            "SELECT id, stock, _version, _writer FROM {items} WHERE id = ? FOR UPDATE");
  EXPECT_EQ(text(read_row(kItems, {"stock"}, Lock::share), Product::mariadb),
            "SELECT id, stock, _version, _writer FROM {items} WHERE id = ? LOCK IN SHARE MODE");
  EXPECT_TRUE(read_row(kItems, {"stock"}, Lock::update).rendering(Product::sqlite).empty());
}

TEST(Tracked, ASearchWithALimitGoesByTheKeyAndLocksLast) {
  const Statement next =
      read_first_rows(kItems, {"stock"}, {equal("stock", param(0))}, 1, Lock::update_skip_locked);
  for (const Product product : {Product::postgresql, Product::mysql, Product::mariadb}) {
    EXPECT_EQ(text(next, product),
              "SELECT id, stock, _version, _writer FROM {items} WHERE stock = ? ORDER BY id LIMIT "
              "1 FOR UPDATE SKIP LOCKED");
  }
  EXPECT_TRUE(next.rendering(Product::sqlite).empty());
  EXPECT_EQ(text(kFirst, Product::sqlite),
            "SELECT id, stock, _version, _writer FROM {items} WHERE stock >= ? ORDER BY id LIMIT "
            "2");
}

TEST(Tracked, AnIndexMayHaveSeveralColumns) {
  const Table jobs{
      .name = "jobs", .columns = {{"id"}, {"queue"}, {"state"}}, .indexed = {"queue, state"}};
  const auto statements = create_table(jobs);
  EXPECT_EQ(text(statements.at(1), Product::postgresql),
            "CREATE INDEX jobs_queuestate ON {jobs} (queue, state)");
  EXPECT_EQ(text(statements.at(1), Product::mysql),
            "CREATE INDEX {jobs_queuestate} ON {jobs} (queue, state)");
}

TEST(Tracked, UpdatesStampInTheSameStatement) {
  EXPECT_EQ(text(kTake, Product::postgresql),
            "UPDATE {items} SET stock = stock - ?, _writer = ?, _version = _version + 1 "
            "WHERE id = ? AND stock >= ? RETURNING id, _version");
  EXPECT_EQ(kTake.rendering(Product::postgresql)[0].binds, (std::vector<int>{1, 2, 0, 1}));
  EXPECT_EQ(
      text(kTake, Product::mysql),
      "UPDATE {items} SET stock = stock - ?, _writer = ?, _version = _version + 1 + 0 * "
      "LENGTH(@hilsa_versions := CONCAT(COALESCE(@hilsa_versions, ''), id, ':', _version + 1, "
      "',')) WHERE id = ? AND stock >= ?");
}

TEST(Tracked, DeletionsReturnTheVersionThatFollows) {
  EXPECT_EQ(text(kEraseIfSoldOut, Product::mariadb),
            "DELETE FROM {items} WHERE id = ? AND stock <= ? RETURNING id, _version + 1");
  EXPECT_EQ(text(kEraseAll, Product::sqlite),
            "DELETE FROM {items} WHERE stock < ? RETURNING id, _version + 1");
}

TEST(Tracked, OnMysqlDeletionsLogTheirRowsButOnlyThose) {
  EXPECT_EQ(text(kEraseIfSoldOut, Product::mysql),
            "DELETE FROM {items} WHERE id = ? AND stock <= ? AND IF(id = ? AND stock <= ?, "
            "LENGTH(@hilsa_versions := CONCAT(COALESCE(@hilsa_versions, ''), id, ':', _version + "
            "1, ',')), 0)");
  EXPECT_EQ(kEraseIfSoldOut.rendering(Product::mysql)[0].binds, (std::vector<int>{0, 1, 0, 1}));
}

TEST(Tracked, AppendsPutACommaOnlyBehindAnElement) {
  const Table lists{.name = "lists", .columns = {{"id"}, {"list", Column::Type::text}}};
  const Statement statement = update_row(lists, {append("list", param(1))});
  const std::string comma = "CASE WHEN LENGTH(list) = 0 THEN '' ELSE ',' END";
  EXPECT_EQ(text(statement, Product::postgresql)
                .rfind("UPDATE {lists} SET list = list || " + comma + " || ?, _writer = ?", 0),
            0U);
  EXPECT_EQ(text(statement, Product::mariadb)
                .rfind("UPDATE {lists} SET list = CONCAT(list, " + comma + ", ?), _writer = ?", 0),
            0U);
}

TEST(Tracked, InsertsStampTheFirstVersion) {
  EXPECT_EQ(text(kInsert, Product::sqlite),
            "INSERT INTO {items} (id, stock, _version, _writer) VALUES (?, ?, 1, ?)");
}

TEST(Tracked, TablesCarryTheStampsAndTheCheck) {
  const auto statements = create_table(kItems);
  ASSERT_EQ(statements.size(), 2U);
  EXPECT_EQ(text(statements[0], Product::postgresql),
            "CREATE TABLE {items} (id BIGINT NOT NULL, stock BIGINT NOT NULL, _version BIGINT NOT "
            "NULL, _writer BIGINT NOT NULL, PRIMARY KEY (id), CHECK (stock >= 0))");
  EXPECT_EQ(text(statements[1], Product::postgresql),
            "CREATE INDEX items_stock ON {items} (stock)");
}

TEST(Tracked, UniqueColumnsHaveAnIndexThatSaysSo) {
  const Table seats{.name = "seats", .columns = {{"id"}, {"seat"}}, .unique = {"seat"}};
  const auto statements = create_table(seats);
  ASSERT_EQ(statements.size(), 2U);
  EXPECT_EQ(text(statements[1], Product::postgresql),
            "CREATE UNIQUE INDEX seats_seat ON {seats} (seat)");
  EXPECT_EQ(text(statements[1], Product::mysql),
            "CREATE UNIQUE INDEX {seats_seat} ON {seats} (seat)");
}

TEST(Tracked, AnInsertThatCountsIsOneStatement) {
  EXPECT_EQ(text(kInsertIfFewer, Product::sqlite),
            "INSERT INTO {items} (id, stock, _version, _writer) SELECT ?, ?, 1, ? WHERE (SELECT "
            "COUNT(*) FROM {items} WHERE stock = ?) < ?");
  EXPECT_EQ(kInsertIfFewer.rendering(Product::sqlite)[0].binds, (std::vector<int>{0, 1, 3, 1, 2}));
  EXPECT_EQ(attempt_parameter(kInsertIfFewer.structure()), 3);
}

TEST(Tracked, OnPostgresqlWhatCountsAlsoReturnsWhatItCounted) {
  EXPECT_EQ(text(kInsertIfFewer, Product::postgresql),
            "WITH counted AS MATERIALIZED (SELECT id, _version, _writer FROM {items} WHERE stock = "
            "?), made AS (INSERT INTO {items} (id, stock, _version, _writer) SELECT ?, ?, 1, ? "
            "WHERE (SELECT COUNT(*) FROM counted) < ? RETURNING id, _version, _writer) SELECT * "
            "FROM counted UNION ALL SELECT * FROM made");
  EXPECT_EQ(kInsertIfFewer.rendering(Product::postgresql)[0].binds,
            (std::vector<int>{1, 0, 1, 3, 2}));
}

TEST(Tracked, OnMysqlWhatCountsAlsoLogsWhatItCounts) {
  EXPECT_EQ(text(kInsertIfFewer, Product::mysql),
            "INSERT INTO {items} (id, stock, _version, _writer) SELECT ?, ?, 1, ? FROM DUAL WHERE "
            "(SELECT COUNT(@hilsa_counted := IF(LENGTH(COALESCE(@hilsa_counted, '')) > 1000000, "
            "@hilsa_counted, CONCAT(COALESCE(@hilsa_counted, ''), ?, ':', id, ':', _version, ':', "
            "_writer, ','))) FROM {items} WHERE stock = ?) < ?");
}

TEST(CountLog, IsParsed) {
  const auto log = parse_count_log("42:7:1:30,42:-8:2:31,");
  ASSERT_TRUE(log);
  ASSERT_EQ(log->size(), 2U);
  EXPECT_EQ((*log)[1].new_key, 42);
  EXPECT_EQ((*log)[1].key, -8);
  EXPECT_EQ((*log)[1].version, 2);
  EXPECT_EQ((*log)[1].writer, 31);
  EXPECT_TRUE(parse_count_log("")->empty());
  EXPECT_EQ(parse_count_log("42:7:1:30,42:8")->size(), 1U);
}

TEST(CountLog, IsNotBelievedWhenItMayHaveStoppedGrowing) {
  EXPECT_FALSE(parse_count_log(std::string(kCountLogLongest + 1, '1')));
}

TEST(VersionLog, IsParsed) {
  const auto log = parse_version_log("7:2,-8:13,");
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].key, 7);
  EXPECT_EQ(log[0].version, 2);
  EXPECT_EQ(log[1].key, -8);
  EXPECT_EQ(log[1].version, 13);
  EXPECT_TRUE(parse_version_log("").empty());
}

// Answers from a list.
class ScriptedSession final : public Session {
 public:
  std::deque<Expected<Result>> answers;
  std::vector<std::vector<Value>> parameters_seen;

  Expected<Result> execute(const Statement&, std::span<const Value> parameters) override {
    parameters_seen.emplace_back(parameters.begin(), parameters.end());
    auto answer = answers.front();
    answers.pop_front();
    return answer;
  }
  bool usable() const override { return true; }
  void interrupt() noexcept override {}
};

class TransactionRecords : public ::testing::Test {
 protected:
  void answer(std::vector<std::vector<Value>> rows, std::int64_t affected = 0) {
    Result result;
    result.rows = std::move(rows);
    result.affected = affected;
    session_.answers.emplace_back(std::move(result));
  }
  static Value n(std::int64_t number) { return number; }

  std::vector<const Table*> tables_ = {&kItems};
  Transaction::Setting setting_{.product = Product::postgresql, .tables = &tables_};
  ScriptedSession session_;
  Attempt attempt_{.id = 42};
  Transaction txn_{session_, setting_, attempt_};
};

TEST_F(TransactionRecords, AReadWithItsVersionAndWriter) {
  answer({{n(7), n(5), n(3), n(11)}});
  EXPECT_EQ(txn_.read(kRead, {n(7)})["stock"], 5);
  const Operation& read = attempt_.operations.at(0);
  EXPECT_EQ(read.kind, OperationKind::read);
  EXPECT_EQ(read.key, 7);
  EXPECT_EQ(read.version, 3);
  EXPECT_EQ(read.writer, 11);
  EXPECT_EQ(read.values, (std::vector<NamedValue>{{"stock", n(5)}}));
}

TEST_F(TransactionRecords, WhichStatementFailedAndForWhichRow) {
  session_.answers.emplace_back(tl::unexpected(Error{ErrorKind::deadlock, "40P01", 0, "x"}));
  EXPECT_THROW(txn_.update(kTake, {n(7), n(1)}), AttemptFailed);
  ASSERT_TRUE(attempt_.failed);
  EXPECT_EQ(attempt_.failed->statement, kTake.id());
  EXPECT_EQ(attempt_.failed->sql, kTake.rendering(Product::postgresql).back().text);
  EXPECT_EQ(attempt_.failed->table, 0);
  EXPECT_EQ(attempt_.failed->key, 7);
  EXPECT_LE(attempt_.failed->begin_ns, attempt_.failed->end_ns);
  EXPECT_TRUE(attempt_.operations.empty());
}

TEST_F(TransactionRecords, AWriteThatWasNeverAnsweredAsAWriteInDoubtAndNoFailure) {
  session_.answers.emplace_back(tl::unexpected(Error{ErrorKind::commit_unknown, "", 0, "x"}));
  EXPECT_THROW(txn_.update(kTake, {n(7), n(1)}), AttemptFailed);
  EXPECT_FALSE(attempt_.failed);
  EXPECT_FALSE(attempt_.operations.empty());
}

TEST_F(TransactionRecords, ACommitThatFailedWithoutATable) {
  session_.answers.emplace_back(
      tl::unexpected(Error{ErrorKind::serialization_failure, "40001", 0, "x"}));
  EXPECT_THROW(txn_.run(commit()), AttemptFailed);
  ASSERT_TRUE(attempt_.failed);
  EXPECT_EQ(attempt_.failed->sql, "COMMIT");
  EXPECT_EQ(attempt_.failed->table, -1);
  EXPECT_FALSE(attempt_.failed->key);
}

TEST_F(TransactionRecords, AReadOfNothingAsUnborn) {
  answer({});
  EXPECT_FALSE(txn_.find(kRead, {n(7)}));
  EXPECT_EQ(attempt_.operations.at(0).version, kUnborn);
}

TEST_F(TransactionRecords, APlainSetAsAWriteAlone) {
  answer({{n(7), n(4)}}, 1);
  EXPECT_EQ(txn_.update(kSet, {n(7), n(1)}), 1);
  EXPECT_EQ(session_.parameters_seen[0], (std::vector<Value>{n(7), n(1), n(42)}));
  ASSERT_EQ(attempt_.operations.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::write);
  EXPECT_EQ(attempt_.operations[0].version, 4);
  EXPECT_EQ(attempt_.operations[0].changes,
            (std::vector<Change>{{"stock", ChangeKind::set, n(1)}}));
}

TEST_F(TransactionRecords, AnUpdateByTheRowsOwnValuesAsAReadToo) {
  answer({{n(7), n(4)}}, 1);
  txn_.update(kTake, {n(7), n(1)});
  ASSERT_EQ(attempt_.operations.size(), 2U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::read);
  EXPECT_EQ(attempt_.operations[0].version, 3);
  EXPECT_EQ(attempt_.operations[1].version, 4);
}

TEST_F(TransactionRecords, AGuardThatMatchesNothingAsAPredicateRead) {
  answer({}, 0);
  EXPECT_EQ(txn_.update(kTake, {n(7), n(1)}), 0);
  const Operation& looked = attempt_.operations.at(0);
  EXPECT_EQ(looked.kind, OperationKind::predicate_read);
  EXPECT_EQ(looked.predicate, (std::vector<Comparison>{{"id", Comparator::equal, n(7)},
                                                       {"stock", Comparator::at_least, n(1)}}));
  EXPECT_TRUE(looked.rows.empty());
  EXPECT_FALSE(txn_.wrote());
}

TEST_F(TransactionRecords, ADeletionByKeyAsADeletionAlone) {
  answer({{n(7), n(4)}}, 1);
  EXPECT_EQ(txn_.erase(kErase, {n(7)}), 1);
  EXPECT_EQ(session_.parameters_seen[0], (std::vector<Value>{n(7)}));
  ASSERT_EQ(attempt_.operations.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::erase);
  EXPECT_EQ(attempt_.operations[0].key, 7);
  EXPECT_EQ(attempt_.operations[0].version, 4);
  EXPECT_TRUE(txn_.wrote());
}

TEST_F(TransactionRecords, AGuardedDeletionAsAReadToo) {
  answer({{n(7), n(4)}}, 1);
  txn_.erase(kEraseIfSoldOut, {n(7), n(0)});
  ASSERT_EQ(attempt_.operations.size(), 2U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::read);
  EXPECT_EQ(attempt_.operations[0].version, 3);
  EXPECT_EQ(attempt_.operations[1].kind, OperationKind::erase);
}

TEST_F(TransactionRecords, ADeletionOfNothingAsAPredicateRead) {
  answer({}, 0);
  EXPECT_EQ(txn_.erase(kErase, {n(7)}), 0);
  ASSERT_EQ(attempt_.operations.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::predicate_read);
  EXPECT_EQ(attempt_.operations[0].predicate,
            (std::vector<Comparison>{{"id", Comparator::equal, n(7)}}));
  EXPECT_FALSE(txn_.wrote());
}

TEST_F(TransactionRecords, ADeletionByValuesAsAPredicateReadAndADeletionForEach) {
  answer({{n(7), n(4)}, {n(9), n(2)}}, 2);
  txn_.erase(kEraseAll, {n(3)});
  ASSERT_EQ(attempt_.operations.size(), 3U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::predicate_read);
  EXPECT_EQ(attempt_.operations[0].rows.at(1).key, 9);
  EXPECT_EQ(attempt_.operations[0].rows.at(1).version, 1);
  EXPECT_EQ(attempt_.operations[2].kind, OperationKind::erase);
  EXPECT_EQ(attempt_.operations[2].key, 9);
}

TEST_F(TransactionRecords, APredicateReadWithEveryRow) {
  answer({{n(1), n(5), n(2), n(9)}, {n(2), n(6), n(1), n(8)}});
  EXPECT_EQ(txn_.select(kSelect, {n(3)}).size(), 2U);
  const Operation& looked = attempt_.operations.at(0);
  ASSERT_EQ(looked.rows.size(), 2U);
  EXPECT_EQ(looked.rows[1].key, 2);
  EXPECT_EQ(looked.rows[1].writer, 8);
}

// It says nothing of rows that it did not return.
TEST_F(TransactionRecords, ASearchThatMayLeaveRowsOutAsReadsOfTheRowsAlone) {
  const Statement free =
      read_rows(kItems, {"stock"}, {at_least("stock", param(0))}, Lock::update_skip_locked);
  for (const Statement* const search : {&kFirst, &free}) {
    attempt_.operations.clear();
    answer({{n(1), n(5), n(2), n(9)}, {n(2), n(6), n(1), n(8)}});
    EXPECT_EQ(txn_.select(*search, {n(3)}).at(1)["stock"], 6);
    ASSERT_EQ(attempt_.operations.size(), 2U);
    const Operation& read = attempt_.operations[1];
    EXPECT_EQ(read.kind, OperationKind::read);
    EXPECT_EQ(read.key, 2);
    EXPECT_EQ(read.version, 1);
    EXPECT_EQ(read.writer, 8);
    EXPECT_EQ(read.values, (std::vector<NamedValue>{{"stock", n(6)}}));
    answer({});
    EXPECT_TRUE(txn_.select(*search, {n(3)}).empty());
    EXPECT_EQ(attempt_.operations.size(), 2U);
  }
}

TEST_F(TransactionRecords, ACrashAsALostConnectionAfterWhichNothingIsSent) {
  setting_.product = Product::mysql;
  answer({}, 1);
  txn_.update(kSet, {n(7), n(1)});
  EXPECT_THROW(txn_.crash(), AttemptFailed);
  txn_.settle(true);  // an answer to a ROLLBACK there is not
  EXPECT_TRUE(txn_.crashed());
  EXPECT_EQ(session_.parameters_seen.size(), 1U);
  EXPECT_EQ(attempt_.operations.at(0).version, kVersionUnknown);
}

TEST_F(TransactionRecords, OnMysqlTheVersionsThatTheLogTellsAfterwards) {
  setting_.product = Product::mysql;
  answer({}, 1);
  txn_.update(kTake, {n(7), n(1)});
  answer({}, 2);
  txn_.update(kTakeAll, {n(1)});
  EXPECT_EQ(attempt_.operations[1].version, kVersionUnknown);
  answer({{std::string("7:4,8:2,9:6,"), std::monostate()}});
  txn_.settle(false);
  ASSERT_EQ(attempt_.operations.size(), 5U);
  EXPECT_EQ(attempt_.operations[0].version, 3);  // read
  EXPECT_EQ(attempt_.operations[1].version, 4);  // write
  EXPECT_EQ(attempt_.operations[2].rows.at(1).version, 5);
  EXPECT_EQ(attempt_.operations[3].key, 8);
  EXPECT_EQ(attempt_.operations[4].version, 6);
}

TEST_F(TransactionRecords, OnMysqlDeletionsLearnTheirVersionsFromTheLog) {
  setting_.product = Product::mysql;
  answer({}, 0);
  txn_.erase(kEraseIfSoldOut, {n(7), n(0)});
  answer({}, 1);
  txn_.erase(kEraseIfSoldOut, {n(7), n(1)});
  answer({}, 1);
  txn_.erase(kEraseAll, {n(1)});
  answer({{std::string("7:4,8:2,"), std::monostate()}});
  txn_.settle(false);
  ASSERT_EQ(attempt_.operations.size(), 5U);
  EXPECT_TRUE(attempt_.operations[0].rows.empty());  // the one that found nothing
  EXPECT_EQ(attempt_.operations[1].version, 3);      // read
  EXPECT_EQ(attempt_.operations[2].version, 4);      // erase
  EXPECT_EQ(attempt_.operations[3].rows.at(0).key, 8);
  EXPECT_EQ(attempt_.operations[4].version, 2);
}

TEST_F(TransactionRecords, OnMysqlTheLogIsEmptiedAfterAFailedUpdateToo) {
  setting_.product = Product::mysql;
  session_.answers.emplace_back(tl::unexpected(Error{ErrorKind::check_violation, "", 3819, ""}));
  EXPECT_THROW(txn_.update(kTake, {n(7), n(1)}), AttemptFailed);
  answer({});  // ROLLBACK
  answer({{std::string("7:4,"), std::monostate()}});
  txn_.settle(true);
  EXPECT_TRUE(session_.answers.empty());
  EXPECT_TRUE(attempt_.operations.empty());
}

TEST_F(TransactionRecords, ASearchWhoseRowsWereNotLearnedIsNoSearchThatFoundNone) {
  setting_.product = Product::mysql;
  answer({}, 0);
  txn_.update(kTakeAll, {n(5)});
  answer({}, 2);
  txn_.erase(kEraseAll, {n(1)});
  answer({}, 2);
  txn_.update(kTakeAll, {n(1)});
  answer({{std::string("7:4,8:2,9:3,"), std::monostate()}});  // the last one is missing
  txn_.settle(false);
  ASSERT_EQ(attempt_.operations.size(), 6U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::predicate_read);
  EXPECT_EQ(attempt_.operations[1].rows.size(), 2U);
  EXPECT_EQ(attempt_.operations[4].kind, OperationKind::write);
  EXPECT_EQ(attempt_.operations[4].key, 9);
  EXPECT_EQ(attempt_.operations[5].key, 0);
  EXPECT_EQ(attempt_.operations[5].version, kVersionUnknown);
}

TEST_F(TransactionRecords, AVersionOfAnotherRowIsNotTaken) {
  setting_.product = Product::mysql;
  answer({}, 1);
  txn_.update(kTake, {n(7), n(1)});
  answer({{std::string("8:4,"), std::monostate()}});
  txn_.settle(false);
  EXPECT_EQ(attempt_.operations.at(1).version, kVersionUnknown);
}

TEST_F(TransactionRecords, WhatAnInsertCountedAndThatItInserted) {
  answer({{n(7), n(3), n(11)}, {n(42), n(1), n(42)}}, 2);
  EXPECT_TRUE(txn_.insert_if_fewer(kInsertIfFewer, {n(42), n(5), n(2)}));
  EXPECT_EQ(session_.parameters_seen[0], (std::vector<Value>{n(42), n(5), n(2), n(42)}));
  ASSERT_EQ(attempt_.operations.size(), 2U);
  const Operation& looked = attempt_.operations[0];
  EXPECT_EQ(looked.kind, OperationKind::predicate_read);
  EXPECT_EQ(looked.predicate, (std::vector<Comparison>{{"stock", Comparator::equal, n(5)}}));
  ASSERT_EQ(looked.rows.size(), 1U);
  EXPECT_EQ(looked.rows[0].key, 7);
  EXPECT_EQ(looked.rows[0].version, 3);
  EXPECT_EQ(looked.rows[0].writer, 11);
  EXPECT_EQ(attempt_.operations[1].kind, OperationKind::insert);
  EXPECT_EQ(attempt_.operations[1].key, 42);
  EXPECT_EQ(attempt_.operations[1].values,
            (std::vector<NamedValue>{{"id", n(42)}, {"stock", n(5)}}));
  EXPECT_TRUE(txn_.wrote());
}

TEST_F(TransactionRecords, WhatAnInsertCountedThatDidNotInsert) {
  answer({{n(7), n(3), n(11)}, {n(8), n(1), n(12)}}, 2);
  EXPECT_FALSE(txn_.insert_if_fewer(kInsertIfFewer, {n(42), n(5), n(2)}));
  ASSERT_EQ(attempt_.operations.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].rows.size(), 2U);
  EXPECT_FALSE(txn_.wrote());
}

TEST_F(TransactionRecords, OnSqliteNothingOfWhatAnInsertCounted) {
  setting_.product = Product::sqlite;
  answer({}, 0);
  EXPECT_FALSE(txn_.insert_if_fewer(kInsertIfFewer, {n(42), n(5), n(2)}));
  answer({}, 1);
  EXPECT_TRUE(txn_.insert_if_fewer(kInsertIfFewer, {n(43), n(5), n(2)}));
  ASSERT_EQ(attempt_.operations.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::insert);
  EXPECT_EQ(attempt_.operations[0].key, 43);
}

// The two logs, as version_log() gives them.
std::vector<Value> logs(Value versions, Value counted) {
  return {std::move(versions), std::monostate(), std::move(counted), std::monostate()};
}

TEST_F(TransactionRecords, OnMysqlWhatInsertsCountedIsLearnedFromTheLog) {
  setting_.product = Product::mysql;
  answer({}, 1);
  EXPECT_TRUE(txn_.insert_if_fewer(kInsertIfFewer, {n(42), n(5), n(2)}));
  answer({}, 0);
  EXPECT_FALSE(txn_.insert_if_fewer(kInsertIfFewer, {n(43), n(5), n(2)}));
  answer({}, 1);
  EXPECT_TRUE(txn_.insert_if_fewer(kInsertIfFewer, {n(44), n(6), n(2)}));
  // A server may evaluate an expression twice.
  answer({logs(std::monostate(), "42:7:1:30,42:7:1:30,43:7:1:30,43:42:1:42,")});
  txn_.settle(false);
  ASSERT_EQ(attempt_.operations.size(), 5U);
  ASSERT_EQ(attempt_.operations[0].rows.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].rows[0].writer, 30);
  EXPECT_EQ(attempt_.operations[1].kind, OperationKind::insert);
  EXPECT_EQ(attempt_.operations[2].rows.size(), 2U);
  EXPECT_TRUE(attempt_.operations[3].rows.empty());
  EXPECT_EQ(attempt_.operations[3].kind, OperationKind::predicate_read);
  EXPECT_EQ(attempt_.operations[4].key, 44);
}

TEST_F(TransactionRecords, ACountThatTheLogDoesNotBearOutIsNotClaimed) {
  setting_.product = Product::mysql;
  for (const std::int64_t key : {42, 43, 44, 44, 45}) {
    answer({}, key == 45 ? 0 : 1);
    txn_.insert_if_fewer(kInsertIfFewer, {n(key), n(5), n(2)});
  }
  // 42: more than it can have counted. 43: one row in two versions. 44: of which of the two? 45:
  // fewer than it must have counted.
  answer({logs(std::monostate(), "42:1:1:9,42:2:1:9,43:1:1:9,43:1:2:9,44:1:1:9,45:1:1:9,")});
  txn_.settle(false);
  ASSERT_EQ(attempt_.operations.size(), 4U);
  for (const Operation& operation : attempt_.operations) {
    EXPECT_EQ(operation.kind, OperationKind::insert);
  }
}

TEST_F(TransactionRecords, ACountIsNotClaimedWhenTheLogCannotBeRead) {
  setting_.product = Product::mysql;
  answer({}, 1);
  txn_.insert_if_fewer(kInsertIfFewer, {n(42), n(5), n(2)});
  session_.answers.emplace_back(tl::unexpected(Error{ErrorKind::connection_lost, "", 0, ""}));
  txn_.settle(false);
  ASSERT_EQ(attempt_.operations.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::insert);
}

TEST_F(TransactionRecords, AnInsertThatCountsInDoubtOutsideATransaction) {
  session_.answers.emplace_back(tl::unexpected(Error{ErrorKind::commit_unknown, "", 0, ""}));
  EXPECT_THROW(txn_.insert_if_fewer(kInsertIfFewer, {n(42), n(5), n(2)}), AttemptFailed);
  ASSERT_EQ(attempt_.operations.size(), 1U);
  EXPECT_EQ(attempt_.operations[0].kind, OperationKind::insert);
}

TEST_F(TransactionRecords, AWriteInDoubtOutsideATransaction) {
  session_.answers.emplace_back(tl::unexpected(Error{ErrorKind::commit_unknown, "", 0, ""}));
  EXPECT_THROW(txn_.update(kSet, {n(7), n(1)}), AttemptFailed);
  EXPECT_EQ(attempt_.operations.at(0).kind, OperationKind::write);
  EXPECT_EQ(attempt_.operations.at(0).version, kVersionUnknown);
}

TEST_F(TransactionRecords, AFailureLeavesTheBody) {
  session_.answers.emplace_back(tl::unexpected(Error{ErrorKind::deadlock, "40P01", 0, "x"}));
  EXPECT_THROW(txn_.read(kRead, {n(7)}), AttemptFailed);
  EXPECT_TRUE(attempt_.operations.empty());
}

}  // namespace
}  // namespace hilsa
