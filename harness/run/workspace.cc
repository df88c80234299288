#include "harness/run/workspace.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "harness/database/usage_error.h"
#include "harness/run/trial.h"
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

// PostgreSQL's, MySQL's and MariaDB's ways of saying that a right is missing.
bool lacks_a_right(const Error& error) {
  constexpr std::array kDenied = {1044, 1142, 1227};
  return error.sqlstate == "42501" ||
         std::find(kDenied.begin(), kDenied.end(), error.vendor_code) != kDenied.end();
}

void must(const Expected<Result>& result, const std::string& what) {
  if (result) return;
  const bool denied = lacks_a_right(result.error());
  throw DatabaseUnusable("cannot create " + what + ": " + to_text(result.error()) +
                         (denied ? "; this user needs the right to create tables" : "") +
                         " ('hilsa doctor' says more)");
}

// Whether what a definition makes is there, or may be: its answer can be lost on the way.
bool may_exist(const Expected<Result>& made) {
  return made || made.error().kind == ErrorKind::commit_unknown ||
         made.error().kind == ErrorKind::statement_timeout;
}

// A server that was full a moment ago notices only by and by that connections were closed.
Expected<std::unique_ptr<Session>> open_patiently(Database& database) {
  constexpr int kTries = 50;
  constexpr std::chrono::milliseconds kPause{100};
  auto session = database.open_session();
  for (int i = 1; i < kTries && !session && is_connection_limit(session.error()); ++i) {
    std::this_thread::sleep_for(kPause);
    session = database.open_session();
  }
  return session;
}

}  // namespace

Workspace::Workspace(Database& database, const std::vector<const Table*>& tables)
    : database_(database), tables_(tables), name_(new_name()) {
  const bool schemas = database.product() == Product::postgresql;
  database.set_table_prefix(name_ + (schemas ? "." : "_"));
  const std::unique_ptr<Session> session = connect(database);
  try {
    create(*session);
  } catch (...) {
    if (!drop(*session)) tell_what_is_left();
    throw;
  }
}

void Workspace::create(Session& session) {
  if (database_.product() == Product::postgresql) {
    const auto made = session.execute(definition_sql("CREATE SCHEMA " + name_));
    schema_made_ = may_exist(made);
    must(made, "a schema");
  }
  for (const Table* const table : tables_) {
    const std::vector<Statement> statements = create_table(*table);
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const auto made = session.execute(statements[i]);
      if (i == 0 && may_exist(made)) ++tables_made_;  // the others make its indexes
      must(made, "the table " + std::string(table->name));
    }
  }
}

bool Workspace::drop(Session& session) {
  bool dropped = true;
  for (std::size_t i = tables_made_; i-- > 0;) {
    if (!session.execute(drop_table(*tables_[i]))) dropped = false;
  }
  if (schema_made_ && !session.execute(definition_sql("DROP SCHEMA IF EXISTS " + name_)))
    dropped = false;
  return dropped;
}

Workspace::~Workspace() {
  auto session = open_patiently(database_);
  if (!session || !drop(**session)) tell_what_is_left();
}

void Workspace::tell_what_is_left() const {
  std::fprintf(
      stderr,
      "hilsa: could not remove %s%s from the database; drop it by hand once no run uses it\n",
      schema_made_ ? "the schema " : "the tables named ",
      (name_ + (schema_made_ ? "" : "_*")).c_str());
}

}  // namespace hilsa
