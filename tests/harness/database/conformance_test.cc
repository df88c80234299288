// Values, counts, errors and transactions: what holds for every driver.
#include "tests/harness/database/conformance.h"

#include <array>
#include <atomic>
#include <limits>
#include <thread>

#include "harness/database/usage_error.h"
#include "tests/harness/database/servers_for_tests.h"

namespace hilsa::tests {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

INSTANTIATE_TEST_SUITE_P(Drivers, Conformance,
                         ::testing::Values("postgres", "mariadb", "mysql", "sqlite"), product_of);

const Statement kInsert({.kind = StatementKind::insert},
                        Rendering{
                            {"INSERT INTO {item} (id, stock, note) VALUES (?, ?, ?)", {0, 1, 2}}});

TEST_P(Conformance, KnowsItsProductAndVersion) {
  const std::string product = GetParam() == "postgres" ? "postgresql" : GetParam();
  EXPECT_EQ(name_of(database().traits().product), product);
  EXPECT_FALSE(database().traits().version.empty());
  EXPECT_TRUE(offers(this->product(), database().traits().default_isolation));
}

TEST_P(Conformance, ASessionHasTheNumberThatItsServerGivesIt) {
  const auto one = session();
  const auto other = session();
  EXPECT_NE(one->server_id(), other->server_id());
  if (product() == Product::sqlite) return;  // no server: it tells them apart, no more
  const char* const question =
      product() == Product::postgresql ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()";
  EXPECT_EQ(value_of(*one, question), Value(one->server_id()));
}

TEST_P(Conformance, NumbersComeBackAsTheyWent) {
  const auto client = session();
  const std::array<std::int64_t, 5> numbers = {0, 1, 4294967296, Limits::max(), 7};
  for (const std::int64_t number : numbers) {
    must(*client, "UPDATE {item} SET stock = ? WHERE id = 1", {number});
    EXPECT_EQ(value_of(*client, "SELECT stock FROM {item} WHERE id = 1"), Value(number));
  }
  must(*client, "INSERT INTO {item} (id, stock) VALUES (?, 0)", {Limits::min()});
  EXPECT_EQ(value_of(*client, "SELECT id FROM {item} WHERE id < 0"), Value(Limits::min()));
}

TEST_P(Conformance, TextsComeBackAsTheyWent) {
  const auto client = session();
  for (const std::string text :
       {"", " ", "it's", "\"quoted\"", "what? why?", "{braces}", "back\\slash", "100%",
        "two\nlines", "grüße, 魚, 🐟", "NULL", "42"}) {
    must(*client, "UPDATE {item} SET note = ? WHERE id = 1", {text});
    EXPECT_EQ(value_of(*client, "SELECT note FROM {item} WHERE id = 1"), Value(text));
    EXPECT_EQ(value_of(*client, "SELECT count(*) FROM {item} WHERE note = ?", {text}), Value(1));
  }
}

TEST_P(Conformance, NullComesBackAsNull) {
  const auto client = session();
  must(*client, "UPDATE {item} SET note = ? WHERE id = 1", {std::monostate()});
  EXPECT_EQ(value_of(*client, "SELECT note FROM {item} WHERE id = 1"), Value());
}

TEST_P(Conformance, OneStatementTakesNumbersTextsAndNullInTurn) {
  const auto client = session();
  const std::vector<std::array<Value, 3>> rows = {
      {3, 5, "text"}, {4, 6, std::monostate()}, {5, 7, "again"}};
  for (const auto& row : rows) ASSERT_TRUE(client->execute(kInsert, row));
  const Result read = must(*client, "SELECT id, stock, note FROM {item} WHERE id > 2 ORDER BY id");
  ASSERT_EQ(read.rows.size(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(read.rows[i], std::vector<Value>(rows[i].begin(), rows[i].end()));
  }
}

TEST_P(Conformance, ParametersAreTakenInTheOrderThatTheStatementSays) {
  const Statement swapped(
      {.kind = StatementKind::update},
      Rendering{{"UPDATE {item} SET stock = ? WHERE id = ? AND stock < ?", {1, 0, 1}}});
  const auto client = session();
  const std::array<Value, 2> parameters = {1, 77};
  const auto result = client->execute(swapped, parameters);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->affected, 1);
  EXPECT_EQ(stock_of(1), 77);
}

TEST_P(Conformance, CountsAndSumsAreNumbers) {
  const auto client = session();
  const Result result = must(*client, "SELECT count(*) AS n, sum(stock) AS total FROM {item}");
  EXPECT_EQ(result.columns, (std::vector<std::string>{"n", "total"}));
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0], (std::vector<Value>{2, 30}));
}

