// What a checker found: which anomalies happened, between which transactions, and which isolation
// levels the history still satisfies. Plain data; words and pictures are made of it in explain.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/history.h"

namespace hilsa {

// Three truth values. Merging two verdicts ranks invalid over unknown over valid.
enum class Validity { valid, invalid, unknown };
std::string_view name_of(Validity validity);

enum class AnomalyClass : std::uint8_t {
  internal,
  lost_write,
  duplicate_write,     // two writes made one and the same version, value or element
  garbage_read,        // a value, element or version that nobody wrote
  incompatible_order,  // two reads of one list of which neither is a prefix of the other
  g0,
  g1a,
  g1b,
  g1c,
  otv,
  fractured_read,
  non_repeatable_read,
  pmp,
  p4,
  g_single,
  g_nonadjacent,
  g2_item,
  g2,
  dirty_update,  // a committed write on top of a version whose writer aborted
};
inline constexpr std::size_t kAnomalyClassCount =
    static_cast<std::size_t>(AnomalyClass::dirty_update) + 1;

// Which order besides the data a cycle needs: none; the order within a session; real time.
enum class Needs : std::uint8_t { data, session, realtime };

// As in DESIGN §5: `G-single`, `G2-item-realtime`, `lost-write`.
std::string class_name(AnomalyClass anomaly, Needs needs);
// As people call it: `read skew`; with session or realtime needs, also `stale read` and the like.
std::string common_name(AnomalyClass anomaly, Needs needs);

// Adya's dependencies and the two orders besides the data.
enum class EdgeKind : std::uint8_t {
  ww,            // `to` wrote the version after `from`'s
  wr,            // `to` read what `from` wrote
  predicate_wr,  // `to`'s predicate read saw, or missed, a row because of what `from` wrote
  rw,            // `to` wrote the version after the one that `from` read
  predicate_rw,  // `to` wrote what would have changed the result of `from`'s predicate read
  session,       // the same client, `from` first
  realtime,      // `from` had ended before `to` began
};
inline constexpr std::size_t kEdgeKindCount = static_cast<std::size_t>(EdgeKind::realtime) + 1;
std::string_view name_of(EdgeKind kind);  // ww, wr, predicate wr, …

struct EvidenceEdge {
  TxnIndex from = kNone;
  TxnIndex to = kNone;
  EdgeKind kind = EdgeKind::ww;
  // What it is about; kNone for session and realtime.
  ObjectIndex object = kNone;
  OpIndex from_op = kNone;  // `from`'s operation on the object (its predicate read)
  OpIndex to_op = kNone;    // `to`'s
  // Not observed but forced: the other order of these two writes is impossible. The history's
  // reader then says why in `Evidence::remarks`.
  bool inferred = false;
};

// A cycle: each edge's `to` is the next one's `from`, the last one's the first one's. Anomalies
// that are no cycles have the operations that show them instead.
struct Evidence {
  std::vector<EvidenceEdge> cycle;
  std::vector<OpIndex> operations;     // in the order in which to tell them
  std::vector<TxnIndex> transactions;  // those that take part, in the order in which they ended
  std::vector<std::string> remarks;    // further sentences, where the data alone do not say it all
  // Several transactions of which not all are one database transaction: no level would help.
  bool beyond_one_transaction = false;
};

struct Anomaly {
  AnomalyClass anomaly = AnomalyClass::g0;
  Needs needs = Needs::data;
  // How often: reads or writes that show it; for cycles, how many separate groups of transactions
  // (strongly connected components) have such a cycle.
  std::int64_t count = 0;
  std::vector<Evidence>
      evidence;  // the shortest first; at least one, at most Expectation::evidence
};

enum class Level : std::uint8_t {
  read_uncommitted,
  read_committed,
  monotonic_atomic_view,
  read_atomic,
  consistent_view,  // PL-2+
  repeatable_read,  // PL-2.99
  snapshot_isolation,
  serializable,
};
inline constexpr std::size_t kLevelCount = static_cast<std::size_t>(Level::serializable) + 1;

// A level in one of its forms: plain, strong session, strict (real time).
struct LevelForm {
  Level level = Level::serializable;
  Needs form = Needs::data;
  friend bool operator==(const LevelForm&, const LevelForm&) = default;
};
// `serializable`, `strong session snapshot isolation`, `strict serializable`.
std::string name_of(const LevelForm& level);
// Also by their usual short names: `serializability`, `SI`, `PL-2+`, `linearizable`…; `-` and `_`
// count as spaces, case does not count.
std::optional<LevelForm> level_named(std::string_view name);
// Whether a history at `stronger` is always one at `weaker`.
bool implies(const LevelForm& stronger, const LevelForm& weaker);

// What one level came to. `unknown`: the search ran out of its budget.
struct LevelResult {
  LevelForm level;
  Validity validity = Validity::unknown;
  int because = -1;  // invalid: the anomaly that rules it out, an index into Verdict::anomalies
};

struct Coverage {
  std::int64_t transactions = 0;  // of all outcomes, set-up included
  std::int64_t committed = 0;     // of them, in-doubt ones that were seen included
  std::int64_t aborted = 0;
  std::int64_t in_doubt = 0;  // COMMIT never answered
  std::int64_t in_doubt_seen = 0;
  std::int64_t operations = 0;
  std::int64_t objects = 0;
  std::array<std::int64_t, kEdgeKindCount> edges{};  // dependencies found, by kind
  std::int64_t choices = 0;                          // dependencies with more than one explanation
  std::int64_t search_steps = 0;                     // spent on deciding those
  std::int64_t largest_component = 0;                // transactions in the largest group that fails
};

struct Verdict {
  Validity validity = Validity::unknown;  // of the level that was demanded
  LevelForm demanded;
  std::string reason;                // in words: why it is invalid or unknown; empty: valid
  std::vector<LevelForm> levels;     // the strongest that hold; empty: none does
  std::vector<LevelResult> results;  // of every level in every form that can be decided
  std::vector<Anomaly> anomalies;    // in the order of AnomalyClass, then of Needs
  Coverage coverage;
  std::vector<std::string>
      notes;  // what a person should know: a file cut short, versions unknown …
};

}  // namespace hilsa
