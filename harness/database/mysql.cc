// MySQL and MariaDB through MySQL Connector/C++ 1.1, whose traps are noted where they are avoided.
#include <cppconn/exception.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include "harness/database/drivers.h"
#include "harness/database/mysql_connector.h"
#include "harness/database/mysql_errors.h"
#include "harness/database/mysql_session.h"
#include "harness/database/mysql_settings.h"
#include "harness/database/usage_error.h"
#include "harness/history/deadlock_report.h"

namespace hilsa {
namespace {

using Variables = std::map<std::string, std::string>;

std::string value_of(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

// What every session starts with: the server's own isolation level, which the client library has
// replaced, and the statement limit, as each product has it. MySQL's is for SELECT only: there a
// write may wait that long for a lock, and one that is slow for another reason ends when the client
// loses its patience (MysqlConnector).
std::string session_setup(const Variables& variables, std::chrono::milliseconds limit) {
  std::string setup = "SET SESSION " + mysql_isolation_variable(variables) + " = DEFAULT";
  if (variables.contains("max_statement_time")) {
    std::string ms = std::to_string(limit.count() % 1000);
    ms.insert(0, 3 - ms.size(), '0');
    setup += ", SESSION max_statement_time = " + std::to_string(limit.count() / 1000) + "." + ms;
  } else if (variables.contains("max_execution_time")) {
    setup += ", SESSION max_execution_time = " + std::to_string(limit.count());
    // Otherwise the client would give up first, and the server go on waiting.
    const auto seconds = std::max<std::int64_t>(1, (limit.count() + 999) / 1000);
    if (std::atoll(value_of(variables, "innodb_lock_wait_timeout").c_str()) > seconds) {
      setup += ", SESSION innodb_lock_wait_timeout = " + std::to_string(seconds);
    }
  }
  return setup;
}

// Whether the status lists a transaction of this connection that waits for a lock. It has a
// paragraph for each: `---TRANSACTION 4711, ACTIVE 0 sec starting index read`, `LOCK WAIT 2 lock
// struct(s) …`, `MariaDB thread id 12, OS thread handle …`.
bool innodb_waits(std::string_view status, std::int64_t connection) {
  constexpr std::string_view kBegin = "---TRANSACTION ";
  const std::string thread = " thread id " + std::to_string(connection) + ",";
  for (auto at = status.find(kBegin); at != std::string_view::npos;) {
    const auto next = status.find(kBegin, at + kBegin.size());
    const std::string_view paragraph = status.substr(at, next - at);
    if (paragraph.find(thread) != std::string_view::npos) {
      return paragraph.find("LOCK WAIT") != std::string_view::npos;
    }
    at = next;
  }
  return false;
}

Traits traits_of(const Variables& variables) {
  Traits traits;
  traits.version = value_of(variables, "version");
  const bool is_mariadb = traits.version.find("MariaDB") != std::string::npos;
  traits.product = is_mariadb ? Product::mariadb : Product::mysql;
  traits.default_isolation =
      isolation_named(value_of(variables, mysql_isolation_variable(variables)))
          .value_or(Isolation::repeatable_read);
  traits.innodb_snapshot_isolation =
      is_mariadb && value_of(variables, "innodb_snapshot_isolation") == "ON";
  return traits;
}

template <typename F>
auto or_unusable(const Url& url, F ask) {
  try {
    return ask();
  } catch (const sql::SQLException& exception) {
    throw DatabaseUnusable(mysql_advice(url, mysql_error(exception)));
  }
}

// MariaDB's tables of locks are filled anew only when nobody has looked for 100 ms; its status is
// always fresh. Needs the privilege PROCESS.
class InnodbStatusWatch final : public BlockWatch {
 public:
  explicit InnodbStatusWatch(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  Expected<bool> is_blocked(std::int64_t session) override {
    const auto status = session_->execute(status_);
    if (!status) return tl::unexpected(status.error());
    const auto* const text = std::get_if<std::string>(&status->rows.at(0).back());
    if (text != nullptr && innodb_waits(*text, session)) return true;
    const std::array<Value, 1> parameters = {session};
    const auto locks = session_->execute(named_locks_, parameters);
    if (!locks) return tl::unexpected(locks.error());
    return locks->rows.at(0).at(0) != Value(std::int64_t{0});
  }
  std::string how() const override { return "SHOW ENGINE INNODB STATUS"; }

 private:
  std::unique_ptr<Session> session_;
  // As plain text: see latest_deadlock().
  Statement status_ = definition_sql("SHOW ENGINE INNODB STATUS");
  Statement named_locks_ = raw_sql(
      "SELECT COUNT(*) FROM information_schema.processlist WHERE id = ? AND state = 'User lock'");
};

class MysqlDatabase final : public Database {
 public:
  MysqlDatabase(const Url& url, const ConnectOptions& options)
      : Database(url.redacted()),
        url_(url),
        connector_(std::make_shared<const MysqlConnector>(url, options)) {
    const Variables variables =
        or_unusable(url_, [this] { return mysql_variables(*connector_->connect()); });
    traits_ = traits_of(variables);
    setup_ = session_setup(variables, options.statement_timeout);
  }

  Expected<std::unique_ptr<Session>> open_session() override {
    try {
      return std::make_unique<MysqlSession>(connector_, product(), setup_, table_prefix());
    } catch (const sql::SQLException& exception) {
      return tl::unexpected(mysql_error(exception));
    } catch (const std::runtime_error& exception) {
      return tl::unexpected(Error{ErrorKind::other, "", 0, exception.what()});
    }
  }

  Expected<std::unique_ptr<BlockWatch>> watch_blocking() override {
    auto session = open_session();
    if (!session) return tl::unexpected(session.error());
    std::unique_ptr<BlockWatch> watch;
    if (product() == Product::mysql) {
      watch = std::make_unique<QueryBlockWatch>(
          *std::move(session),
          "SELECT COUNT(*) FROM performance_schema.threads t WHERE t.processlist_id = ? AND "
          "(t.processlist_state = 'User lock' OR EXISTS (SELECT 1 FROM "
          "performance_schema.data_lock_waits w WHERE w.requesting_thread_id = t.thread_id))",
          "performance_schema.data_lock_waits");
    } else {
      watch = std::make_unique<InnodbStatusWatch>(*std::move(session));
    }
    constexpr std::int64_t kNobody = -1;
    if (const auto answer = watch->is_blocked(kNobody); !answer) {
      return tl::unexpected(answer.error());
    }
    return watch;
  }

  // Of SHOW ENGINE INNODB STATUS, which needs the privilege PROCESS, the one section. As plain
  // text: prepared, the server announces a column much shorter than what comes, and Connector/C++
  // writes behind its buffer.
  Expected<std::string> latest_deadlock(Session& session) override {
    static const Statement status = definition_sql("SHOW ENGINE INNODB STATUS");
    const auto answer = session.execute(status);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->rows.empty()) return std::string();
    const auto* const text = std::get_if<std::string>(&answer->rows[0].back());
    return text == nullptr ? std::string() : std::string(innodb_deadlock_section(*text));
  }

  std::vector<Setting> settings() override {
    return or_unusable(url_, [this] { return mysql_settings(*connector_->connect(), product()); });
  }

 private:
  Url url_;
  std::shared_ptr<const MysqlConnector> connector_;
  std::string setup_;
};

}  // namespace

std::unique_ptr<Database> open_mysql(const Url& url, const ConnectOptions& options) {
  return std::make_unique<MysqlDatabase>(url, options);
}

}  // namespace hilsa
