#include "harness/database/database.h"

#include <array>

#include "harness/database/drivers.h"
#include "harness/database/usage_error.h"

namespace hilsa {

std::string_view name_of(Feature feature) {
  constexpr std::array<std::string_view, 3> kNames = {"row locks (FOR UPDATE)", "advisory locks",
                                                      "check constraints"};
  return kNames[static_cast<std::size_t>(feature)];
}

bool Traits::has(Feature feature) const {
  switch (feature) {
    case Feature::row_locks:
    case Feature::advisory_locks:
      return product != Product::sqlite;
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
      break;
  }
  return true;
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
