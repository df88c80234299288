// When a schedule says nothing about its order of statements: a connection was lost, or somebody
// outside held a lock until a statement's time was up. To count it as one more outcome would call
// safe what was never tried, and the search would not find the steps that the client had left.
#pragma once

#include <vector>

#include "harness/database/isolation.h"
#include "harness/schedule/turnstile.h"

namespace hilsa {

// Throws DatabaseUnusable when a statement of the round came to such an end, and says which.
void throw_if_cut_short(const std::vector<TakenStep>& steps, Product product);

// Throws DatabaseUnusable when a client waited for a lock until its time was up. For rounds in
// which nobody got done: else it may be the database's way out of a deadlock.
void throw_if_locked_out(const std::vector<TakenStep>& steps, Product product);

}  // namespace hilsa
