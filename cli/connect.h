// From a --db URL to a database that is open, a throw-away server included.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "harness/database/database.h"
#include "harness/servers/temp_server.h"

namespace hilsa {

struct OpenDatabase {
  std::optional<TempServer> server;  // for temp: URLs; stops after the database is closed
  std::unique_ptr<Database> database;
};

// Throws UsageError, DatabaseUnusable, or Interrupted when a stop is asked for meanwhile.
OpenDatabase connect(const std::string& url, const ConnectOptions& options,
                     const std::stop_token& stop);

}  // namespace hilsa
