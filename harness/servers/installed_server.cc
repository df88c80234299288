#include "harness/servers/installed_server.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "harness/database/usage_error.h"
#include "harness/servers/child_process.h"

namespace hilsa {
namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> path_directories() {
  std::vector<std::string> directories;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (end > 0) directories.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return directories;
}

// Debian's /usr/lib/postgresql/VERSION/bin, newest version first.
std::vector<std::string> versioned_postgres_directories() {
  std::vector<std::pair<double, std::string>> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const double version = std::strtod(entry.path().filename().c_str(), nullptr);
    found.emplace_back(version, (entry.path() / "bin").string());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> directories;
  directories.reserve(found.size());
  for (auto& [version, directory] : found) directories.push_back(std::move(directory));
  return directories;
}

std::optional<std::string> find_in(const std::vector<std::string>& directories,
                                   std::string_view program) {
  for (const auto& directory : directories) {
    std::string path = directory + "/" + std::string(program);
    if (is_program(path)) return path;
  }
  return std::nullopt;
}

bool is_mysql(const std::string& mysqld) {
  if (!is_program(mysqld)) return false;
  const std::string version = output_of({mysqld, "--version"});
  return version.find("Ver ") != std::string::npos && version.find("MariaDB") == std::string::npos;
}

}  // namespace

std::vector<std::string> postgres_directories() {
  std::vector<std::string> directories = path_directories();
  for (auto& directory : versioned_postgres_directories()) {
    directories.push_back(std::move(directory));
  }
  return directories;
}

std::vector<std::string> server_directories() {
  std::vector<std::string> directories = path_directories();
  for (const char* directory : {"/usr/sbin", "/usr/bin", "/usr/libexec"}) {
    directories.emplace_back(directory);
  }
  return directories;
}

std::vector<std::string> mysql_candidates() {
  std::vector<std::string> candidates;
  // Whoever names a server wants that one or none.
  if (const char* chosen = std::getenv("HILSA_MYSQLD"); chosen != nullptr && *chosen != '\0') {
    return {chosen};
  }
  for (const auto& directory : server_directories()) candidates.push_back(directory + "/mysqld");
  // Root's server runs as another user, who cannot look into root's home.
  const char* home = std::getenv("HOME");
  if (home != nullptr && ::geteuid() != 0) {
    candidates.push_back(std::string(home) + "/.cache/hilsa/mysql/bin/mysqld");
  }
  candidates.emplace_back("/var/cache/hilsa/mysql/bin/mysqld");
  return candidates;
}

PostgresPrograms find_postgres(const std::vector<std::string>& directories) {
  for (const auto& directory : directories) {
    PostgresPrograms programs{.initdb = directory + "/initdb", .postgres = directory + "/postgres"};
    if (is_program(programs.initdb) && is_program(programs.postgres)) return programs;
  }
  throw DatabaseUnusable("no PostgreSQL server is installed here: apt-get install postgresql");
}

MariadbPrograms find_mariadb(const std::vector<std::string>& directories) {
  const auto install_db = find_in(directories, "mariadb-install-db");
  const auto mariadbd = find_in(directories, "mariadbd");
  if (install_db && mariadbd) return {.install_db = *install_db, .mariadbd = *mariadbd};
  throw DatabaseUnusable(
      "no MariaDB server is installed here: apt-get install mariadb-server-core "
      "mariadb-client-core");
}

std::string find_mysql(const std::vector<std::string>& candidates) {
  for (const auto& candidate : candidates) {
    if (is_mysql(candidate)) return candidate;
  }
  if (candidates.size() == 1) {
    throw DatabaseUnusable("'" + candidates.front() +
                           "' is not a MySQL server: set HILSA_MYSQLD to a mysqld of MySQL, or "
                           "unset it and run scripts/mysql-server");
  }
  throw DatabaseUnusable(
      "no MySQL server is installed here: run scripts/mysql-server, which fetches one for tests "
      "(or on Ubuntu: apt-get install mysql-server-core-8.0)");
}

}  // namespace hilsa
