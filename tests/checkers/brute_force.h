// Levels by their definitions, for histories of a handful of transactions over stamped rows: the
// oracle that the checker is compared with. No dependencies, no graph: transactions are executed.
//
// Serializable: there is a serial order of the committed transactions in which every operation,
// executed one after the other, sees exactly what was recorded. Snapshot isolation: every committed
// transaction can be given a start and, later, a commit, all on one line, so that what it sees is
// the commits before its start and its own earlier writes, and nobody else commits a write of a row
// that it writes between its start and its commit (the first committer wins).
//
// What "sees" means, on a state that has a version for every row, at first 0 (not yet inserted):
//   - A read of version v: the row is there and in version v; if the read asked for the writer,
//   that
//     is who wrote it. A read of version 0: the row is not there, not yet or not any more.
//   - A predicate read: the rows that came back are exactly those of the table that are there and
//     match, in the versions recorded. Values follow from the inserts and the changes.
//   - A write or an erase: the row is there; an insert: it has never been. The version made is one
//     above the present one.
//   - Within a transaction everything, predicate reads too, sees what it wrote itself before.
//   - The values that reads recorded are not looked at: versions say it all.
//   - A version that was not learned (kVersionUnknown) is any version where it was read; a write
//     that made one is a mistake of the caller.
// Aborted transactions are ignored, so nobody can have seen their versions. One whose outcome is
// unknown counts only if another one that counts read a version of it, or wrote the version after
// one of it. Who those are may be open (two may have made the same version): it is enough that the
// definition holds for some of them. To have missed a row because of it is not to have seen it.
//
// Forms: with Needs::session, transactions of one client (0 or above) take effect in the order of
// the history: for snapshot isolation, each starts after the one before it has committed. With
// Needs::realtime the same for any that ended before the other one began. Nobody has to be after
// one whose outcome is unknown, as it may have committed after its client went on.
#pragma once

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

// At most 12 transactions that count. Exponential.
bool serializable_by_definition(const History& history, Needs form = Needs::data);
bool snapshot_isolated_by_definition(const History& history, Needs form = Needs::data);

// Whether it is certain which of the transactions whose outcome is unknown count.
bool outcomes_are_clear(const History& history);

}  // namespace hilsa
