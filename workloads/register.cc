// Elle's rw-register: transactions read registers and write values that nobody else writes, blindly
// (Kingsbury, Alvaro: Elle, VLDB 2020).
#include "workloads/register.h"

#include "workloads/general.h"

namespace hilsa {
namespace {

const Table kRegisters{.name = "registers", .columns = {{"id"}, {"value"}}};

const Statement kRead = read_row(kRegisters, {"value"});
const Statement kWrite = update_row(kRegisters, {set("value", param(1))});
const Statement kInsert = insert_row(kRegisters);

TaskResult reads_and_writes(Transaction& txn, const Task& task) {
  const Trial& trial = *task.trial;
  const std::int64_t longest = trial.option("operations");
  Rng rng = rng_of(task);
  const std::int64_t operations = 1 + below(rng, longest);
  for (std::int64_t i = 0; i < operations; ++i) {
    if (i > 0) txn.think();
    const std::int64_t number = below(rng, trial.option("keys"));
    const std::int64_t key = made_up_key(trial.first_attempt, number);
    if (below(rng, 2) == 0) {
      txn.find(kRead, {key});
    } else {
      // Never used twice in a trial, and never 0.
      const std::int64_t value = (txn.attempt() - trial.first_attempt) * longest + i;
      txn.update(kWrite, {key, value});
    }
  }
  return done();
}

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("keys"); ++i) {
    txn.insert(kInsert, {made_up_key(trial.first_attempt, i), std::int64_t{0}});
  }
}

constexpr std::array kStrategies = with_and_without_transaction(reads_and_writes);

constexpr std::array kOptions = {
    Option{.name = "keys",
           .summary = "registers",
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
};

}  // namespace

const Workload& register_workload() {
  static const Workload workload{
      .name = "register",
      .summary = "transactions read and overwrite registers (Elle's rw-register)",
      .story =
          "Every task is one to --operations random operations, each of which reads a register or "
          "overwrites it with a value that nobody else writes. Registers start at 0.",
      .tables = {&kRegisters},
      .options = kOptions,
      .strategies = kStrategies,
      .set_up = set_up,
      .next_task = random_task,
      .measure = no_measures,
      .history_decides = true};
  return workload;
}

}  // namespace hilsa
