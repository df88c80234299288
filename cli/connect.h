// From a --db URL to a database that is open, a throw-away server included.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/database/database.h"
#include "harness/servers/temp_server.h"

namespace hilsa {

struct OpenDatabase {
  std::optional<TempServer> server;  // for temp: URLs; stops after the database is closed
  std::unique_ptr<Database> database;
};

// Throws UsageError or DatabaseUnusable.
OpenDatabase connect(const std::string& url, const ConnectOptions& options);

}  // namespace hilsa
