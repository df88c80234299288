// The parts of a trial that need no clients: what it starts from, and what became of it. For
// whoever runs trials: by the clock (Experiment) or step by step (harness/schedule).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/history.h"
#include "harness/history/history_sink.h"
#include "harness/history/recorder.h"
#include "workloads/table/workload.h"

namespace hilsa {

// Attempt ids and keys of row r of an invocation start at r times this, so that histories of rows
// that share tables never mention the same one.
inline constexpr std::int64_t kIdsPerRow = 1'000'000'000;

// ISO 8601, to the second.
std::string utc_now();

// One more connection. Throws DatabaseUnusable.
std::unique_ptr<Session> connect(Database& database);

// The level that a strategy's transactions run at: as asked for, or its own, or the database's. A
// product that does not offer it has one level, whatever is asked.
Isolation isolation_in_effect(const Traits& traits, std::optional<Isolation> asked);

// Throw UsageError where the database does not offer what the strategy needs, or where its
// transactions cannot run at the level that is asked for.
void check_strategy(const Database& database, const Strategy& strategy);
void check_level(const Database& database, Isolation asked);

// A client's random choices in a trial. Its tasks are drawn apart from its pauses, so that they do
// not depend on how often it has retried.
struct ClientRngs {
  ClientRngs(std::uint64_t seed, int client, int trial)
      : pauses(Rng::for_stream(seed, static_cast<std::uint64_t>(client),
                               static_cast<std::uint64_t>(trial))),
        tasks(pauses.next()) {}
  Rng pauses;
  Rng tasks;
};

// Inserts what the trial starts from, as an attempt of client 0, so that the history knows who
// wrote the first versions. Tries again when that may help. The recorder may be null.
std::optional<Error> set_up_trial(Session& session, const Transaction::Setting& setting,
                                  const Workload& workload, const Trial& trial,
                                  std::atomic<AttemptId>& next_attempt, Recorder* recorder);

struct Judgement {
  Measures measures;
  std::vector<std::pair<const Invariant*, std::string>> broken;  // and what is wrong
};

// When all clients have ended. Throws DatabaseUnusable.
Judgement judge_trial(Session& session, const Workload& workload, const Trial& trial,
                      const Tally& tally);

// The rows of all tables that attempts wrote last, as they are in the end. Its statements are made
// once: a session keeps for good what it has prepared.
class FinalRows {
 public:
  // `tables` outlives this.
  explicit FinalRows(const std::vector<const Table*>& tables);
  // Those that the attempts from `first` to `last` wrote. An error: not all of them could be read.
  std::optional<Error> write(Session& session, AttemptId first, AttemptId last,
                             HistorySink& history) const;

 private:
  const std::vector<const Table*>& tables_;
  std::vector<Statement> statements_;  // a table's each
};

// What a history says of itself first. `isolation`: in effect.
HistoryHeader header_of(const Workload& workload, const Strategy& strategy, Isolation isolation,
                        const Database& database, int clients, std::uint64_t seed);

}  // namespace hilsa
