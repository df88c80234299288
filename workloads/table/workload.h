// The interface between workloads and those who run them. A workload is declarative: tables, what a
// trial starts from, what clients want, the strategies to do it, and what must hold at the end.
// Adding one is one file and one row in workloads/all.cc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/database/database.h"
#include "harness/history/measurement.h"
#include "harness/history/rng.h"
#include "workloads/table/transaction.h"

namespace hilsa {

struct Trial;

// One thing that a client wants done. What the numbers mean is the workload's own business.
struct Task {
  std::array<std::int64_t, 4> arguments{};
  const Trial* trial = nullptr;  // for bodies that need its options; it outlives its tasks
  Answer answer{};               // Strategy::afterwards: what the first transaction answered
};

// A client asks what to do next.
struct Turn {
  const Trial& trial;
  int client = 1;           // from 1
  std::int64_t number = 0;  // of the client's tasks in this trial, from 0
  Rng& rng;                 // the client's own
};

// What the business logic said. `conflict`: do it again from the start (an optimistic version did
// not match). A transaction that has written is rolled back unless it is done.
struct TaskResult {
  enum class Kind { done, refused, conflict };
  Kind kind = Kind::done;
  std::string_view reply;  // a constant
  // Counts once the task has ended done or refused: Tally::acknowledged, Tally::refused.
  std::optional<Answer> answer;
};
inline TaskResult done() { return {TaskResult::Kind::done, "done", {}}; }
inline TaskResult done(Answer answer) { return {TaskResult::Kind::done, "done", answer}; }
inline TaskResult refused(std::string_view reply) { return {TaskResult::Kind::refused, reply, {}}; }
inline TaskResult refused(std::string_view reply, Answer answer) {
  return {TaskResult::Kind::refused, reply, answer};
}
inline TaskResult conflict(std::string_view reply) {
  return {TaskResult::Kind::conflict, reply, {}};
}

enum class Promise { safe, unsafe };
inline std::string_view name_of(Promise promise) {
  return promise == Promise::safe ? "safe" : "unsafe";
}

struct Strategy {
  std::string_view name;
  std::string_view summary;
  // What is promised on a product at a level.
  Promise (*promise)(const Traits& traits, Isolation level);
  TaskResult (*body)(Transaction& txn, const Task& task);
  // The level that it runs at unless another is asked for; none: the database's default.
  std::optional<Isolation> isolation = std::nullopt;
  // One database transaction per attempt; false: no BEGIN, every statement commits by itself.
  bool one_transaction = true;
  // A second transaction of the same task, once the first has committed. In between `think` passes,
  // without a transaction and without a connection.
  TaskResult (*afterwards)(Transaction& txn, const Task& task) = nullptr;
  // An error that is the database's way of saying what `refused` says.
  std::optional<ErrorKind> refused_by = std::nullopt;
  // An error that is its way of saying `conflict`: somebody else was first, look again.
  std::optional<ErrorKind> conflict_by = std::nullopt;
  std::optional<Feature> needs = std::nullopt;
  // The table that it works on, where the workload has variants of one; none: the usual one.
  const Table* table = nullptr;
};

// A workload's own whole-number option, `--NAME`.
struct Option {
  std::string_view name;
  std::string_view summary;
  std::int64_t in_trials = 0;     // default with trials
  std::int64_t in_sustained = 0;  // default with --duration or --tasks
  std::int64_t lowest = 0;
  std::int64_t highest = 1'000'000'000;
};
using OptionValues = std::map<std::string_view, std::int64_t>;

// What one trial starts from. Trials use keys of their own, so that nothing needs to be emptied
// between them.
struct Trial {
  int number = 0;  // from 0
  // The trial may use keys from here to first_key + kKeysPerTrial - 1. A table whose rows have
  // made_up_key()s takes those of first_attempt instead.
  std::int64_t first_key = 0;
  // The id of the attempt that sets it up; if that has to be tried again, still of the first try.
  // All of the trial's attempts have higher ones, all earlier trials' have lower ones.
  AttemptId first_attempt = 0;
  int clients = 1;
  const Strategy* strategy = nullptr;
  const OptionValues* options = nullptr;

  std::int64_t option(std::string_view name) const { return options->at(name); }
};
inline constexpr std::int64_t kKeysPerTrial = 1000;

// Numbers that describe how a trial ended, by name.
using Measures = std::map<std::string_view, std::int64_t>;

// What a workload may know of a row of the report when it has something to say about it.
struct RowFigures {
  const Traits& traits;
  const Strategy& strategy;
  const OptionValues& options;
  int clients = 1;
  int pool = 1;
  int trials = 1;  // finished
  std::chrono::nanoseconds think{0};
  std::chrono::nanoseconds running{0};  // of all trials together
  const Tally& tally;
};

struct Invariant {
  std::string_view name;
  std::string_view summary;
  // What is wrong, in one line; nothing when it holds.
  std::optional<std::string> (*broken)(const Measures& measures);
};

struct Workload {
  std::string_view name;
  std::string_view summary;
  std::string_view story;  // a paragraph for `hilsa list NAME`
  // What a client is called here (`buyers`), which is also an option meaning --clients; empty: a
  // client.
  std::string_view clients_called;
  int clients_in_trials = 20;
  int trials = 10;  // unless --trials says otherwise: fewer where one takes seconds
  std::vector<const Table*> tables;
  std::span<const Option> options;
  std::span<const Strategy> strategies;
  std::span<const Invariant> invariants;
  // Inserts what the trial starts from, in one transaction of its own.
  void (*set_up)(Transaction& txn, const Trial& trial);
  Task (*next_task)(const Turn& turn);
  // Asks the final state, when all clients have ended. Throws DatabaseUnusable.
  Measures (*measure)(Session& session, const Trial& trial, const Tally& tally);
  // What a trial that ended so did not put to the test, in words; nothing when it tested all.
  std::optional<std::string_view> (*untested)(const Measures& measures) = nullptr;
  // How a measure is shown: its title in tables, and what its lowest and highest value over the
  // trials are called in JSON.
  struct Shown {
    std::string_view measure;
    std::string_view title;
    std::string_view lowest;
    std::string_view highest;
  };
  std::span<const Shown> shown;
  // A sentence about a row's figures, for example what they should be by calculation; may be empty.
  std::string (*remark)(const RowFigures& figures) = nullptr;
  // How long the application is busy between its statements, in trials, unless --think says
  // otherwise. About what a web application takes. Without it a fast database is through with one
  // client before the next has got going, and a race is seen only by luck.
  std::chrono::milliseconds think_in_trials{5};
  std::chrono::milliseconds think_in_sustained{0};  // with --duration or --tasks
  // There are no invariants: a checker decides from the history whether a strategy that promises to
  // be safe has kept the isolation level that the database promises (Traits::promised_level). One
  // that promises nothing may break anything.
  bool history_decides = false;
};

// All workloads, in the order in which they are listed.
std::span<const Workload* const> all_workloads();

}  // namespace hilsa
