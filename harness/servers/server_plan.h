// What differs between the products: how to make a data directory, how to serve it, how to tell
// that it answers, and its address.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/database/url.h"

namespace hilsa {

// The server's own settings; a later one overrides an earlier one of that name.
using ServerSettings = std::map<std::string, std::string>;

struct ServerPlan {
  // Commands with full paths. The first makes the data directory and ends, the second stays in the
  // foreground. Both run inside the server's directory.
  std::vector<std::string> initialise;
  std::vector<std::string> serve;
  // Secrets and configuration, name and text: none of it may show in a list of processes.
  std::map<std::string, std::string> files;
  // The signals that stop the two at once, without leaving anything behind outside the directory.
  std::string_view initialise_signal;
  std::string_view serve_signal;
  Url url;
};

struct PlanRequest {
  std::vector<std::string> programs;  // from ServerProduct::find
  std::string directory;
  std::string password;     // letters and digits
  ServerSettings settings;  // checked
};

struct ServerProduct {
  std::string_view name;   // as in `temp:NAME`
  std::string_view title;  // as people write it
  // The programs that it takes; this may run them. Throws DatabaseUnusable when they are missing.
  std::vector<std::string> (*find)();
  ServerPlan (*plan)(const PlanRequest& request);
  // Whether a client could log in now. Takes at most a fraction of a second.
  bool (*is_ready)(const std::string& directory);
};

extern const ServerProduct kPostgresServer;
extern const ServerProduct kMariadbServer;
extern const ServerProduct kMysqlServer;

// The user and, on MySQL and MariaDB, the database that a server is made with.
constexpr std::string_view kServerUserName = "hilsa";
constexpr std::string_view kServerDatabase = "test";

}  // namespace hilsa
