// Tracked writes on real databases: what a Transaction records of them is what the database did.
#include <algorithm>
#include <deque>

#include "tests/harness/database/conformance.h"
#include "workloads/table/transaction.h"

namespace hilsa::tests {
namespace {

const Table kItems{.name = "tracked",
                   .columns = {{"id"}, {"shelf"}, {"stock"}, {"list", Column::Type::text}},
                   .indexed = {"shelf"}};
const Statement kInsert = insert_row(kItems);
const Statement kRead = read_row(kItems, {"shelf", "stock"});
const Statement kReadList = read_row(kItems, {"list"});
const Conditions kOnShelf = {equal("shelf", param(0))};
const Statement kFirst = read_first_rows(kItems, {"stock"}, kOnShelf, 2);
const Statement kFirstForUpdate = read_first_rows(kItems, {"stock"}, kOnShelf, 1, Lock::update);
const Statement kFirstUnlocked =
    read_first_rows(kItems, {"stock"}, kOnShelf, 1, Lock::update_skip_locked);
const Statement kAdd = update_row(kItems, {add("stock", param(1))});
const Statement kMove = update_row(kItems, {set("shelf", param(1))});
const Statement kAddToShelf =
    update_rows(kItems, {add("stock", param(1))}, {equal("shelf", param(0))});
const Statement kEmptyShelf =
    update_rows(kItems, {set("shelf", param(1))}, {equal("shelf", param(0))});
const Statement kAppend = update_row(kItems, {append("list", param(1))});
const Statement kErase = erase_row(kItems);
const Statement kEraseIfOnShelf = erase_row(kItems, {equal("shelf", param(1))});
const Statement kEraseShelf = erase_rows(kItems, {equal("shelf", param(0))});
const Statement kInsertIfFewer = insert_row_if_fewer(kItems, {equal("shelf", param(1))}, param(4));
const Statement kEraseRange =
    erase_rows(kItems, {at_least("stock", param(0)), less("stock", param(1))});

Value n(std::int64_t number) { return number; }

class Tracked : public Conformance {
 protected:
  // A session with the attempt that it is at.
  struct Client {
    Client(std::unique_ptr<Session> opened, const Transaction::Setting& with, AttemptId id)
        : session(std::move(opened)), setting(with), attempt{.id = id} {}
    std::unique_ptr<Session> session;
    Transaction::Setting setting;
    Attempt attempt;
    Transaction txn{*session, setting, attempt};
  };

  void SetUp() override {
    Conformance::SetUp();
    const auto first = session();
    for (const Statement& statement : create_table(kItems)) must(*first, statement);
  }

  // PostgreSQL's index has the same name in every test.
  void TearDown() override {
    clients_.clear();
    must(*session(), drop_table(kItems));
  }

  // A new attempt on a session of its own.
  Client& client() {
    const Transaction::Setting setting{.product = product(), .tables = &tables_};
    return clients_.emplace_back(session(), setting, ++last_id_);
  }

  // Rows `first` … `last`, all on this shelf, with their key as their stock.
  void fill(std::int64_t first, std::int64_t last, std::int64_t shelf) {
    Client& setter = client();
    setter.txn.run(begin_at(std::nullopt));
    for (std::int64_t id = first; id <= last; ++id) {
      setter.txn.insert(kInsert, {id, shelf, id, ""});
    }
    setter.txn.run(commit());
  }

  // `e7:2` for a deletion that made version 2 of row 7; w, r, i and, for predicate reads, `p(7:1)`.
  static std::string told(const Attempt& attempt) {
    std::string text;
    for (const Operation& operation : attempt.operations) {
      if (!text.empty()) text += ' ';
      if (operation.kind == OperationKind::predicate_read) {
        std::vector<SeenRow> rows = operation.rows;
        std::sort(rows.begin(), rows.end(),
                  [](const SeenRow& a, const SeenRow& b) { return a.key < b.key; });
        std::string inside;
        for (const SeenRow& row : rows) inside += (inside.empty() ? "" : " ") + pair_of(row);
        text += "p(" + inside + ")";
      } else {
        text += "rwie"[static_cast<std::size_t>(operation.kind)] + pair_of(operation);
      }
    }
    return text;
  }
  template <typename Seen>
  static std::string pair_of(const Seen& seen) {
    return std::to_string(seen.key) + ":" + std::to_string(seen.version);
  }

  // Runs it in a thread of its own, and ends the transaction.
  static std::future<void> in_background(Client& client, std::function<void(Transaction&)> body) {
    return std::async(std::launch::async, [&client, body = std::move(body)] {
      body(client.txn);
      client.txn.run(commit());
      client.txn.settle(false);
    });
  }

