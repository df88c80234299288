// PostgreSQL through libpqxx (6.4 to 7.x). One pqxx::nontransaction lives as long as the
// connection: transactions are delimited by our own BEGIN and COMMIT, so that level and outcome are
// ours to see.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <pqxx/pqxx>

#include "harness/database/drivers.h"
#include "harness/database/transaction_state.h"
#include "harness/database/usage_error.h"

// 6.4 marks what 7.x removed, 7.10 what 8 will replace; both still work.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace hilsa {
namespace {

using namespace std::string_literals;

// `ERROR:  text\nDETAIL:  more\n` as one line: `text; DETAIL:  more`.
std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (const std::string_view start : {"ERROR:  ", "FATAL:  "}) {
    if (text.starts_with(start)) text.erase(0, start.size());
  }
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text.replace(at, 1, "; ");
  }
  return text;
}

void remove_all(std::string& text, const std::string& secret) {
  if (secret.empty()) return;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), "***");
    at += 3;
  }
}

ErrorKind kind_of(std::string_view sqlstate) {
  struct Row {
    std::string_view sqlstate;
    ErrorKind kind;
  };
  constexpr std::array kRows = {Row{"40001", ErrorKind::serialization_failure},
                                Row{"40P01", ErrorKind::deadlock},
                                Row{"55P03", ErrorKind::lock_timeout},
                                Row{"23505", ErrorKind::unique_violation},
                                Row{"23514", ErrorKind::check_violation},
                                Row{"23503", ErrorKind::foreign_key_violation},
                                Row{"57014", ErrorKind::statement_timeout},
                                Row{"57P01", ErrorKind::connection_lost},
                                Row{"25P03", ErrorKind::connection_lost},
                                Row{"57P04", ErrorKind::connection_lost},
                                Row{"57P05", ErrorKind::connection_lost},
                                Row{"57P02", ErrorKind::connection_lost},
                                Row{"57P03", ErrorKind::connection_lost}};
  const auto* const found = std::find_if(kRows.begin(), kRows.end(),
                                         [&](const Row& row) { return row.sqlstate == sqlstate; });
  return found == kRows.end() ? ErrorKind::other : found->kind;
}

Error sql_error(const std::string& sqlstate, const char* text) {
  return {kind_of(sqlstate), sqlstate, 0, one_line(text)};
}

Value integer_or_text(const char* text, std::size_t size) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text, text + size, number);
  if (end.ec == std::errc() && end.ptr == text + size) return number;
  return std::string(text, size);
}

Value value_of(const pqxx::field& field, pqxx::oid type) {
  if (field.is_null()) return std::monostate();
  constexpr pqxx::oid kBool = 16;
  // int8, int2, int4, oid, numeric (the type of sum() over int8)
  constexpr std::array<pqxx::oid, 5> kNumbers = {20, 21, 23, 26, 1700};
  if (type == kBool) return std::int64_t{field.c_str()[0] == 't'};
  if (std::find(kNumbers.begin(), kNumbers.end(), type) == kNumbers.end()) {
    return std::string(field.c_str(), field.size());
  }
  return integer_or_text(field.c_str(), field.size());
}

Result to_result(const pqxx::result& answer, StatementKind kind) {
  Result result;
  const auto columns = answer.columns();
  if (kind == StatementKind::raw) {
    for (pqxx::row::size_type column = 0; column < columns; ++column) {
      result.columns.emplace_back(answer.column_name(column));
    }
  }
  result.rows.reserve(static_cast<std::size_t>(answer.size()));
  for (const auto& row : answer) {
    std::vector<Value>& values = result.rows.emplace_back();
    values.reserve(static_cast<std::size_t>(columns));
    for (pqxx::row::size_type column = 0; column < columns; ++column) {
      values.push_back(value_of(row[column], answer.column_type(column)));
    }
  }
  const bool reads = kind == StatementKind::read_row || kind == StatementKind::read_rows;
  if (!reads) result.affected = static_cast<std::int64_t>(answer.affected_rows());
  return result;
}

