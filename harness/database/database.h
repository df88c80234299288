// A database that clients can be let loose on: it opens sessions and knows what it is.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/database/block_watch.h"
#include "harness/database/isolation.h"
#include "harness/database/session.h"
#include "harness/database/url.h"
#include "harness/history/client_schedule.h"

namespace hilsa {

struct ConnectOptions {
  std::chrono::milliseconds connect_timeout{5000};
  // The longest that one statement may take, lock waits included. Connector/C++ counts whole
  // seconds (rounded up) on MySQL, where an overlong write ends as a lost connection: MySQL has no
  // limit of its own for writes.
  std::chrono::milliseconds statement_timeout{30000};
  // Somebody follows every step (`explore`): what waits is to be seen, and to go on, within a
  // millisecond or so, also where that costs more than it does in everyday life.
  bool watched = false;
};

// What a strategy may need beyond plain SQL.
enum class Feature { row_locks, skip_locked, advisory_locks, check_constraints, read_uncommitted };
// `row locks (FOR UPDATE)`, …
std::string_view name_of(Feature feature);

// What a product is and does, as far as promises depend on it.
struct Traits {
  Product product = Product::sqlite;
  std::string version;  // as the server tells it
  Isolation default_isolation = Isolation::serializable;
  // MariaDB's innodb_snapshot_isolation: repeatable read refuses to write a row that somebody has
  // changed since the transaction's snapshot. False on other products.
  bool innodb_snapshot_isolation = false;
  // Nobody chooses a level but the database's owner (of a simulated one: its URL) and strategies
  // that are about a level of their own.
  bool fixed_isolation = false;
  // SQLite: the connections share one cache. They lock tables in it instead of having snapshots,
  // refuse each other at once instead of waiting, and may ask not to heed each other's locks when
  // reading. False on other products.
  bool shared_cache = false;

  // The levels that transactions can ask for, weakest first.
  std::span<const Isolation> levels() const;
  bool offers(Isolation level) const;
  bool has(Feature feature) const;
  // Whether a transaction at this level that has read a row and then writes it fails (or waits), if
  // somebody else changed the row in between: no lost update.
  bool prevents_lost_update(Isolation level) const;
  // Whether a locking read also locks the place of rows that it did not find, so that nobody
  // inserts them until the transaction has ended.
  bool locks_absent_rows(Isolation level) const;
  // The level that its transactions keep when all of them run at this one, by the name that it has
  // in the literature and in verdicts: `read committed`, `monotonic atomic view`,
  // `snapshot isolation`, `serializable`.
  std::string_view promised_level(Isolation level) const;
  bool is_serializable(Isolation level) const { return promised_level(level) == "serializable"; }
};

// One fact for `hilsa doctor`.
struct Setting {
  std::string name;
  std::string value;
  std::string meaning;  // what it is for, or what is wrong with the value; may be empty
};

class Database {
 public:
  virtual ~Database() = default;

  const Traits& traits() const { return traits_; }
  Product product() const { return traits_.product; }
  // Never with a password.
  const std::string& shown_url() const { return shown_url_; }

  // Put in front of every `{table}` in statements of sessions opened afterwards: a schema with its
  // dot, or a prefix. Set it before clients start.
  void set_table_prefix(std::string prefix) { table_prefix_ = std::move(prefix); }
  const std::string& table_prefix() const { return table_prefix_; }

  // Opens one more connection. Callable from any thread.
  virtual Expected<std::unique_ptr<Session>> open_session() = 0;

  // To see from outside which of its sessions wait for locks; it may open a connection of its own.
  // An error where this user may not look. The database outlives it.
  virtual Expected<std::unique_ptr<BlockWatch>> watch_blocking();

  // Fixes every random choice of a database that makes any. Before sessions are opened.
  virtual void seed(std::uint64_t /*seed*/) {}
  // Of a database whose clients take turns by its seed; null: clients run as the machine lets them.
  virtual ClientSchedule* schedule() { return nullptr; }

  // What the server says of the deadlock that it found last, its own or anybody's; empty: it keeps
  // nothing (it tells the victim, or there are none). Outside transactions. An error where this
  // user may not ask.
  virtual Expected<std::string> latest_deadlock(Session& /*session*/) { return std::string(); }

  // The settings that matter for races, and what this user may not do. May throw DatabaseUnusable.
  virtual std::vector<Setting> settings() = 0;

 protected:
  Database(std::string shown_url) : shown_url_(std::move(shown_url)) {}
  Traits traits_;

 private:
  std::string shown_url_;
  std::string table_prefix_;
};

// Connects once to learn the traits. Throws DatabaseUnusable with a line that says what to do; a
// `temp:` URL is a UsageError here (servers/ resolves it first), and so is `sim:` (simulated/ opens
// it). Call from the main thread.
std::unique_ptr<Database> open_database(const Url& url, const ConnectOptions& options);

// Whether the error means that the server will not take another connection, for now.
bool is_connection_limit(const Error& error);

}  // namespace hilsa
