// SQLite through its C API: one connection a session, each used by one thread at a time.
//
// `sqlite:FILE?cache=shared` opens connections that share one cache, and then offers read
// uncommitted, too (sqlite.org/sharedcache.html). There SQLite refuses at once what another
// connection's lock on a table forbids (SQLITE_LOCKED): no busy handler is called and nobody waits.
//
// A file that this Database creates uses write-ahead logging with synchronous=NORMAL, the usual
// choice of servers, and is removed with it. A file that was there before keeps its journal mode.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "harness/database/drivers.h"
#include "harness/database/transaction_state.h"
#include "harness/database/usage_error.h"
#include "harness/history/clock.h"

namespace hilsa {
namespace {

// How long a statement waits for another connection's write lock, as applications that set
// busy_timeout usually do. A read transaction that wants to write never waits: SQLite refuses that
// at once, since waiting could not help.
constexpr std::chrono::milliseconds kBusyTimeout{5000};
// As harness/run/workspace.h calls them.
constexpr std::string_view kOwnTables =
    "hilsa_[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]_*";

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;
using Prepared = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

ErrorKind kind_of(int extended_code) {
  switch (extended_code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return ErrorKind::unique_violation;
    case SQLITE_CONSTRAINT_CHECK:
      return ErrorKind::check_violation;
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return ErrorKind::foreign_key_violation;
    default:
      break;
  }
  switch (extended_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::busy;
    case SQLITE_INTERRUPT:
      return ErrorKind::statement_timeout;
    default:
      return ErrorKind::other;
  }
}

class SqliteSession final : public Session {
 public:
  SqliteSession(Connection connection, const ConnectOptions& options, std::string table_prefix,
                std::int64_t number, std::shared_ptr<std::atomic<std::uint64_t>> times_busy,
                bool shares_cache)
      : connection_(std::move(connection)),
        limit_(options.statement_timeout),
        watched_(options.watched),
        number_(number),
        shares_cache_(shares_cache),
        times_busy_(std::move(times_busy)),
        table_prefix_(std::move(table_prefix)) {
    sqlite3_extended_result_codes(connection_.get(), 1);
    sqlite3_busy_handler(connection_.get(), &wait_while_busy, this);
    constexpr int kInstructionsBetweenChecks = 10000;
    sqlite3_progress_handler(connection_.get(), kInstructionsBetweenChecks, &must_stop, this);
  }

  using Session::execute;

  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters) override {
    const StatementKind kind = statement.kind();
    if (interrupted_ && kind != StatementKind::rollback) {
      return tl::unexpected(Error{ErrorKind::interrupted, "", 0, "stopped by the user"});
    }
    if (kind == StatementKind::commit && transaction_.failed()) {
      const auto rolled_back = execute(rollback());
      return tl::unexpected(rolled_back ? TransactionState::commit_refused() : rolled_back.error());
    }
    // Some errors roll back by themselves; a second ROLLBACK would be an error.
    if (kind == StatementKind::rollback && sqlite3_get_autocommit(connection_.get()) != 0) {
      transaction_.ended_well(kind);
      return Result();
    }
    begun_ns_ = now_ns();
    if (shares_cache_ && kind == StatementKind::begin) ask_for(statement.structure().isolation);
    Expected<Result> result = run(statement, parameters);
    if (result) {
      transaction_.ended_well(kind);
    } else {
      transaction_.ended_badly();
    }
    return result;
  }

  bool usable() const override { return true; }
  std::int64_t server_id() const override { return number_; }

  void interrupt() noexcept override {
    interrupted_ = true;
    sqlite3_interrupt(connection_.get());
  }

 private:
  Error last_error() const {
    const int code = sqlite3_extended_errcode(connection_.get());
    Error error{kind_of(code), "", code, sqlite3_errmsg(connection_.get())};
    const bool cut_short =
        error.kind == ErrorKind::statement_timeout || error.kind == ErrorKind::busy;
    if (interrupted_ && cut_short) error.kind = ErrorKind::interrupted;
    return error;
  }

  // For this transaction: SQLite keeps it for the connection. Not by a prepared statement, which
  // sets it when it is prepared and not when it is run.
  void ask_for(std::optional<Isolation> level) {
    const char* const pragma = level == Isolation::read_uncommitted ? "PRAGMA read_uncommitted = 1"
                                                                    : "PRAGMA read_uncommitted = 0";
    sqlite3_exec(connection_.get(), pragma, nullptr, nullptr, nullptr);
  }

