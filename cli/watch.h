// How it is seen which statements wait, for commands that follow every step.
#pragma once

#include <memory>

#include "cli/arguments.h"
#include "harness/database/database.h"

namespace hilsa {

// --blocked-after
void add_watch_options(Options& options);

// As asked for; or by asking the database; or, where that is not allowed, by a time limit and with
// a warning on standard error. The database outlives it.
std::unique_ptr<BlockWatch> watch_of(const Parsed& parsed, Database& database);

}  // namespace hilsa