TEST_P(Conformance, NoRowsIsAResultWithColumns) {
  const auto client = session();
  const Result result = must(*client, "SELECT id, stock FROM {item} WHERE id = 99");
  EXPECT_EQ(result.columns, (std::vector<std::string>{"id", "stock"}));
  EXPECT_TRUE(result.rows.empty());
}

TEST_P(Conformance, AffectedCountsRowsFoundEvenIfNothingChanges) {
  const auto client = session();
  EXPECT_EQ(must(*client, "UPDATE {item} SET stock = 10 WHERE id = 1").affected, 1);
  EXPECT_EQ(must(*client, "UPDATE {item} SET stock = stock").affected, 2);
  EXPECT_EQ(must(*client, "UPDATE {item} SET stock = 1 WHERE id = 99").affected, 0);
  EXPECT_EQ(must(*client, "INSERT INTO {item} VALUES (3, 1, 'x'), (4, 1, 'y')").affected, 2);
  EXPECT_EQ(must(*client, "DELETE FROM {item} WHERE id > 1").affected, 3);
}

TEST_P(Conformance, ReadsAffectNothing) {
  const Statement read({.kind = StatementKind::read_rows}, Rendering{{"SELECT * FROM {item}", {}}});
  const auto client = session();
  const auto result = client->execute(read);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->rows.size(), 2U);
  EXPECT_EQ(result->affected, 0);
}

TEST_P(Conformance, UniqueViolation) {
  const auto client = session();
  const Error error = must_fail(*client, "INSERT INTO {item} VALUES (1, 1, 'again')");
  EXPECT_EQ(error.kind, ErrorKind::unique_violation);
  EXPECT_TRUE(error.vendor_code != 0 || error.sqlstate == "23505");
  EXPECT_FALSE(error.server_text.empty());
  EXPECT_EQ(error.server_text.find('\n'), std::string::npos);
}