class PostgresSession final : public Session {
 public:
  // Throws what libpqxx throws.
  PostgresSession(const std::string& uri, const ConnectOptions& options, std::string table_prefix)
      : connection_(uri), quiet_(connection_), table_prefix_(std::move(table_prefix)) {
#if PQXX_VERSION_MAJOR < 7
    connection_.inhibit_reactivation(true);  // 6.x would reconnect without a word
#endif
    server_id_ = connection_.backendpid();
    direct_.emplace(connection_);
    direct_->exec("SET statement_timeout = " + std::to_string(options.statement_timeout.count()));
    if (options.watched) look_for_deadlocks_soon();
  }

  using Session::execute;

  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters) override {
    const StatementKind kind = statement.kind();
    if (!usable_) return tl::unexpected(Error{ErrorKind::connection_lost, "", 0, kLost});
    if (interrupted_ && kind != StatementKind::rollback) {
      return tl::unexpected(Error{ErrorKind::interrupted, "", 0, "stopped by the user"});
    }
    if (kind == StatementKind::commit && transaction_.failed()) {
      const auto rolled_back = execute(rollback());
      return tl::unexpected(rolled_back ? TransactionState::commit_refused() : rolled_back.error());
    }
    Expected<Result> result = run(statement, parameters);
    if (result) {
      transaction_.ended_well(kind);
    } else {
      note_failure(kind, result.error());
    }
    return result;
  }

  bool usable() const override { return usable_; }
  std::int64_t server_id() const override { return server_id_; }

  void interrupt() noexcept override {
    interrupted_ = true;
    try {
      connection_.cancel_query();
    } catch (const std::exception&) {
      // Already lost: the statement ends by itself.
    }
  }

 private:
  static constexpr const char* kLost = "the connection was lost";

  // Instead of after a second; only superusers and those they have allowed to may ask for it.
  void look_for_deadlocks_soon() {
    try {
      direct_->exec("SET deadlock_timeout = '5ms'");
    } catch (const pqxx::sql_error&) {
      // Then deadlocks take as long as they do.
    }
  }

  void note_failure(StatementKind kind, Error& error) {
    if (error.kind == ErrorKind::connection_lost) {
      error.kind = transaction_.when_link_breaks(kind);
      usable_ = false;
    }
    if (error.kind == ErrorKind::statement_timeout && interrupted_) {
      error.kind = ErrorKind::interrupted;
    }
    transaction_.ended_badly();
  }

  Expected<Result> run(const Statement& statement, std::span<const Value> parameters) {
    const Rendering& rendering = statement.rendering(Product::postgresql);
    if (rendering.empty()) {
      return tl::unexpected(Error{ErrorKind::other, "", 0, "not available on PostgreSQL"});
    }
    try {
      Result result;
      for (std::size_t i = 0; i < rendering.size(); ++i) {
        result = run_text(statement, i, parameters);
      }
      return result;
    } catch (const pqxx::serialization_failure& error) {
      // In 6.x these two carry no SQLSTATE of their own.
      return tl::unexpected(sql_error("40001", error.what()));
    } catch (const pqxx::deadlock_detected& error) {
      return tl::unexpected(sql_error("40P01", error.what()));
    } catch (const pqxx::sql_error& error) {
      return tl::unexpected(sql_error(std::string(error.sqlstate()), error.what()));
    } catch (const pqxx::broken_connection&) {
      // Its text is about the client encoding, whatever had happened.
      return tl::unexpected(Error{ErrorKind::connection_lost, "", 0, kLost});
    } catch (const std::exception& error) {
      return tl::unexpected(Error{ErrorKind::other, "", 0, one_line(error.what())});
    }
  }

  Result run_text(const Statement& statement, std::size_t i, std::span<const Value> parameters) {
    const StatementKind kind = statement.kind();
    const Sql& sql = statement.rendering(Product::postgresql)[i];
    if (kind == StatementKind::begin || kind == StatementKind::commit ||
        kind == StatementKind::rollback) {
      return to_result(direct_->exec(sql.text), kind);
    }
    if (kind == StatementKind::definition) {
      return to_result(direct_->exec(with_table_prefix(sql.text, table_prefix_)), kind);
    }
    return to_result(
        direct_->exec_prepared(prepared_name(statement, i),
                               pqxx::prepare::make_dynamic_params(bind(sql, parameters))),
        kind);
  }

  const std::string& prepared_name(const Statement& statement, std::size_t i) {
    const auto id = static_cast<std::size_t>(statement.id());
    if (id >= prepared_.size()) prepared_.resize(id + 1);
    std::vector<std::string>& names = prepared_[id];
    if (i < names.size()) return names[i];
    const Sql& sql = statement.rendering(Product::postgresql)[i];
    const std::string name = "h" + std::to_string(id) + "_" + std::to_string(i);
    connection_.prepare(name, with_table_prefix(with_numbered_parameters(sql), table_prefix_));
    names.push_back(name);
    return names.back();
  }

  // `$n` is numbered by parameter, so every parameter up to the highest one bound is sent, once.
  const std::vector<const char*>& bind(const Sql& sql, std::span<const Value> parameters) {
    const auto highest = std::max_element(sql.binds.begin(), sql.binds.end());
    const std::size_t count =
        highest == sql.binds.end() ? 0 : static_cast<std::size_t>(*highest) + 1;
    texts_.resize(std::max(count, texts_.size()));
    bound_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const Value& value =
          i < parameters.size() ? parameters[i] : throw std::out_of_range("missing parameter");
      if (const auto* number = std::get_if<std::int64_t>(&value)) {
        texts_[i] = std::to_string(*number);
        bound_.push_back(texts_[i].c_str());
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        bound_.push_back(text->c_str());
      } else {
        bound_.push_back(nullptr);
      }
    }
    return bound_;
  }

  pqxx::connection connection_;
  pqxx::quiet_errorhandler quiet_;  // notices are not ours to print
  std::optional<pqxx::nontransaction> direct_;
  std::string table_prefix_;
  // By statement id: the names of its prepared texts, in their order.
  std::vector<std::vector<std::string>> prepared_;
  std::vector<std::string> texts_;
  std::vector<const char*> bound_;
  std::int64_t server_id_ = 0;
  TransactionState transaction_;
  bool usable_ = true;
  std::atomic<bool> interrupted_ = false;
};

