// SQLite as the database that nobody has asked for.
#pragma once

#include "cli/arguments.h"
#include "harness/database/usage_error.h"

namespace hilsa {

// Throws it again, with a hint when it is about SQLite and no --db was given: many a "not available
// on SQLite" is a forgotten --db.
[[noreturn]] void explain_default_database(const Parsed& parsed, const UsageError& error);

}  // namespace hilsa
