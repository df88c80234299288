#include "harness/database/database.h"

#include <array>
#include <sstream>
#include <utility>

#include "harness/database/drivers.h"
#include "harness/database/usage_error.h"

namespace hilsa {

std::string_view name_of(Feature feature) {
  constexpr std::array<std::string_view, 5> kNames = {
      "row locks (FOR UPDATE)", "row locks that skip (SKIP LOCKED)", "advisory locks",
      "check constraints", "READ UNCOMMITTED of its own"};
  return kNames[static_cast<std::size_t>(feature)];
}

namespace {

// Of a version as servers tell it, `10.11.19-MariaDB-…`: whether it is this one or a later one.
bool is_at_least(const std::string& version, int major, int minor) {
  std::istringstream text(version);
  int found_major = 0;
  int found_minor = 0;
  char dot = '.';
  text >> found_major >> dot >> found_minor;
  return std::pair(found_major, found_minor) >= std::pair(major, minor);
}

}  // namespace

std::span<const Isolation> Traits::levels() const {
  static constexpr std::array kOfSharedCache = {Isolation::read_uncommitted,
                                                Isolation::serializable};
  return shared_cache ? std::span<const Isolation>(kOfSharedCache) : levels_of(product);
}

bool Traits::offers(Isolation level) const {
  const auto all = levels();
  return std::find(all.begin(), all.end(), level) != all.end();
}

bool Traits::has(Feature feature) const {
  switch (feature) {
    case Feature::skip_locked:
      if (product == Product::mysql) return is_at_least(version, 8, 0);
      if (product == Product::mariadb) return is_at_least(version, 10, 6);
      return product != Product::sqlite;
    case Feature::row_locks:
    case Feature::advisory_locks:
      return product != Product::sqlite;
    case Feature::read_uncommitted:
      return offers(Isolation::read_uncommitted);
    case Feature::check_constraints:
      break;
  }
  return true;
}

bool Traits::prevents_lost_update(Isolation level) const {
  switch (product) {
    case Product::postgresql:
    case Product::simulated:
      return level >= Isolation::repeatable_read;
    case Product::mysql:
      return level == Isolation::serializable;
    case Product::mariadb:
      return level == Isolation::serializable ||
             (level == Isolation::repeatable_read && innodb_snapshot_isolation);
    case Product::sqlite:
      return level != Isolation::read_uncommitted;
  }
  return true;
}

bool Traits::locks_absent_rows(Isolation level) const {
  // MySQL manual, "Transaction Isolation Levels": gap locks, for locking reads from repeatable read
  // on.
  const bool has_gap_locks = product == Product::mysql || product == Product::mariadb;
  return is_serializable(level) || (has_gap_locks && level >= Isolation::repeatable_read);
}

namespace {

std::string_view level_of_postgresql(Isolation level) {
  switch (level) {
    case Isolation::read_uncommitted:
    case Isolation::read_committed:
      // Manual, 13.2.1: each statement has a snapshot of its own, later ones see at least as much.
      // Only within one UPDATE or DELETE may a row that it waited for be newer than the rows that
      // it did not find.
      return "monotonic atomic view";
    case Isolation::repeatable_read:
      return "snapshot isolation";  // manual, 13.2.2
    case Isolation::serializable:
      break;
  }
  return "serializable";  // manual, 13.2.3; Ports, Grittner: SSI in PostgreSQL (VLDB 2012)
}

std::string_view level_of_innodb(Isolation level, bool snapshot_isolation) {
  switch (level) {
    case Isolation::read_uncommitted:
      // Reads take no locks and see everything; writes hold their row locks to the end.
      return "read uncommitted";
    case Isolation::read_committed:
      // MySQL manual, "Transaction Isolation Levels": each consistent read has a snapshot of its
      // own. Locking reads and writes see the newest committed rows, which every later snapshot
      // has.
      return "monotonic atomic view";
    case Isolation::repeatable_read:
      // The same page: plain reads keep to the first read's snapshot, while updates and deletes
      // read the newest committed rows. Having seen another's write by an update, a transaction
      // reads what that had replaced elsewhere, so not even monotonic atomic view is left. With
      // MariaDB's innodb_snapshot_isolation such an update fails (error 1020).
      return snapshot_isolation ? "snapshot isolation" : "read committed";
    case Isolation::serializable:
      break;
  }
  // Plain reads in transactions are FOR SHARE, with locks on the gaps: two-phase locking.
  return "serializable";
}

}  // namespace

std::string_view Traits::promised_level(Isolation level) const {
  switch (product) {
    case Product::simulated:
      if (level == Isolation::read_uncommitted) return "read uncommitted";
      [[fallthrough]];  // made after PostgreSQL's levels
    case Product::postgresql:
      return level_of_postgresql(level);
    case Product::mysql:
    case Product::mariadb:
      return level_of_innodb(level, innodb_snapshot_isolation);
    case Product::sqlite:
      // sqlite.org/sharedcache.html, 2.2.1: such a reader takes no locks on tables and sees what a
      // writer has not committed. There is one writer at a time, so that writes are in one order.
      if (level == Isolation::read_uncommitted) return "read uncommitted";
      break;
  }
  return "serializable";  // sqlite.org/isolation.html: one writer, readers on their snapshots
}

Expected<std::unique_ptr<BlockWatch>> Database::watch_blocking() {
  return tl::unexpected(
      Error{ErrorKind::other, "", 0, "this database does not show who waits for a lock"});
}

std::unique_ptr<Database> open_database(const Url& url, const ConnectOptions& options) {
  switch (url.scheme) {
    case Url::Scheme::postgres:
      return open_postgres(url, options);
    case Url::Scheme::mysql:
    case Url::Scheme::mariadb:
      return open_mysql(url, options);
    case Url::Scheme::sqlite:
      return open_sqlite(url, options);
    case Url::Scheme::temp:
    case Url::Scheme::sim:
      break;
  }
  throw UsageError("temp: and sim: databases are not opened by a driver");
}

bool is_connection_limit(const Error& error) {
  constexpr int kTooManyConnections = 1040;
  constexpr int kTooManyUserConnections = 1203;
  constexpr int kUserLimitReached = 1226;
  return error.sqlstate == "53300" || error.vendor_code == kTooManyConnections ||
         error.vendor_code == kTooManyUserConnections || error.vendor_code == kUserLimitReached;
}

}  // namespace hilsa
