// Elle's list-append: transactions read lists and append elements to them. A read shows the whole
// order of the appends so far, which is what makes these histories easy to judge, also without
// stamps (Kingsbury, Alvaro: Elle, VLDB 2020).
//
// --keys lists are in use at a time. When each has had --list-length elements or so, all are given
// up for new ones, so that lists stay short however long it goes on. Which lists are in use follows
// from an attempt's id alone; the first to append to a list that is not there makes it.
#include "workloads/append.h"

#include <algorithm>
#include <string>

#include "workloads/general.h"

namespace hilsa {
namespace {

const Table kLists{.name = "lists", .columns = {{"id"}, {"elements", Column::Type::text}}};

const Statement kRead = read_row(kLists, {"elements"});
const Statement kInsert = insert_row(kLists);
const Statement kAppend = update_row(kLists, {append("elements", param(1))});

// How many attempts work on the same lists: one in two operations appends, and a task has half of
// --operations on average.
std::int64_t attempts_per_generation(const Trial& trial) {
  const std::int64_t appends = trial.option("keys") * trial.option("list-length");
  return std::max<std::int64_t>(1, appends * 4 / (trial.option("operations") + 1));
}

// A generation's lists have the keys of the first attempt in it.
std::int64_t key_of_list(const Trial& trial, AttemptId attempt, std::int64_t number) {
  const std::int64_t length = attempts_per_generation(trial);
  const std::int64_t generation = (attempt - trial.first_attempt) / length;
  return made_up_key(trial.first_attempt + generation * length, number);
}

void append_to(Transaction& txn, std::int64_t key, const std::string& element) {
  if (txn.update(kAppend, {key, element}) > 0) return;
  txn.insert(kInsert, {key, ""});
  txn.update(kAppend, {key, element});
}

TaskResult reads_and_appends(Transaction& txn, const Task& task) {
  const Trial& trial = *task.trial;
  const std::int64_t longest = trial.option("operations");
  Rng rng = rng_of(task);
  const std::int64_t operations = 1 + below(rng, longest);
  for (std::int64_t i = 0; i < operations; ++i) {
    if (i > 0) txn.think();
    const std::int64_t key = key_of_list(trial, txn.attempt(), below(rng, trial.option("keys")));
    if (below(rng, 2) == 0) {
      txn.find(kRead, {key});
    } else {
      // Never used twice in a trial.
      const std::int64_t element = (txn.attempt() - trial.first_attempt) * longest + i;
      append_to(txn, key, std::to_string(element));
    }
  }
  return done();
}

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("keys"); ++i) {
    txn.insert(kInsert, {key_of_list(trial, trial.first_attempt, i), ""});
  }
}

constexpr std::array kStrategies = [] {
  auto strategies = with_and_without_transaction(reads_and_appends);
  // Somebody else has made the list in the meantime.
  for (Strategy& strategy : strategies) strategy.refused_by = ErrorKind::unique_violation;
  return strategies;
}();

constexpr std::array kOptions = {
    Option{.name = "keys",
           .summary = "lists in use at a time",
           .in_trials = 5,
           .in_sustained = 10,
           .lowest = 1,
           .highest = kKeysPerAttempt},
    Option{.name = "operations",
           .summary = "most operations of a task",
           .in_trials = 4,
           .in_sustained = 4,
           .lowest = 1,
           .highest = 100},
    Option{.name = "list-length",
           .summary = "elements that a list gets, on average, before new ones are used",
           .in_trials = 50,
           .in_sustained = 50,
           .lowest = 1,
           .highest = 10'000},
};

}  // namespace

const Workload& append_workload() {
  static const Workload workload{
      .name = "append",
      .summary = "transactions read lists and append elements to them (Elle's list-append)",
      .story =
          "Every task is one to --operations random operations, each of which reads a list or "
          "appends an element to one that nobody else appends. The lists show in which order that "
          "happened, and so what the transactions have seen of each other.",
      .tables = {&kLists},
      .options = kOptions,
      .strategies = kStrategies,
      .set_up = set_up,
      .next_task = random_task,
      .measure = no_measures,
      .history_decides = true};
  return workload;
}

}  // namespace hilsa
