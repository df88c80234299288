// What `hilsa doctor` shows of a MySQL or MariaDB server.
#pragma once

#include <cppconn/connection.h>

#include <map>
#include <string>
#include <vector>

#include "harness/database/database.h"

namespace hilsa {

// The server's variables as a new session sees them; names that this server lacks are absent.
// Throws sql::SQLException.
std::map<std::string, std::string> mysql_variables(sql::Connection& connection);
// The name of the variable with the isolation level: MariaDB before 11.1 has its own.
std::string mysql_isolation_variable(const std::map<std::string, std::string>& variables);

// Throws sql::SQLException.
std::vector<Setting> mysql_settings(sql::Connection& connection, Product product);

}  // namespace hilsa
