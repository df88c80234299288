// The only place in somebody's database where Hilsa works: a schema (PostgreSQL) or a set of tables
// with a prefix (MySQL, MariaDB, SQLite), under a name that nobody else has.
#pragma once

#include <string>
#include <vector>

#include "harness/database/database.h"

namespace hilsa {

class Workspace {
 public:
  // Creates the schema and the tables, and makes sessions that the database opens from now on work
  // there. Throws DatabaseUnusable, having removed what was made up to then. The database and the
  // tables must outlive this.
  Workspace(Database& database, const std::vector<const Table*>& tables);
  // Drops what the constructor made, and nothing else. When that fails, says on standard error what
  // is left and how to remove it.
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

 private:
  void create(Session& session);
  bool drop(Session& session);
  void tell_what_is_left() const;

  Database& database_;
  const std::vector<const Table*>& tables_;
  std::string name_;  // hilsa_ and eight hexadecimal digits
  bool schema_made_ = false;
  std::size_t tables_made_ = 0;
};

}  // namespace hilsa
