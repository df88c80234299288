// Where the database servers of this machine are. Only looks; what is missing is a DatabaseUnusable
// that says what to install.
#pragma once

#include <string>
#include <vector>

namespace hilsa {

struct PostgresPrograms {
  std::string initdb;
  std::string postgres;
};

struct MariadbPrograms {
  std::string install_db;
  std::string mariadbd;
};

// The directories of $PATH and, after them, those where distributions put this server. For
// PostgreSQL these are one per version, newest first.
std::vector<std::string> postgres_directories();
std::vector<std::string> server_directories();
// The candidates for a MySQL server, files, best first.
std::vector<std::string> mysql_candidates();

// The first directory that holds both programs (they must be of one version).
PostgresPrograms find_postgres(const std::vector<std::string>& directories);
MariadbPrograms find_mariadb(const std::vector<std::string>& directories);
// The first candidate that really is MySQL: MariaDB installs a `mysqld` too. Runs the candidates
// with --version.
std::string find_mysql(const std::vector<std::string>& candidates);

}  // namespace hilsa