  std::vector<std::int64_t> keys_left() {
    std::vector<std::int64_t> keys;
    const auto reader = session();
    for (const auto& row : must(*reader, "SELECT id FROM {tracked} ORDER BY id").rows) {
      keys.push_back(std::get<std::int64_t>(row[0]));
    }
    return keys;
  }

 private:
  std::vector<const Table*> tables_ = {&kItems};
  std::deque<Client> clients_;
  AttemptId last_id_ = 0;
};

using Keys = std::vector<std::int64_t>;

INSTANTIATE_TEST_SUITE_P(Drivers, Tracked,
                         ::testing::Values("postgres", "mariadb", "mysql", "sqlite"), product_of);
class TrackedOnServer : public Tracked {};
INSTANTIATE_TEST_SUITE_P(Drivers, TrackedOnServer,
                         ::testing::Values("postgres", "mariadb", "mysql"), product_of);

TEST_P(Tracked, ADeletionClosesTheRow) {
  fill(1, 2, 5);
  Client& one = client();
  one.txn.run(begin_at(std::nullopt));
  one.txn.update(kAdd, {n(1), n(3)});
  EXPECT_EQ(one.txn.erase(kErase, {n(1)}), 1);
  EXPECT_FALSE(one.txn.find(kRead, {n(1)}));
  EXPECT_EQ(one.txn.erase(kErase, {n(1)}), 0);
  one.txn.run(commit());
  one.txn.settle(false);
  EXPECT_EQ(told(one.attempt), "r1:1 w1:2 e1:3 r1:0 p()");
  EXPECT_EQ(keys_left(), (Keys{2}));
}

TEST_P(Tracked, AGuardedDeletionHasReadTheRow) {
  fill(1, 2, 5);
  Client& one = client();
  EXPECT_EQ(one.txn.erase(kEraseIfOnShelf, {n(1), n(4)}), 0);
  EXPECT_EQ(one.txn.erase(kEraseIfOnShelf, {n(1), n(5)}), 1);
  one.txn.settle(false);
  EXPECT_EQ(told(one.attempt), "p() r1:1 e1:2");
}

TEST_P(Tracked, ADeletionByValuesNamesExactlyTheRowsThatItDeleted) {
  fill(1, 300, 5);
  fill(301, 600, 6);
  Client& one = client();
  one.txn.run(begin_at(std::nullopt));
  one.txn.update(kAddToShelf, {n(6), n(0)});
  EXPECT_EQ(one.txn.erase(kEraseRange, {n(299), n(303)}), 4);  // no index: looks at every row
  EXPECT_EQ(one.txn.erase(kEraseShelf, {n(5)}), 298);
  EXPECT_EQ(one.txn.erase(kEraseShelf, {n(5)}), 0);
  one.txn.run(commit());
  one.txn.settle(false);
  const std::string all = told(one.attempt);
  EXPECT_NE(all.find("p(299:1 300:1 301:2 302:2) e299:2 e300:2 e301:3 e302:3 p(1:1 2:1 "),
            std::string::npos)
      << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), 'e'), 302);
  EXPECT_EQ(keys_left().size(), 298U);
}

TEST_P(Tracked, ADeletionWithoutATransactionIsRecordedAlike) {
  fill(1, 3, 5);
  Client& one = client();
  EXPECT_EQ(one.txn.erase(kEraseRange, {n(2), n(9)}), 2);
  EXPECT_EQ(one.txn.update(kAddToShelf, {n(5), n(1)}), 1);
  EXPECT_EQ(one.txn.erase(kErase, {n(1)}), 1);
  one.txn.settle(false);
  EXPECT_EQ(told(one.attempt), "p(2:1 3:1) e2:2 e3:2 p(1:1) w1:2 e1:3");
}

TEST_P(Tracked, ARolledBackDeletionLeavesItsNumberToTheNext) {
  fill(1, 3, 5);
  Client& one = client();
  one.txn.run(begin_at(std::nullopt));
  one.txn.erase(kEraseShelf, {n(5)});
  one.txn.settle(true);
  EXPECT_EQ(told(one.attempt), "p(1:1 2:1 3:1) e1:2 e2:2 e3:2");
  Attempt next{.id = 99};
  Transaction txn(*one.session, one.setting, next);
  txn.update(kAdd, {n(1), n(1)});
  txn.erase(kErase, {n(1)});
  txn.settle(false);
  EXPECT_EQ(told(next), "r1:1 w1:2 e1:3");
  EXPECT_EQ(keys_left(), (Keys{2, 3}));
}

