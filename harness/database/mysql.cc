// MySQL and MariaDB through MySQL Connector/C++ 1.1, whose traps are noted where they are avoided.
#include <cppconn/exception.h>

#include <cctype>
#include <chrono>
#include <string>

#include "harness/database/drivers.h"
#include "harness/database/mysql_connector.h"
#include "harness/database/mysql_errors.h"
#include "harness/database/mysql_session.h"
#include "harness/database/mysql_settings.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

// The statement limit, as each product has it. MySQL's is for SELECT only; an overlong write ends
// when the client loses its patience (MysqlConnector).
std::string statement_limit(Product product, std::chrono::milliseconds limit) {
  if (product == Product::mysql)
    return "SESSION max_execution_time = " + std::to_string(limit.count());
  std::string ms = std::to_string(limit.count() % 1000);
  ms.insert(0, 3 - ms.size(), '0');
  return "SESSION max_statement_time = " + std::to_string(limit.count() / 1000) + "." + ms;
}

template <typename F>
auto or_unusable(const Url& url, F ask) {
  try {
    return ask();
  } catch (const sql::SQLException& exception) {
    throw DatabaseUnusable(mysql_advice(url, mysql_error(exception)));
  }
}

class MysqlDatabase final : public Database {
 public:
  MysqlDatabase(const Url& url, const ConnectOptions& options)
      : Database(url.redacted()),
        url_(url),
        connector_(std::make_shared<const MysqlConnector>(url, options)) {
    const auto variables = or_unusable(url_, [this] { return mysql_variables(*connector_->connect()); });
    const auto value_of = [&](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
    const std::string isolation = mysql_isolation_variable(variables);
    traits_.version = value_of("version");
    const bool is_mariadb = traits_.version.find("MariaDB") != std::string::npos;
    traits_.product = is_mariadb ? Product::mariadb : Product::mysql;
    traits_.default_isolation =
        isolation_named(value_of(isolation)).value_or(Isolation::repeatable_read);
    traits_.innodb_snapshot_isolation = is_mariadb && value_of("innodb_snapshot_isolation") == "ON";
    setup_ = "SET SESSION " + isolation + " = DEFAULT, " +
             statement_limit(traits_.product, options.statement_timeout);
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

  std::vector<Setting> settings() override {
    return or_unusable(url_, [this] { return mysql_settings(*connector_->connect(), product()); });
  }

 private:
  Url url_;
  std::shared_ptr<const MysqlConnector> connector_;
  std::string setup_;  // what every session starts with
};

}  // namespace

std::unique_ptr<Database> open_mysql(const Url& url, const ConnectOptions& options) {
  return std::make_unique<MysqlDatabase>(url, options);
}

}  // namespace hilsa
