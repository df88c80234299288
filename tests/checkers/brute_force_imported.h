// Levels by their definitions, for histories of a handful of transactions over lists and registers:
// the oracle that the checker is compared with. No dependencies, no graph: transactions are
// executed.
//
// Serializable: there is a serial order of the transactions that count in which every read,
// executed one after the other, sees exactly what was recorded: of a list, all elements appended up
// to then, in that order; of a register the value written last, at first null. Snapshot isolation:
// every transaction that counts can be given a start and, later, a commit, all on one line, so that
// what it reads is the commits before its start and its own earlier writes, and no two that write
// the same list or register overlap. Where nothing was read the order of writes is free.
//
// Committed transactions count, aborted ones do not, so nobody can have seen what they wrote. One
// whose outcome is unknown counts if a committed one has read what it wrote. Of the others any may
// count or not: as what they wrote was not seen, they could but get in the way, so none of them
// does. That needs that nothing is recorded of what they read, which readers see to.
//
// Forms as in brute_force.h.
#pragma once

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

// At most 8 transactions that count. Exponential.
bool imported_serializable_by_definition(const History& history, Needs form = Needs::data);
bool imported_snapshot_isolated_by_definition(const History& history, Needs form = Needs::data);

}  // namespace hilsa