TEST_P(Tracked, ElementsAreAppendedBehindACommaUnlessTheyAreTheFirst) {
  fill(1, 1, 5);
  Client& one = client();
  for (const char* const element : {"7", "eight", "9"}) one.txn.update(kAppend, {n(1), element});
  one.txn.find(kReadList, {n(1)});
  one.txn.settle(false);
  EXPECT_EQ(told(one.attempt), "r1:1 w1:2 r1:2 w1:3 r1:3 w1:4 r1:4");
  EXPECT_EQ(one.attempt.operations.back().values.at(0).value, Value("7,eight,9"));
  EXPECT_EQ(one.attempt.operations[1].changes,
            (std::vector<Change>{{"list", ChangeKind::append, Value("7")}}));
}

TEST_P(Tracked, ALongListComesBackWhole) {
  fill(1, 1, 5);
  Client& one = client();
  const std::string element(5000, 'x');
  for (int i = 0; i < 20; ++i) one.txn.update(kAppend, {n(1), element});
  one.txn.find(kReadList, {n(1)});
  const auto& list = std::get<std::string>(one.attempt.operations.back().values.at(0).value);
  EXPECT_EQ(list.size(), 20 * 5001U - 1);
}

const Table kOnce{.name = "once", .columns = {{"id"}, {"seat"}}, .unique = {"seat"}};

TEST_P(Tracked, AUniqueColumnRefusesTheSecond) {
  const auto one = session();
  for (const Statement& statement : create_table(kOnce)) must(*one, statement);
  const Statement insert = insert_row(kOnce);
  const auto inserted = [&](std::int64_t id, std::int64_t seat) {
    return one->execute(insert, std::vector<Value>{n(id), n(seat), n(1)});
  };
  EXPECT_TRUE(inserted(1, 7));
  EXPECT_TRUE(inserted(2, 8));
  const auto refused = inserted(3, 7);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unique_violation);
  must(*one, drop_table(kOnce));
}

TEST_P(Tracked, AnInsertThatCountsInsertsUpToItsLimitAndTellsWhatItCounted) {
  fill(1, 2, 5);
  fill(3, 3, 6);
  Client& one = client();
  const auto insert = [&](std::int64_t id, std::int64_t shelf, std::int64_t limit) {
    return one.txn.insert_if_fewer(kInsertIfFewer, {n(id), n(shelf), n(0), "", n(limit)});
  };
  one.txn.run(begin_at(std::nullopt));
  one.txn.update(kAdd, {n(2), n(1)});
  EXPECT_TRUE(insert(11, 5, 3));
  EXPECT_FALSE(insert(12, 5, 3));
  EXPECT_TRUE(insert(13, 7, 1));
  EXPECT_FALSE(insert(14, 8, 0));
  one.txn.run(commit());
  one.txn.settle(false);
  if (product() == Product::sqlite) {
    EXPECT_EQ(told(one.attempt), "r2:1 w2:2 i11:1 i13:1");
  } else {
    EXPECT_EQ(told(one.attempt), "r2:1 w2:2 p(1:1 2:2) i11:1 p(1:1 2:2 11:1) p() i13:1 p()");
    const Operation& looked = one.attempt.operations[2];
    for (const SeenRow& row : looked.rows) EXPECT_EQ(row.writer, row.key == 2 ? one.attempt.id : 1);
  }
  EXPECT_EQ(keys_left(), (Keys{1, 2, 3, 11, 13}));
}

TEST_P(Tracked, AnInsertThatCountsManyRowsTellsThemAll) {
  fill(1, 500, 5);
  Client& one = client();
  EXPECT_TRUE(one.txn.insert_if_fewer(kInsertIfFewer, {n(501), n(5), n(0), "", n(501)}));
  EXPECT_FALSE(one.txn.insert_if_fewer(kInsertIfFewer, {n(502), n(5), n(0), "", n(501)}));
  one.txn.settle(false);
  if (product() == Product::sqlite) return;
  ASSERT_EQ(one.attempt.operations.size(), 3U);
  EXPECT_EQ(one.attempt.operations[0].rows.size(), 500U);
  EXPECT_EQ(one.attempt.operations[2].rows.size(), 501U);
}

