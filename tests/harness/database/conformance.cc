#include "tests/harness/database/conformance.h"

#include <atomic>
#include <thread>

#include "tests/harness/database/servers_for_tests.h"

namespace hilsa::tests {
namespace {

Statement table(const std::string& columns_and_constraints, const std::string& name) {
  const std::string text = "CREATE TABLE {" + name + "} (" + columns_and_constraints + ")";
  const Rendering plain = {{text, {}}};
  const Rendering innodb = {{text + " ENGINE = InnoDB DEFAULT CHARACTER SET = utf8mb4", {}}};
  return {{.kind = StatementKind::definition},
          std::array<Rendering, kProductCount>{plain, innodb, innodb, plain}};
}

std::string unique_prefix() {
  static std::atomic<int> tests{0};
  return "t" + std::to_string(++tests) + "_";
}

std::string text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : to_text(value);
}

}  // namespace

Expected<Result> run(Session& session, std::string_view text,
                     const std::vector<Value>& parameters) {
  return session.execute(raw_sql(text), parameters);
}

Result must(Session& session, std::string_view text, const std::vector<Value>& parameters) {
  const auto result = run(session, text, parameters);
  if (result) return *result;
  ADD_FAILURE() << text << ": " << to_text(result.error());
  return {};
}

void must(Session& session, const Statement& statement) {
  const auto result = session.execute(statement);
  if (!result) ADD_FAILURE() << to_text(result.error());
}

Error must_fail(Session& session, std::string_view text, const std::vector<Value>& parameters) {
  const auto result = run(session, text, parameters);
  if (!result) return result.error();
  ADD_FAILURE() << text << " should have failed";
  return {};
}

Error must_fail(Session& session, const Statement& statement) {
  const auto result = session.execute(statement);
  if (!result) return result.error();
  ADD_FAILURE() << "should have failed";
  return {};
}

Value value_of(Session& session, std::string_view text, const std::vector<Value>& parameters) {
  const Result result = must(session, text, parameters);
  if (result.rows.size() == 1 && result.rows[0].size() == 1) return result.rows[0][0];
  ADD_FAILURE() << text << ": " << result.rows.size() << " rows";
  return {};
}

Pending in_background(Session& session, std::string text, std::vector<Value> parameters) {
  return std::async(std::launch::async,
                    [&session, text = std::move(text), parameters = std::move(parameters)] {
                      return run(session, text, parameters);
                    });
}

Expected<Result> outcome_of(Pending& pending) {
  EXPECT_EQ(pending.wait_for(kPatience), std::future_status::ready);
  return pending.get();
}

bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds pause) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(pause);
  }
  return false;
}

void Conformance::SetUp() {
  database_ = open_for_test(GetParam());
  database_->set_table_prefix(unique_prefix());
  const auto first = session();
  must(*first, table("id BIGINT PRIMARY KEY, stock BIGINT NOT NULL, note VARCHAR(200), "
                     "CHECK (stock >= 0)",
                     "item"));
  must(*first, table("id BIGINT PRIMARY KEY, item BIGINT NOT NULL, "
                     "FOREIGN KEY (item) REFERENCES {item} (id)",
                     "line"));
  must(*first, "INSERT INTO {item} VALUES (1, 10, 'one'), (2, 20, 'two')");
}

std::unique_ptr<Database> Conformance::open_again(const ConnectOptions& options) const {
  if (product() == Product::sqlite) {
    throw std::logic_error("a temporary file has only one database");
  }
  auto again = open_for_test(GetParam(), options);
  again->set_table_prefix(database_->table_prefix());
  return again;
}

std::unique_ptr<Session> Conformance::session_of(Database& database) {
  auto session = database.open_session();
  if (!session) throw std::runtime_error(to_text(session.error()));
  return std::move(*session);
}

bool Conformance::is_innodb() const {
  return product() == Product::mysql || product() == Product::mariadb;
}

bool Conformance::somebody_waits(Session& session) const {
  if (is_innodb()) {
    // MariaDB's innodb_trx is a cache that frequent readers never see renewed. Above this heading
    // the report tells of the last deadlock, whose transactions waited as well.
    const Value report = must(session, "SHOW ENGINE INNODB STATUS").rows.at(0).back();
    const std::string text = text_of(report);
    const std::size_t list = text.find("LIST OF TRANSACTIONS FOR EACH SESSION");
    return list != std::string::npos && text.find("LOCK WAIT", list) != std::string::npos;
  }
  return value_of(session,
                  "SELECT count(*) FROM pg_stat_activity "
                  "WHERE wait_event_type = 'Lock' AND datname = current_database()") != Value(0);
}

void Conformance::wait_until_blocked() {
  if (!observer_) observer_ = session();
  ASSERT_TRUE(wait_until([this] { return somebody_waits(*observer_); })) << "nobody waits";
}

std::string Conformance::level_in_effect(Session& session) const {
  if (!is_innodb()) {
    return text_of(value_of(session, "SELECT current_setting('transaction_isolation')"));
  }
  // There is no such transaction before it touches a row, and the table is a cache that is renewed
  // only when nobody has read it for 100 ms.
  constexpr std::chrono::milliseconds kCacheIsOld{150};
  must(session, "SELECT id FROM {item} WHERE id = 1 FOR UPDATE");
  std::this_thread::sleep_for(kCacheIsOld);
  const Value level = value_of(session,
                               "SELECT trx_isolation_level FROM information_schema.innodb_trx "
                               "WHERE trx_mysql_thread_id = CONNECTION_ID()");
  const auto known = isolation_named(text_of(level));
  return known ? std::string(name_of(*known)) : text_of(level);
}

std::string Conformance::connection_id(Session& session) const {
  return text_of(
      value_of(session, is_innodb() ? "SELECT CONNECTION_ID()" : "SELECT pg_backend_pid()"));
}

void Conformance::kill(const std::string& id) {
  const auto killer = session();
  if (is_innodb()) {
    must(*killer, "KILL " + id);
  } else {
    must(*killer, "SELECT pg_terminate_backend(" + id + ")");
  }
  const std::string left =
      is_innodb() ? "SELECT count(*) FROM information_schema.processlist WHERE id = " + id
                  : "SELECT count(*) FROM pg_stat_activity WHERE pid = " + id;
  ASSERT_TRUE(wait_until([&] { return value_of(*killer, left) == Value(0); }));
}

std::int64_t Conformance::stock_of(int id) {
  const auto reader = session();
  const Value stock = value_of(*reader, "SELECT stock FROM {item} WHERE id = ?", {id});
  return std::holds_alternative<std::int64_t>(stock) ? std::get<std::int64_t>(stock) : -1;
}

std::string product_of(const ::testing::TestParamInfo<std::string>& test) { return test.param; }

}  // namespace hilsa::tests
