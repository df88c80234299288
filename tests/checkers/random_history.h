// Small random histories, as a database of a random strength would have run them, and some of them
// then falsified, so that good and bad ones are both frequent.
//
// A few clients run transactions of reads, predicate reads, inserts, updates and deletes over a
// handful of rows, one step of one client at a time. Values are small, so that rows come to match a
// predicate, and cease to, several times. What is promised: every version of a row was made by
// exactly one committed transaction, one after the other without a gap; aborted ones' numbers are
// used again; keys are never reused; times are all different, and transactions stand in the order
// of their ends. Falsified are reads alone: another version of the row, the same version from
// another writer, two reads exchanged, a row of a predicate read left out or added (in a version
// that matches).
#pragma once

#include <cstdint>
#include <optional>

#include "harness/history/history.h"

namespace hilsa {

// How strong the database is. All but the last keep a row for its writer until that has ended.
enum class Strength {
  serial,     // one transaction after the other
  snapshot,   // one snapshot for each, the first committer wins
  lossy,      // one snapshot for each, writers write on top of what is there
  committed,  // every read sees the latest commit
  stale,      // every read sees some committed version
  dirty       // every read sees the latest version, committed or not; so do writers
};

struct RandomHistoryOptions {
  std::optional<Strength> strength;  // none: any
  int transactions_max = 6;          // set-up, where there is one, is one of them
  int rows_max = 4;                  // over at most 3 tables
  bool predicates = true;
  bool falsified = true;  // some of them; false: as executed, all of them
  // Now and then the answer to COMMIT is lost: it may have committed or not. Reads then name
  // writers.
  bool unknown_outcomes = false;
};

// The same for the same arguments.
History random_history(std::uint64_t seed, const RandomHistoryOptions& options = {});

}  // namespace hilsa
