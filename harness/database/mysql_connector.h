// Makes connections to one MySQL or MariaDB server. Immutable once made; shared by the database and
// its sessions, which need it to interrupt each other's statements.
#pragma once

#include <cppconn/connection.h>

#include <memory>
#include <string>

#include "harness/database/database.h"
#include "harness/database/url.h"

namespace hilsa {

class MysqlConnector {
 public:
  // Throws UsageError for a URL without a database or with an option that does not exist. The first
  // one of a process must be made before there are threads: loading the driver is not thread-safe.
  MysqlConnector(const Url& url, const ConnectOptions& options);

  // A new connection with autocommit on. Throws sql::SQLException. Beware: the library has set this
  // session to REPEATABLE READ, whatever the server's default is.
  std::unique_ptr<sql::Connection> connect() const;

 private:
  sql::ConnectOptionsMap properties_;
};

}  // namespace hilsa
