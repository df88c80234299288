// What a simulated database is asked to be: its isolation level, and what is wrong with it on
// purpose.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/database/isolation.h"

namespace hilsa::simulated {

enum class Level {
  read_uncommitted,  // reads see the newest version, committed or not
  read_committed,    // every statement has a snapshot; updates look again at what they waited for
  snapshot,          // one snapshot a transaction; who changes a row first wins
  serializable_2pl,  // two-phase locking, predicates locked exactly
  serializable_ssi,  // a snapshot, and the dangerous structures of rw dependencies refused
};
inline constexpr std::size_t kLevelCount = 5;
// As in URLs: `serializable-ssi`.
std::string_view name_of(Level level);
std::optional<Level> level_named(std::string_view name);
std::vector<std::string> level_names();

// The level that a transaction gets that asks for `asked` in a database whose own is `own`.
Level level_for(std::optional<Isolation> asked, Level own);
// What the level is called where there are only SQL's four.
Isolation isolation_of(Level level);

// Bugs act now and then, by the seed, and only while somebody else is in a transaction: what a
// database does when it is alone is right.
enum class Bug {
  none,
  lost_write,           // COMMIT drops the versions of one row, and says that all went well
  dirty_read,           // a read sees a version that is not committed
  stale_snapshot,       // reads are from a moment further back, which may be the client's own past
  missed_phantom_lock,  // predicates are neither locked nor watched, only the rows that they found
  forgotten_abort,      // the writes of a transaction that was rolled back stay
  reordered_commit,     // commits become visible late, and to each reader in an order of its own
};
inline constexpr std::size_t kBugCount = 7;
// As in URLs: `lost-write`; `none` for none.
std::string_view name_of(Bug bug);
std::optional<Bug> bug_named(std::string_view name);
std::vector<std::string> bug_names();  // without `none`

}  // namespace hilsa::simulated
