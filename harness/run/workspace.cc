#include "harness/run/workspace.h"

#include <cstdio>
#include <random>

#include "harness/database/usage_error.h"
#include "workloads/table/tracked.h"

namespace hilsa {
namespace {

// Not from the run's seed: two runs with one seed must not meet.
std::string new_name() {
  std::random_device device;
  std::string digits;
  for (int i = 0; i < 8; ++i) digits += "0123456789abcdef"[device() % 16];
  return "hilsa_" + digits;
}

void must(const Expected<Result>& result, const std::string& what) {
  if (result) return;
  throw DatabaseUnusable("cannot create " + what + ": " + to_text(result.error()) +
                         "; this user needs the right to create tables (see 'hilsa doctor')");
}

}  // namespace

Workspace::Workspace(Database& database, const std::vector<const Table*>& tables)
    : database_(database), tables_(tables), name_(new_name()) {
  const bool schemas = database.product() == Product::postgresql;
  database.set_table_prefix(name_ + (schemas ? "." : "_"));
  auto session = database.open_session();
  if (!session) {
    throw DatabaseUnusable("cannot connect to " + database.shown_url() + ": " +
                           to_text(session.error()));
  }
  try {
    create(**session);
  } catch (...) {
    drop(**session);
    throw;
  }
}

void Workspace::create(Session& session) {
  if (database_.product() == Product::postgresql) {
    must(session.execute(definition_sql("CREATE SCHEMA " + name_)), "a schema");
    schema_made_ = true;
  }
  for (const Table* const table : tables_) {
    // Counted first: a table whose index failed exists.
    ++tables_made_;
    for (const Statement& statement : create_table(*table)) {
      must(session.execute(statement), "the table " + std::string(table->name));
    }
  }
}

bool Workspace::drop(Session& session) {
  bool dropped = true;
  for (std::size_t i = tables_made_; i-- > 0;) {
    if (!session.execute(drop_table(*tables_[i]))) dropped = false;
  }
  if (schema_made_ && !session.execute(definition_sql("DROP SCHEMA " + name_))) dropped = false;
  return dropped;
}

Workspace::~Workspace() {
  auto session = database_.open_session();
  if (session && drop(**session)) return;
  std::fprintf(
      stderr,
      "hilsa: could not remove %s%s from the database; drop it by hand once no run uses it\n",
      schema_made_ ? "the schema " : "the tables named ",
      (name_ + (schema_made_ ? "" : "_*")).c_str());
}

}  // namespace hilsa