TEST_P(Conformance, CheckViolation) {
  const auto client = session();
  const Error error = must_fail(*client, "UPDATE {item} SET stock = stock - 11 WHERE id = 1");
  EXPECT_EQ(error.kind, ErrorKind::check_violation);
  EXPECT_TRUE(error.vendor_code != 0 || error.sqlstate == "23514");
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(Conformance, ForeignKeyViolation) {
  const auto client = session();
  const Error missing = must_fail(*client, "INSERT INTO {line} VALUES (1, 99)");
  EXPECT_EQ(missing.kind, ErrorKind::foreign_key_violation);
  EXPECT_TRUE(missing.vendor_code != 0 || missing.sqlstate == "23503");
  must(*client, "INSERT INTO {line} VALUES (1, 1)");
  EXPECT_EQ(must_fail(*client, "DELETE FROM {item} WHERE id = 1").kind,
            ErrorKind::foreign_key_violation);
}

TEST_P(Conformance, NonsenseIsAnErrorAndTheSessionGoesOn) {
  const auto client = session();
  const Error error = must_fail(*client, "SELEC 1");
  EXPECT_EQ(error.kind, ErrorKind::other);
  EXPECT_TRUE(error.vendor_code != 0 || error.sqlstate == "42601");
  EXPECT_TRUE(client->usable());
  EXPECT_EQ(value_of(*client, "SELECT 1"), Value(1));
}

TEST_P(Conformance, AStatementWithoutARenderingIsNotAvailable) {
  const Statement nowhere({.kind = StatementKind::raw}, Rendering{});
  const auto client = session();
  const Error error = must_fail(*client, nowhere);
  EXPECT_EQ(error.kind, ErrorKind::other);
  EXPECT_NE(error.server_text.find("not available"), std::string::npos);
}

TEST_P(Conformance, PreparedStatementsWorkAfterErrors) {
  const auto client = session();
  const std::array<Value, 3> taken = {1, 1, "taken"};
  const std::array<Value, 3> negative = {3, -1, "negative"};
  const std::array<Value, 3> good = {3, 1, "good"};
  EXPECT_FALSE(client->execute(kInsert, taken));
  EXPECT_FALSE(client->execute(kInsert, negative));
  EXPECT_TRUE(client->execute(kInsert, good));
  EXPECT_FALSE(client->execute(kInsert, good));
  EXPECT_EQ(value_of(*client, "SELECT note FROM {item} WHERE id = 3"), Value("good"));
}

TEST_P(Conformance, CommitKeepsAndRollbackDrops) {
  const auto client = session();
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 11 WHERE id = 1");
  must(*client, commit());
  EXPECT_EQ(stock_of(1), 11);
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 12 WHERE id = 1");
  must(*client, rollback());
  EXPECT_EQ(stock_of(1), 11);
}

TEST_P(Conformance, CommitAfterAnErrorIsAnErrorAndKeepsNothing) {
  const auto client = session();
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 11 WHERE id = 1");
  must_fail(*client, "INSERT INTO {item} VALUES (2, 1, 'again')");
  EXPECT_EQ(must_fail(*client, commit()).kind, ErrorKind::other);
  EXPECT_EQ(stock_of(1), 10);
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 12 WHERE id = 1");
  must(*client, commit());
  EXPECT_EQ(stock_of(1), 12);
}

TEST_P(Conformance, RollbackAfterAnErrorMakesTheSessionGoodAgain) {
  const auto client = session();
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 11 WHERE id = 1");
  must_fail(*client, "INSERT INTO {item} VALUES (2, 1, 'again')");
  must(*client, rollback());
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 12 WHERE id = 1");
  must(*client, commit());
  EXPECT_EQ(stock_of(1), 12);
}

TEST_P(Conformance, AnErrorOutsideATransactionDoesNotSpoilTheNextOne) {
  const auto client = session();
  must_fail(*client, "INSERT INTO {item} VALUES (2, 1, 'again')");
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 11 WHERE id = 1");
  must(*client, commit());
  EXPECT_EQ(stock_of(1), 11);
}

TEST_P(Conformance, RollbackWithoutATransactionIsHarmless) {
  const auto client = session();
  must(*client, rollback());
  must(*client, "UPDATE {item} SET stock = 11 WHERE id = 1");
  EXPECT_EQ(stock_of(1), 11);
}

TEST_P(Conformance, DefinitionsRunAsPlainText) {
  const auto client = session();
  must(*client, definition_sql("CREATE TABLE {extra} (id BIGINT PRIMARY KEY)"));
  must(*client, "INSERT INTO {extra} VALUES (1)");
  must(*client, definition_sql("DROP TABLE {extra}"));
  must_fail(*client, "INSERT INTO {extra} VALUES (2)");
}

TEST_P(Conformance, ASessionKeepsTheTablePrefixThatItWasOpenedWith) {
  const auto client = session();
  const std::string prefix = database().table_prefix();
  database().set_table_prefix("elsewhere_");
  EXPECT_EQ(value_of(*client, "SELECT count(*) FROM {item}"), Value(2));
  EXPECT_FALSE(run(*session(), "SELECT count(*) FROM {item}"));
  database().set_table_prefix(prefix);
}

TEST_P(Conformance, SessionsAreOpenedFromAnyThread) {
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::atomic<int> good{0};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto client = database().open_session();
      if (client && run(**client, "SELECT ?", {i})) ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kThreads);
}

TEST_P(Conformance, SettingsAreShownWithoutThePassword) {
  const std::vector<Setting> settings = database().settings();
  EXPECT_GE(settings.size(), 4U);
  const std::string password = GetParam() == "sqlite" ? "" : server_url(GetParam()).password;
  for (const Setting& setting : settings) {
    EXPECT_FALSE(setting.name.empty());
    EXPECT_FALSE(setting.value.empty()) << setting.name;
    if (password.empty()) continue;
    EXPECT_EQ(setting.value.find(password), std::string::npos);
    EXPECT_EQ(setting.meaning.find(password), std::string::npos);
  }
}

}  // namespace
}  // namespace hilsa::tests
