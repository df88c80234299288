// One connection to a MySQL or MariaDB server.
#pragma once

#include <cppconn/connection.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/statement.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "harness/database/mysql_connector.h"
#include "harness/database/session.h"
#include "harness/database/transaction_state.h"

namespace hilsa {

// Stricter than the servers, because they commit without being asked: BEGIN and definitions are
// refused while a transaction is open (they would commit it), and everything but ROLLBACK once a
// statement of the transaction has failed (after a deadlock the transaction is gone, and a further
// statement would commit by itself).
class MysqlSession final : public Session {
 public:
  // `setup` is run first. Throws sql::SQLException.
  MysqlSession(std::shared_ptr<const MysqlConnector> connector, Product product,
               const std::string& setup, std::string table_prefix);

  using Session::execute;
  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters) override;
  bool usable() const override { return usable_; }
  std::int64_t server_id() const override { return server_id_; }
  // Opens a connection of its own to kill the statement; returns when that has ended, or after a
  // second or so.
  void interrupt() noexcept override;

 private:
  struct Prepared {
    std::unique_ptr<sql::PreparedStatement> statement;  // null: it can only be run as text
    bool reads = false;
  };
  class Running;

  std::optional<Error> refusal(StatementKind kind) const;
  Expected<Result> run(const Statement& statement, std::span<const Value> parameters);
  Result run_text(const Statement& statement, std::size_t i, std::span<const Value> parameters);
  Prepared& prepared(const Statement& statement, std::size_t i);
  Prepared prepare(const std::string& text, bool has_parameters);
  Expected<Result> roll_back_instead();
  void note_failure(StatementKind kind, Error& error);
  void kill_running_statement() const;

  std::shared_ptr<const MysqlConnector> connector_;
  Product product_;
  std::string table_prefix_;
  std::unique_ptr<sql::Connection> connection_;  // outlives the statements below
  std::unique_ptr<sql::Statement> text_;
  std::map<std::pair<int, std::size_t>, Prepared> prepared_;
  std::int64_t server_id_ = 0;
  TransactionState transaction_;
  bool usable_ = true;

  mutable std::mutex mutex_;  // guards the rest
  std::condition_variable ended_;
  bool running_ = false;  // a statement that interrupt() should end
  bool interrupted_ = false;
};

}  // namespace hilsa
