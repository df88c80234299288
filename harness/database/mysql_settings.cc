#include "harness/database/mysql_settings.h"

#include <cppconn/exception.h>
#include <cppconn/statement.h>

#include <array>
#include <memory>
#include <optional>

#include "harness/database/mysql_result.h"

namespace hilsa {
namespace {

struct Shown {
  const char* name;
  const char* meaning;
};
constexpr std::array kShown = {
    Shown{"max_connections", "clients + a few must fit in"},
    Shown{"innodb_lock_wait_timeout",
          "seconds that a statement waits for a row lock; then error 1205, and only the statement "
          "is rolled back"},
    Shown{"innodb_deadlock_detect", "off: deadlocks end as lock wait timeouts"},
    Shown{"innodb_print_all_deadlocks", "on: every deadlock is in the server's error log"},
    Shown{"innodb_flush_log_at_trx_commit", "1: a commit is on disk when it is acknowledged"},
    Shown{"sync_binlog", "1: so is the binary log"},
    Shown{"innodb_snapshot_isolation",
          "on: repeatable read refuses to write a row that changed since its snapshot"},
    Shown{"performance_schema", "on MySQL, off: who waits for whom is not visible"},
    Shown{"wait_timeout", "seconds after which an idle connection is closed"},
};

struct Privilege {
  std::optional<Product> only_on;
  const char* probe;  // a statement that changes nothing, and fails without the privilege
  const char* name;
  const char* meaning;
};
constexpr std::array kPrivileges = {
    // There is no such table to copy: with the privilege, it is that which the server complains of.
    Privilege{std::nullopt, "CREATE TABLE hilsa_doctor LIKE hilsa_doctor_there_is_none",
              "create tables",
              "this user cannot make the tables that runs work in: GRANT ALL ON the database"},
    Privilege{Product::mysql, "SELECT 1 FROM performance_schema.data_lock_waits LIMIT 1",
              "performance_schema.data_lock_waits",
              "who waits for whom is not visible: GRANT SELECT ON performance_schema.*"},
    Privilege{std::nullopt, "SELECT 1 FROM information_schema.innodb_trx LIMIT 1",
              "InnoDB status and other users' sessions",
              "deadlock reports and waits are not visible: GRANT PROCESS ON *.*"},
    Privilege{Product::mysql, "XA RECOVER", "list prepared XA transactions",
              "leftovers of two-phase commits are not visible: GRANT XA_RECOVER_ADMIN ON *.*"},
};

Result ask(sql::Connection& connection, const std::string& text) {
  const std::unique_ptr<sql::Statement> statement(connection.createStatement());
  return mysql_run_text(*statement, text);
}

std::string text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : to_text(value);
}

std::map<std::string, std::string> pairs(const Result& result) {
  std::map<std::string, std::string> values;
  for (const auto& row : result.rows) values[text_of(row.at(0))] = text_of(row.at(1));
  return values;
}

bool is_denied(int code) {
  constexpr std::array kCodes = {1044, 1045, 1142, 1143, 1227, 1401};
  for (const int denied : kCodes) {
    if (code == denied) return true;
  }
  return false;
}

bool may(sql::Connection& connection, const Privilege& privilege) {
  try {
    ask(connection, privilege.probe);
  } catch (const sql::SQLException& exception) {
    return !is_denied(exception.getErrorCode());
  }
  return true;
}

}  // namespace

std::map<std::string, std::string> mysql_variables(sql::Connection& connection) {
  std::string names =
      "'version', 'tx_isolation', 'transaction_isolation', 'max_statement_time', "
      "'max_execution_time'";
  for (const Shown& shown : kShown) names += std::string(", '") + shown.name + "'";
  // The server's values: this session's isolation level is the client library's doing.
  return pairs(ask(connection, "SHOW GLOBAL VARIABLES WHERE Variable_name IN (" + names + ")"));
}

std::string mysql_isolation_variable(const std::map<std::string, std::string>& variables) {
  return variables.contains("transaction_isolation") ? "transaction_isolation" : "tx_isolation";
}

std::vector<Setting> mysql_settings(sql::Connection& connection, Product product) {
  const auto variables = mysql_variables(connection);
  const auto status = pairs(ask(connection, "SHOW GLOBAL STATUS LIKE 'Threads_connected'"));
  std::vector<Setting> settings;
  for (const Shown& shown : kShown) {
    const auto found = variables.find(shown.name);
    if (found != variables.end()) settings.push_back({shown.name, found->second, shown.meaning});
  }
  if (const auto found = status.find("Threads_connected"); found != status.end()) {
    settings.push_back({"connections now", found->second, "this one included"});
  }
  const std::string isolation = mysql_isolation_variable(variables);
  if (const auto found = variables.find(isolation); found != variables.end()) {
    settings.push_back({isolation, found->second, "of a transaction that asks for no level"});
  }
  for (const Privilege& privilege : kPrivileges) {
    if (privilege.only_on.value_or(product) != product || may(connection, privilege)) continue;
    settings.push_back({privilege.name, "not allowed", privilege.meaning});
  }
  const Result left = ask(connection,
                          "SELECT GROUP_CONCAT(table_name SEPARATOR ', ') FROM "
                          "information_schema.tables WHERE table_schema = DATABASE() AND "
                          "table_name REGEXP '^hilsa_[0-9a-f]{8}_'");
  if (const auto* names = std::get_if<std::string>(&left.rows.at(0).at(0))) {
    settings.push_back(
        {"left from earlier runs", *names, "if none of them is running: DROP TABLE these"});
  }
  return settings;
}

}  // namespace hilsa