// What it tells is what it saw: of an insert that has not committed it counts, and tells, nothing.
TEST_P(TrackedOnServer, AnInsertThatCountsAtReadCommittedCountsWhatIsCommitted) {
  fill(1, 1, 5);
  Client& other = client();
  other.txn.run(begin_at(Isolation::read_committed));
  other.txn.insert(kInsert, {n(2), n(5), n(0), ""});
  Client& one = client();
  one.txn.run(begin_at(Isolation::read_committed));
  EXPECT_TRUE(one.txn.insert_if_fewer(kInsertIfFewer, {n(11), n(5), n(0), "", n(2)}));
  other.txn.run(commit());
  EXPECT_FALSE(one.txn.insert_if_fewer(kInsertIfFewer, {n(12), n(5), n(0), "", n(2)}));
  one.txn.run(commit());
  one.txn.settle(false);
  EXPECT_EQ(told(one.attempt), "p(1:1) i11:1 p(1:1 2:1 11:1)");
}

TEST_P(TrackedOnServer, AnInsertThatCountsAtRepeatableReadSeesTheSnapshotOrWaits) {
  fill(1, 1, 5);
  fill(3, 3, 6);
  Client& other = client();
  other.txn.run(begin_at(Isolation::repeatable_read));
  other.txn.insert(kInsert, {n(2), n(5), n(0), ""});
  Client& one = client();
  one.txn.run(begin_at(Isolation::repeatable_read));
  // MySQL's status leaves out transactions that wait and have not written.
  one.txn.update(kMove, {n(3), n(7)});
  auto inserted = in_background(one, [](Transaction& txn) {
    txn.insert_if_fewer(kInsertIfFewer, {n(11), n(5), n(0), "", n(2)});
  });
  const bool waits = product() != Product::postgresql;  // InnoDB counts with locks here
  if (waits) {
    wait_until_blocked();
  } else {
    inserted.get();
  }
  other.txn.run(commit());
  if (waits) inserted.get();
  EXPECT_EQ(told(one.attempt), waits ? "w3:2 p(1:1 2:1)" : "w3:2 p(1:1) i11:1");
}

TEST_P(Tracked, ASearchWithALimitReturnsTheLowestKeys) {
  fill(1, 4, 5);
  fill(5, 8, 6);
  Client& one = client();
  one.txn.select(kFirst, {n(6)});
  one.txn.update(kMove, {n(5), n(7)});
  one.txn.select(kFirst, {n(6)});
  one.txn.select(kFirst, {n(9)});
  one.txn.settle(false);
  EXPECT_EQ(told(one.attempt), "r5:1 r6:1 w5:2 r6:1 r7:1");
}

// What a worker that dies had written is gone, and what it had locked is free, without a
// ROLLBACK.
TEST_P(Tracked, ASessionThatIsClosedInMidTransactionLeavesNothing) {
  fill(1, 2, 5);
  Client& dying = client();
  dying.txn.run(begin_at(std::nullopt));
  dying.txn.update(kMove, {n(1), n(7)});
  dying.txn.erase(kErase, {n(2)});
  dying.session = nullptr;
  Client& next = client();
  ASSERT_TRUE(wait_until([&] {  // the server may take a moment to see it
    try {
      return next.txn.update(kAdd, {n(1), n(1)}) == 1;
    } catch (const AttemptFailed&) {
      return false;
    }
  }));
  EXPECT_EQ(next.txn.find(kRead, {n(1)})->version(), 2);
  EXPECT_EQ(keys_left(), (std::vector<std::int64_t>{1, 2}));
}

std::vector<Isolation> all_levels(Product product) {
  const auto levels = levels_of(product);
  return {levels.begin(), levels.end()};
}

TEST_P(TrackedOnServer, ASearchThatSkipsLocksTakesTheNextRowAndDoesNotWait) {
  std::int64_t key = 1;
  for (const Isolation level : all_levels(product())) {
    SCOPED_TRACE(name_of(level));
    fill(key, key + 1, key);
    const auto take = [&] {
      Client& worker = client();
      worker.txn.run(begin_at(level));
      worker.txn.select(kFirstUnlocked, {n(key)});
      return std::pair(&worker, told(worker.attempt));
    };
    const auto [first, first_took] = take();
    const auto [second, second_took] = take();
    const auto [third, third_took] = take();
    EXPECT_EQ(first_took, "r" + std::to_string(key) + ":1");
    EXPECT_EQ(second_took, "r" + std::to_string(key + 1) + ":1");
    EXPECT_EQ(third_took, "");
    for (Client* const worker : {first, second, third}) worker->txn.settle(true);
    key += 10;
  }
}

// Every level at which a statement waits for a row and then takes it as it has become.
std::vector<Isolation> levels_that_go_on(Product product) {
  if (product == Product::postgresql) return {Isolation::read_committed};
  return {Isolation::read_uncommitted, Isolation::read_committed, Isolation::repeatable_read,
          Isolation::serializable};
}

