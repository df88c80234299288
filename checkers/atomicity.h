// Transactions that saw a part of another's writes only: observed transaction vanishes, fractured
// read, predicate-many-preceders (Bailis et al. 2014, Adya 1999). By looking at each transaction's
// reads and at who made what they saw: O(reads x writers seen) a transaction.
#pragma once

#include "checkers/dependencies.h"
#include "checkers/versions.h"
#include "harness/history/history.h"

namespace hilsa {

void find_fractured_reads(const History& history, const Versions& versions,
                          const Dependencies& dependencies, Findings& findings);

}  // namespace hilsa