  Expected<Result> run(const Statement& statement, std::span<const Value> parameters) {
    const Rendering& rendering = statement.rendering(Product::sqlite);
    if (rendering.empty()) {
      return tl::unexpected(Error{ErrorKind::other, "", 0, "not available on SQLite"});
    }
    Expected<Result> result;
    for (std::size_t i = 0; i < rendering.size(); ++i) {
      result = run_text(statement, i, parameters);
      if (!result) break;
    }
    return result;
  }

  Expected<Result> run_text(const Statement& statement, std::size_t i,
                            std::span<const Value> parameters) {
    Prepared& prepared = prepared_[{statement.id(), i}];
    const Sql& sql = statement.rendering(Product::sqlite)[i];
    if (!prepared) {
      const std::string text = with_table_prefix(sql.text, table_prefix_);
      sqlite3_stmt* raw = nullptr;
      if (sqlite3_prepare_v3(connection_.get(), text.c_str(), static_cast<int>(text.size()) + 1,
                             SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK) {
        return tl::unexpected(last_error());
      }
      prepared.reset(raw);
    }
    bind(prepared.get(), sql, parameters);
    Expected<Result> result = step_through(prepared.get(), statement.kind());
    sqlite3_reset(prepared.get());
    return result;
  }

  static void bind(sqlite3_stmt* prepared, const Sql& sql, std::span<const Value> parameters) {
    for (std::size_t i = 0; i < sql.binds.size(); ++i) {
      const Value& value = parameters[static_cast<std::size_t>(sql.binds[i])];
      const int position = static_cast<int>(i) + 1;
      if (const auto* number = std::get_if<std::int64_t>(&value)) {
        sqlite3_bind_int64(prepared, position, *number);
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        sqlite3_bind_text(prepared, position, text->data(), static_cast<int>(text->size()),
                          SQLITE_STATIC);
      } else {
        sqlite3_bind_null(prepared, position);
      }
    }
  }

  Expected<Result> step_through(sqlite3_stmt* prepared, StatementKind kind) {
    Result result;
    const int columns = sqlite3_column_count(prepared);
    for (int column = 0; column < columns; ++column) {
      result.columns.emplace_back(sqlite3_column_name(prepared, column));
    }
    int code = sqlite3_step(prepared);
    for (; code == SQLITE_ROW; code = sqlite3_step(prepared)) {
      std::vector<Value>& row = result.rows.emplace_back();
      for (int column = 0; column < columns; ++column) row.push_back(value_of(prepared, column));
    }
    if (code != SQLITE_DONE) return tl::unexpected(last_error());
    const bool writes = can_write(kind) && sqlite3_stmt_readonly(prepared) == 0;
    if (writes) result.affected = sqlite3_changes64(connection_.get());
    return result;
  }

  static Value value_of(sqlite3_stmt* prepared, int column) {
    switch (sqlite3_column_type(prepared, column)) {
      case SQLITE_NULL:
        return std::monostate();
      case SQLITE_INTEGER:
        return std::int64_t{sqlite3_column_int64(prepared, column)};
      default: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, column));
        return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(prepared, column)));
      }
    }
  }

  bool out_of_time() const { return now_ns() - begun_ns_ > limit_.count() * 1'000'000; }

  static int must_stop(void* self) {
    const auto& session = *static_cast<SqliteSession*>(self);
    return session.interrupted_ || session.out_of_time() ? 1 : 0;
  }

  // SQLite's own busy handler, with two more reasons to give up: sqlite3_interrupt() does not reach
  // a sleeping one.
  static int wait_while_busy(void* self, int times) {
    const auto& session = *static_cast<SqliteSession*>(self);
    ++*session.times_busy_;
    constexpr std::array kDelaysMs = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100};
    const Nanoseconds waited = now_ns() - session.begun_ns_;
    const auto longest = std::min(kBusyTimeout, session.limit_);
    if (session.interrupted_ || waited > longest.count() * 1'000'000) return 0;
    if (session.watched_) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      return 1;
    }
    const auto turn = std::min(static_cast<std::size_t>(times), kDelaysMs.size() - 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(kDelaysMs[turn]));
    return 1;
  }

  Connection connection_;  // declared first: closed after the statements are finalized
  std::map<std::pair<int, std::size_t>, Prepared> prepared_;
  std::chrono::milliseconds limit_;
  bool watched_;
  std::int64_t number_;
  bool shares_cache_;
  std::shared_ptr<std::atomic<std::uint64_t>> times_busy_;
  std::string table_prefix_;
  TransactionState transaction_;
  Nanoseconds begun_ns_ = 0;
  std::atomic<bool> interrupted_ = false;
};