// The sentence for a person whose server cannot be used.
std::string advice_for(const Url& url, const Error& error) {
  const std::string& text = error.server_text;
  const auto says = [&](std::string_view words) { return text.find(words) != std::string::npos; };
  const std::string at = url.redacted();
  if (says("password authentication failed") || says("no password supplied")) {
    return "the server refused the user name or password of " + at + "; check them (" + text + ")";
  }
  if (says("does not exist") && says("database")) {
    return "there is no such database at " + at + "; create it, or name another (" + text + ")";
  }
  if (is_connection_limit(error)) {
    return "the server at " + at + " takes no more connections; close some, or raise its limit (" +
           text + ")";
  }
  if (says("URI")) return "PostgreSQL does not understand the URL " + at + " (" + text + ")";
  if (says("FATAL:")) return "the server at " + at + " refused the connection (" + text + ")";
  return "cannot reach " + at + "; is the server running, and are host and port right? (" + text +
         ")";
}

class PostgresDatabase final : public Database {
 public:
  PostgresDatabase(const Url& url, const ConnectOptions& options)
      : Database(url.redacted()), url_(url), options_(options), uri_(uri_with_limits()) {
    auto session = open_session();
    if (!session) throw DatabaseUnusable(advice_for(url_, session.error()));
    traits_.product = Product::postgresql;
    // `15.18 (Debian 15.18-0+deb12u1)`: the number is enough.
    const std::string version = ask(**session, "SHOW server_version");
    traits_.version = version.substr(0, version.find(' '));
    traits_.default_isolation =
        isolation_named(ask(**session, "SHOW default_transaction_isolation"))
            .value_or(Isolation::read_committed);
    // PostgreSQL takes this name and runs read committed.
    if (traits_.default_isolation == Isolation::read_uncommitted) {
      traits_.default_isolation = Isolation::read_committed;
    }
  }

  Expected<std::unique_ptr<Session>> open_session() override {
    try {
      return std::make_unique<PostgresSession>(uri_, options_, table_prefix());
    } catch (const std::exception& error) {
      std::string text = one_line(error.what());
      remove_all(text, url_.password);
      // Where libpq quotes the URL there is the password in it, as it is encoded there.
      for (const char* const scheme : {"postgres://", "postgresql://"}) {
        text.resize(std::min(text.size(), text.find(scheme)));
      }
      const bool full = text.find("too many") != std::string::npos ||
                        text.find("connection slots") != std::string::npos;
      return tl::unexpected(
          Error{ErrorKind::connection_lost, full ? "53300" : "", 0, std::move(text)});
    }
  }

