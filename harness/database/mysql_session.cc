#include "harness/database/mysql_session.h"

#include <cppconn/datatype.h>
#include <cppconn/exception.h>
#include <cppconn/resultset_metadata.h>

#include <chrono>
#include <stdexcept>
#include <variant>

#include "harness/database/mysql_errors.h"
#include "harness/database/mysql_result.h"

namespace hilsa {
namespace {

constexpr int kCommandsOutOfSync = 2014;
constexpr int kNotPreparable = 1295;

Error refused(ErrorKind kind, std::string text) { return {kind, "", 0, std::move(text)}; }

bool runs_as_text(StatementKind kind) {
  return kind == StatementKind::begin || kind == StatementKind::commit ||
         kind == StatementKind::rollback || kind == StatementKind::definition;
}

// Connector/C++ cannot fetch these through a prepared statement.
bool has_json(sql::ResultSetMetaData& columns) {
  for (unsigned column = 1; column <= columns.getColumnCount(); ++column) {
    const int type = columns.getColumnType(column);
    if (type == sql::DataType::UNKNOWN || type == sql::DataType::JSON) return true;
  }
  return false;
}

void bind(sql::PreparedStatement& prepared, const Sql& sql, std::span<const Value> parameters) {
  for (std::size_t i = 0; i < sql.binds.size(); ++i) {
    const auto index = static_cast<std::size_t>(sql.binds[i]);
    if (index >= parameters.size()) throw std::out_of_range("a parameter is missing: " + sql.text);
    const auto position = static_cast<unsigned>(i + 1);
    if (const auto* number = std::get_if<std::int64_t>(&parameters[index])) {
      prepared.setInt64(position, *number);
    } else if (const auto* text = std::get_if<std::string>(&parameters[index])) {
      prepared.setString(position, *text);
    } else {
      prepared.setNull(position, sql::DataType::BIGINT);
    }
  }
}

}  // namespace

// Tells interrupt() that there is something to end. ROLLBACK is left alone.
class MysqlSession::Running {
 public:
  Running(MysqlSession& session, StatementKind kind) : session_(session) {
    const std::lock_guard lock(session_.mutex_);
    session_.running_ = kind != StatementKind::rollback;
  }
  ~Running() {
    const std::lock_guard lock(session_.mutex_);
    session_.running_ = false;
    session_.ended_.notify_all();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  MysqlSession& session_;
};

MysqlSession::MysqlSession(std::shared_ptr<const MysqlConnector> connector, Product product,
                           const std::string& setup, std::string table_prefix)
    : connector_(std::move(connector)),
      product_(product),
      table_prefix_(std::move(table_prefix)),
      connection_(connector_->connect()),
      text_(connection_->createStatement()) {
  mysql_run_text(*text_, setup);
  const Result answer = mysql_run_text(*text_, "SELECT CONNECTION_ID()");
  server_id_ = std::get<std::int64_t>(answer.rows.at(0).at(0));
}

Expected<Result> MysqlSession::execute(const Statement& statement,
                                       std::span<const Value> parameters) {
  const StatementKind kind = statement.kind();
  if (auto error = refusal(kind)) return tl::unexpected(std::move(*error));
  if (kind == StatementKind::commit && transaction_.failed()) return roll_back_instead();
  const Running running(*this, kind);
  Expected<Result> result = run(statement, parameters);
  if (!result && kind == StatementKind::rollback && result.error().kind == ErrorKind::interrupted) {
    // A kill that was meant for the statement before it.
    result = run(statement, parameters);
  }
  if (result) {
    transaction_.ended_well(kind);
  } else {
    note_failure(kind, result.error());
  }
  return result;
}

std::optional<Error> MysqlSession::refusal(StatementKind kind) const {
  if (!usable_) return refused(ErrorKind::connection_lost, "the connection was lost");
  if (kind == StatementKind::rollback) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (interrupted_) return refused(ErrorKind::interrupted, "stopped by the user");
  }
  if (transaction_.failed() && kind != StatementKind::commit) {
    return refused(ErrorKind::other, "a statement of this transaction had failed; roll it back");
  }
  const bool commits_silently = kind == StatementKind::begin || kind == StatementKind::definition;
  if (transaction_.open() && commits_silently) {
    return refused(ErrorKind::other, "would commit the open transaction; end that first");
  }
  return std::nullopt;
}

Expected<Result> MysqlSession::roll_back_instead() {
  const auto rolled_back = execute(rollback());
  return tl::unexpected(rolled_back ? TransactionState::commit_refused() : rolled_back.error());
}

void MysqlSession::note_failure(StatementKind kind, Error& error) {
  const bool is_cut_short =
      error.kind == ErrorKind::interrupted || error.kind == ErrorKind::statement_timeout;
  if (error.kind == ErrorKind::interrupted) {
    const std::lock_guard lock(mutex_);
    if (!interrupted_) error.kind = ErrorKind::other;
  }
  if (error.kind == ErrorKind::connection_lost) {
    error.kind = transaction_.when_link_breaks(kind);
    usable_ = false;
  } else if (kind == StatementKind::commit && is_cut_short) {
    error.kind = ErrorKind::commit_unknown;
    usable_ = false;
  } else if (error.vendor_code == kCommandsOutOfSync) {
    usable_ = false;
  }
  transaction_.ended_badly();
}

Expected<Result> MysqlSession::run(const Statement& statement, std::span<const Value> parameters) {
  const Rendering& rendering = statement.rendering(product_);
  if (rendering.empty()) {
    return tl::unexpected(
        refused(ErrorKind::other, "not available on " + std::string(title_of(product_))));
  }
  try {
    Result result;
    for (std::size_t i = 0; i < rendering.size(); ++i) result = run_text(statement, i, parameters);
    return result;
  } catch (const sql::SQLException& exception) {
    return tl::unexpected(mysql_error(exception));
  } catch (const std::runtime_error& exception) {
    return tl::unexpected(refused(ErrorKind::other, exception.what()));
  }
}

Result MysqlSession::run_text(const Statement& statement, std::size_t i,
                              std::span<const Value> parameters) {
  const StatementKind kind = statement.kind();
  const Sql& sql = statement.rendering(product_)[i];
  // Connection::commit() and its kin swallow every error: transactions are ended by text.
  if (runs_as_text(kind)) return mysql_run_text(*text_, with_table_prefix(sql.text, table_prefix_));
  Prepared& entry = prepared(statement, i);
  if (!entry.statement) return mysql_run_text(*text_, with_table_prefix(sql.text, table_prefix_));
  bind(*entry.statement, sql, parameters);
  Result result = mysql_run_prepared(*entry.statement, entry.reads);
  const bool returns_its_rows = kind == StatementKind::update || kind == StatementKind::insert ||
                                kind == StatementKind::erase;
  if (returns_its_rows && !result.columns.empty()) {
    result.affected = static_cast<std::int64_t>(result.rows.size());
  }
  return result;
}

MysqlSession::Prepared& MysqlSession::prepared(const Statement& statement, std::size_t i) {
  const std::pair key(statement.id(), i);
  const auto found = prepared_.find(key);
  if (found != prepared_.end()) return found->second;
  const Sql& sql = statement.rendering(product_)[i];
  const std::string text = with_table_prefix(sql.text, table_prefix_);
  return prepared_.emplace(key, prepare(text, !sql.binds.empty())).first->second;
}

MysqlSession::Prepared MysqlSession::prepare(const std::string& text, bool has_parameters) {
  Prepared result;
  try {
    result.statement.reset(connection_->prepareStatement(text));
    sql::ResultSetMetaData& columns = *result.statement->getMetaData();
    result.reads = columns.getColumnCount() > 0;
    if (!has_parameters && has_json(columns)) result.statement.reset();
  } catch (const sql::SQLException& exception) {
    if (has_parameters || exception.getErrorCode() != kNotPreparable) throw;
  }
  return result;
}

void MysqlSession::interrupt() noexcept {
  constexpr int kKillsMax = 10;
  constexpr std::chrono::milliseconds kPause{100};
  try {
    std::unique_lock lock(mutex_);
    interrupted_ = true;
    // A kill that comes before the server has begun the statement is lost: hence again.
    for (int kills = 0; running_ && kills < kKillsMax; ++kills) {
      lock.unlock();
      kill_running_statement();
      lock.lock();
      ended_.wait_for(lock, kPause, [this] { return !running_; });
    }
  } catch (const std::exception&) {
    // The server cannot be reached, or takes no more connections: the statement runs to its limit.
  }
}

void MysqlSession::kill_running_statement() const {
  const auto control = connector_->connect();
  const std::unique_ptr<sql::Statement> statement(control->createStatement());
  statement->execute("KILL QUERY " + std::to_string(server_id_));
}

}  // namespace hilsa
