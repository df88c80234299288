// What the workloads have in common that hunt anomalies in a database itself: random operations,
// once in a transaction and once without, and a history that decides (Workload::history_decides).
#pragma once

#include <array>

#include "workloads/table/workload.h"

namespace hilsa {

// The task is a seed, from which the body derives all its choices: the same ones when it has to be
// tried again.
inline Task random_task(const Turn& turn) {
  return {{static_cast<std::int64_t>(turn.rng.next())}, &turn.trial};
}
inline Rng rng_of(const Task& task) { return Rng(static_cast<std::uint64_t>(task.arguments[0])); }
inline std::int64_t below(Rng& rng, std::int64_t bound) {
  return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(bound)));
}

inline Promise as_the_database_promises(const Traits& /*traits*/, Isolation /*level*/) {
  return Promise::safe;
}
inline Promise nothing_promised(const Traits& /*traits*/, Isolation /*level*/) {
  return Promise::unsafe;
}

constexpr std::array<Strategy, 2> with_and_without_transaction(
    TaskResult (*body)(Transaction& txn, const Task& task)) {
  return {Strategy{.name = "transaction",
                   .summary = "all operations of a task in one transaction",
                   .promise = as_the_database_promises,
                   .body = body},
          Strategy{.name = "autocommit",
                   .summary = "the same operations without a transaction",
                   .promise = nothing_promised,
                   .body = body,
                   .one_transaction = false}};
}

inline Measures no_measures(Session& /*session*/, const Trial& /*trial*/, const Tally& /*tally*/) {
  return {};
}

}  // namespace hilsa