std::filesystem::path make_temporary_folder() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) parent = "/tmp";  // TMPDIR names no folder
  std::string folder = (parent / "hilsa-sqlite-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw DatabaseUnusable("cannot make a temporary folder like '" + folder +
                           "'; is the disk full? (TMPDIR names another place)");
  }
  return folder;
}

class SqliteDatabase;

// A statement that has found the file locked twice since it began, or since somebody let go, waits
// for good: the first time may have been before that.
class BusyWatch final : public BlockWatch {
 public:
  explicit BusyWatch(SqliteDatabase& database) : database_(database) {}
  void begins(std::int64_t session) override;
  Expected<bool> is_blocked(std::int64_t session) override;
  std::string how() const override { return "the busy handler"; }

 private:
  SqliteDatabase& database_;
  std::mutex mutex_;
  std::map<std::int64_t, std::uint64_t> before_;
};

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const Url& url, const ConnectOptions& options)
      : Database(url.redacted()), options_(options), file_(url.name) {
    traits_.shared_cache = wants_shared_cache(url);
    if (file_.empty()) {
      folder_ = make_temporary_folder();
      file_ = folder_ / "hilsa.db";
    }
    std::error_code ignored;
    ours_ = !std::filesystem::exists(file_, ignored);
    traits_.product = Product::sqlite;
    traits_.version = sqlite3_libversion();
    traits_.default_isolation = Isolation::serializable;
    try {
      prepare_file();
    } catch (...) {
      remove_own_files();
      throw;
    }
  }

  ~SqliteDatabase() override { remove_own_files(); }
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  Expected<std::unique_ptr<Session>> open_session() override {
    auto connection = open_connection(traits_.shared_cache ? SQLITE_OPEN_SHAREDCACHE : 0);
    if (!connection) return tl::unexpected(connection.error());
    const char* const pragmas = ours_ ? "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL"
                                      : "PRAGMA foreign_keys = ON";
    sqlite3_exec(connection->get(), pragmas, nullptr, nullptr, nullptr);
    auto times_busy = std::make_shared<std::atomic<std::uint64_t>>(0);
    const std::int64_t number = ++sessions_;
    {
      const std::lock_guard lock(mutex_);
      times_busy_[number] = times_busy;
    }
    return std::make_unique<SqliteSession>(std::move(*connection), options_, table_prefix(), number,
                                           std::move(times_busy), traits_.shared_cache);
  }

  Expected<std::unique_ptr<BlockWatch>> watch_blocking() override {
    return std::make_unique<BusyWatch>(*this);
  }
  // How often that session's statements have found the file locked.
  std::uint64_t times_busy(std::int64_t session) {
    const std::lock_guard lock(mutex_);
    const auto found = times_busy_.find(session);
    if (found == times_busy_.end()) return 0;
    const auto counter = found->second.lock();
    return counter == nullptr ? 0 : counter->load();
  }

  std::vector<Setting> settings() override {
    const std::string connections = "no limit but memory";
    auto session = open_session();
    if (!session) throw DatabaseUnusable(session.error().server_text);
    const auto ask = [&](const std::string& pragma) {
      const auto result = (*session)->execute(raw_sql("PRAGMA " + pragma));
      if (!result || result->rows.empty()) return std::string("?");
      const auto* text = std::get_if<std::string>(&result->rows[0][0]);
      return text != nullptr ? *text : to_text(result->rows[0][0]);
    };
    std::vector<Setting> settings = {
        {"max connections", connections, ""},
        {"journal_mode", ask("journal_mode"),
         "wal: readers and one writer at a time; otherwise a writer excludes readers"},
        {"synchronous", ask("synchronous"), "0: off, 1: normal, 2: full"},
        {"busy timeout", std::to_string(kBusyTimeout.count()) + " ms",
         "this tool's own; a read transaction that wants to write is refused at once"},
        {"prepared transactions", "none", "no two-phase commit"}};
    const auto left = (*session)->execute(
        raw_sql("SELECT group_concat(name, ', ') FROM sqlite_master WHERE type = 'table' AND name "
                "GLOB '" +
                std::string(kOwnTables) + "'"));
    if (left && std::holds_alternative<std::string>(left->rows[0][0])) {
      settings.push_back({"left from earlier runs", std::get<std::string>(left->rows[0][0]),
                          "if none of them is running: DROP TABLE these"});
    }
    return settings;
  }

 private:
  static bool wants_shared_cache(const Url& url) {
    if (url.options.empty()) return false;
    const auto cache = url.options.find("cache");
    if (cache == url.options.end() || cache->second != "shared" || url.options.size() > 1) {
      throw UsageError("the one option of a sqlite: URL is cache=shared");
    }
    if (sqlite3_compileoption_used("OMIT_SHARED_CACHE") != 0) {
      throw UsageError("this SQLite library was built without the shared cache");
    }
    return true;
  }

  Expected<Connection> open_connection(int more_flags = 0) const {
    sqlite3* raw = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | more_flags;
    const int code = sqlite3_open_v2(file_.c_str(), &raw, flags, nullptr);
    Connection connection(raw);
    if (code == SQLITE_OK) return connection;
    return tl::unexpected(Error{ErrorKind::connection_lost, "", code, sqlite3_errstr(code)});
  }

  void prepare_file() {
    const std::string shown = "'" + file_.string() + "'";
    auto connection = open_connection();
    if (!connection) {
      throw DatabaseUnusable("cannot open " + shown + ": " + connection.error().server_text +
                             "; does the folder exist, and may you write there?");
    }
    if (sqlite3_db_readonly(connection->get(), "main") == 1) {
      throw DatabaseUnusable(shown +
                             " is read-only; Hilsa makes tables of its own in it, so it needs " +
                             "write access (or 'sqlite:' for a temporary database)");
    }
    const char* const first =
        ours_ ? "PRAGMA journal_mode = WAL" : "SELECT count(*) FROM sqlite_master";
    const int code = sqlite3_exec(connection->get(), first, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
      throw DatabaseUnusable("cannot use " + shown + ": " + sqlite3_errstr(code) +
                             "; is it an SQLite database?");
    }
  }

  // Whether somebody has put something into the file meanwhile, or may have: it is theirs then.
  bool holds_foreign_tables() const {
    const auto connection = open_connection();
    if (!connection) return true;
    std::int64_t foreign = -1;
    const std::string count =
        "BEGIN IMMEDIATE; SELECT count(*) FROM sqlite_master WHERE tbl_name NOT GLOB '" +
        std::string(kOwnTables) + "'; COMMIT";
    const auto read = [](void* to, int, char** values, char**) {
      *static_cast<std::int64_t*>(to) = std::atoll(values[0]);
      return 0;
    };
    const int code = sqlite3_exec(connection->get(), count.c_str(), read, &foreign, nullptr);
    return code != SQLITE_OK || foreign != 0;
  }

  void remove_own_files() {
    std::error_code ignored;
    if (ours_ && (!folder_.empty() || !holds_foreign_tables())) {
      for (const char* const suffix : {"", "-wal", "-shm", "-journal"}) {
        std::filesystem::remove(file_.string() + suffix, ignored);
      }
    }
    if (!folder_.empty()) std::filesystem::remove(folder_, ignored);
  }

  ConnectOptions options_;
  std::filesystem::path file_;
  std::filesystem::path folder_;           // temporary, or empty
  std::atomic<std::int64_t> sessions_{0};  // opened so far
  std::mutex mutex_;
  std::map<std::int64_t, std::weak_ptr<std::atomic<std::uint64_t>>> times_busy_;  // by number
  bool ours_ = false;  // the file was not there before
};

void BusyWatch::begins(std::int64_t session) {
  const std::uint64_t times = database_.times_busy(session);
  const std::lock_guard lock(mutex_);
  before_[session] = times;
}

Expected<bool> BusyWatch::is_blocked(std::int64_t session) {
  const std::uint64_t times = database_.times_busy(session);
  const std::lock_guard lock(mutex_);
  return times >= before_[session] + 2;
}

}  // namespace

std::unique_ptr<Database> open_sqlite(const Url& url, const ConnectOptions& options) {
  return std::make_unique<SqliteDatabase>(url, options);
}

}  // namespace hilsa