  Expected<std::unique_ptr<BlockWatch>> watch_blocking() override {
    auto session = open_session();
    if (!session) return tl::unexpected(session.error());
    return std::make_unique<QueryBlockWatch>(
        *std::move(session), "SELECT cardinality(pg_blocking_pids(?))", "pg_blocking_pids()");
  }

  std::vector<Setting> settings() override;

 private:
  // The URI with a connect timeout and our name, unless it has its own.
  std::string uri_with_limits() const {
    std::string uri = url_.text;
    const auto add = [&](const std::string& name, const std::string& value) {
      if (url_.options.contains(name)) return;
      uri += (uri.find('?') == std::string::npos ? "?"s : "&"s) + name + "=" + value;
    };
    const auto seconds = std::max<std::int64_t>(2, (options_.connect_timeout.count() + 999) / 1000);
    add("connect_timeout", std::to_string(seconds));
    add("application_name", "hilsa");
    // A network that falls silent is noticed, not waited for.
    add("keepalives_idle", "10");
    add("keepalives_interval", "5");
    add("keepalives_count", "3");
    add("tcp_user_timeout", std::to_string(options_.statement_timeout.count() + 5000));
    return uri;
  }

  static std::string ask(Session& session, std::string_view sql) {
    const auto result = session.execute(raw_sql(sql));
    if (!result || result->rows.empty()) return "";
    const Value& value = result->rows[0][0];
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? *text : to_text(value);
  }

  Url url_;
  ConnectOptions options_;
  std::string uri_;
};

std::vector<Setting> PostgresDatabase::settings() {
  auto opened = open_session();
  if (!opened) throw DatabaseUnusable(advice_for(url_, opened.error()));
  Session& session = **opened;
  std::vector<Setting> settings;
  const auto show = [&](const std::string& name, const std::string& meaning) {
    settings.push_back({name, ask(session, "SHOW " + name), meaning});
  };
  show("max_connections", "more clients than this need --pool");
  settings.push_back(
      {"connections in use",
       ask(session, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"),
       ""});
  show("default_transaction_isolation", "what a plain BEGIN runs at");
  show("deadlock_timeout", "how long a deadlock lasts before one side is aborted");
  show("lock_timeout", "0: a statement waits for a row lock without limit");
  show("statement_timeout", "this tool's own limit on one statement");
  show("idle_in_transaction_session_timeout",
       "0: an idle transaction keeps its locks without limit");
  show("fsync", "off: a crash may lose everything; fine for tests, never for a shop");
  show("synchronous_commit", "off: a crash may lose acknowledged commits");
  show("full_page_writes", "off: a crash may tear pages");
  show("max_prepared_transactions", "0: no two-phase commit");
  show("max_pred_locks_per_transaction", "too low: serializable aborts more than it must");
  if (ask(session, "SHOW transaction_read_only") == "on") {
    settings.push_back({"transaction_read_only", "on",
                        "this server or user may only read: runs cannot make their tables"});
  }
  if (ask(session, "SELECT has_database_privilege(current_database(), 'CREATE')") != "1") {
    settings.push_back(
        {"create schema", "not allowed",
         "this user cannot make the schema that runs work in: GRANT CREATE ON DATABASE"});
  }
  if (ask(session, "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')") != "1") {
    settings.push_back({"other users' activity", "not visible",
                        "waits of other users' sessions cannot be seen: GRANT pg_read_all_stats"});
  }
  const std::string left = ask(session,
                               "SELECT string_agg(nspname, ', ') FROM pg_namespace WHERE nspname ~ "
                               "('^hilsa_' || repeat('[0-9a-f]', 8) || '$')");
  if (!left.empty() && left != "NULL") {
    settings.push_back(
        {"left from earlier runs", left, "if none of them is running: DROP SCHEMA name CASCADE"});
  }
  return settings;
}

}  // namespace

std::unique_ptr<Database> open_postgres(const Url& url, const ConnectOptions& options) {
  return std::make_unique<PostgresDatabase>(url, options);
}

}  // namespace hilsa