TEST_P(TrackedOnServer, ARowThatWasWaitedForIsNamedOnceInItsLastVersion) {
  std::int64_t key = 1;
  for (const Isolation level : levels_that_go_on(product())) {
    SCOPED_TRACE(name_of(level));
    fill(key, key + 2, key);
    Client& holder = client();
    holder.txn.run(begin_at(level));
    holder.txn.update(kAdd, {n(key + 1), n(1)});
    Client& waiter = client();
    waiter.txn.run(begin_at(level));
    auto erased = in_background(
        waiter, [key](Transaction& txn) { EXPECT_EQ(txn.erase(kEraseShelf, {n(key)}), 3); });
    wait_until_blocked();
    holder.txn.run(commit());
    erased.get();
    const auto row = [key](int i, int version) {
      return std::to_string(key + i) + ":" + std::to_string(version);
    };
    EXPECT_EQ(told(waiter.attempt), "p(" + row(0, 1) + " " + row(1, 2) + " " + row(2, 1) + ") e" +
                                        row(0, 2) + " e" + row(1, 3) + " e" + row(2, 2));
    key += 10;
  }
}

TEST_P(TrackedOnServer, ALimitedSearchThatWaitedGoesOnToTheNextRow) {
  std::int64_t key = 1;
  for (const Isolation level : levels_that_go_on(product())) {
    SCOPED_TRACE(name_of(level));
    fill(key, key + 2, key);
    Client& holder = client();
    holder.txn.run(begin_at(level));
    holder.txn.select(kFirstForUpdate, {n(key)});
    Client& waiter = client();
    waiter.txn.run(begin_at(level));
    auto found =
        in_background(waiter, [key](Transaction& txn) { txn.select(kFirstForUpdate, {n(key)}); });
    wait_until_blocked();
    holder.txn.update(kMove, {n(key), n(-key)});
    holder.txn.run(commit());
    found.get();
    EXPECT_EQ(told(waiter.attempt), "r" + std::to_string(key + 1) + ":1");
    key += 10;
  }
}

TEST_P(TrackedOnServer, ARowThatNoLongerMeetsTheConditionsAfterTheWaitIsNotNamed) {
  std::int64_t key = 1;
  for (const Isolation level : levels_that_go_on(product())) {
    SCOPED_TRACE(name_of(level));
    fill(key, key + 2, key);
    Client& holder = client();
    holder.txn.run(begin_at(level));
    holder.txn.update(kMove, {n(key + 1), n(-key)});
    Client& eraser = client();
    eraser.txn.run(begin_at(level));
    auto erased = in_background(
        eraser, [key](Transaction& txn) { EXPECT_EQ(txn.erase(kEraseShelf, {n(key)}), 2); });
    wait_until_blocked();
    holder.txn.run(commit());
    erased.get();
    const auto row = [key](int i, int version) {
      return std::to_string(key + i) + ":" + std::to_string(version);
    };
    EXPECT_EQ(told(eraser.attempt),
              "p(" + row(0, 1) + " " + row(2, 1) + ") e" + row(0, 2) + " e" + row(2, 2));
    key += 10;
  }
}

TEST_P(TrackedOnServer, AnUpdateByValuesNamesEveryRowInTheVersionThatItMade) {
  std::int64_t key = 1;
  for (const Isolation level : levels_that_go_on(product())) {
    SCOPED_TRACE(name_of(level));
    fill(key, key + 2, key);
    Client& holder = client();
    holder.txn.run(begin_at(level));
    holder.txn.update(kAdd, {n(key), n(1)});
    holder.txn.update(kMove, {n(key + 1), n(-key)});
    Client& waiter = client();
    waiter.txn.run(begin_at(level));
    auto moved = in_background(waiter, [key](Transaction& txn) {
      // It changes what it searches by: servers must not find a row twice.
      EXPECT_EQ(txn.update(kEmptyShelf, {n(key), n(key + 5)}), 2);
    });
    wait_until_blocked();
    holder.txn.run(commit());
    moved.get();
    const auto row = [key](int i, int version) {
      return std::to_string(key + i) + ":" + std::to_string(version);
    };
    EXPECT_EQ(told(waiter.attempt).substr(0, told(waiter.attempt).find(')')),
              "p(" + row(0, 2) + " " + row(2, 1));
    EXPECT_NE(told(waiter.attempt).find("w" + row(0, 3)), std::string::npos);
    EXPECT_NE(told(waiter.attempt).find("w" + row(2, 2)), std::string::npos);
    key += 10;
  }
}

}  // namespace
}  // namespace hilsa::tests
