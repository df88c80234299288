// Random transactions over a few rows: the hunt for anomalies in a database itself.
//
// A trial has --keys rows in each of two tables. A row belongs to a group and has an amount;
// updates move rows into and out of what predicates look for, inserts and deletions do as well.
// The rows of the second half may be deleted, like all that were inserted later; the first half
// stays, so that transactions always have something to meet on.
#include "workloads/rows.h"

#include <optional>
#include <vector>

#include "workloads/general.h"

namespace hilsa {
namespace {

constexpr std::int64_t kGroups = 5;
constexpr std::int64_t kAmounts = 100;  // they start below this, and may wander off
constexpr std::int64_t kRange = 25;     // how far predicates over amounts reach

const Table kRed{
    .name = "red", .columns = {{"id"}, {"trial"}, {"grp"}, {"amount"}}, .indexed = {"trial"}};
const Table kBlue{
    .name = "blue", .columns = {{"id"}, {"trial"}, {"grp"}, {"amount"}}, .indexed = {"trial"}};

// What is done to either table. Parameter 0 is the row's key, or else the trial.
struct Statements {
  explicit Statements(const Table& table)
      : read(read_row(table, {"grp", "amount"})),
        in_group(read_rows(table, {"grp", "amount"},
                           {equal("trial", param(0)), equal("grp", param(1))})),
        in_range(read_rows(
            table, {"grp", "amount"},
            {equal("trial", param(0)), at_least("amount", param(1)), less("amount", param(2))})),
        insert(insert_row(table)),
        set_amount(update_row(table, {set("amount", param(1))})),
        add_amount(update_row(table, {add("amount", param(1))})),
        set_group(update_row(table, {set("grp", param(1))})),
        add_in_group(update_rows(table, {add("amount", param(2))},
                                 {equal("trial", param(0)), equal("grp", param(1))})),
        regroup_range(update_rows(
            table, {set("grp", param(3))},
            {equal("trial", param(0)), at_least("amount", param(1)), less("amount", param(2))})),
        erase(erase_row(table)),
        erase_if_in_group(erase_row(table, {equal("grp", param(1))})),
        erase_group(erase_rows(
            table, {equal("trial", param(0)), at_least("id", param(1)), equal("grp", param(2))})) {}
  Statement read, in_group, in_range;
  Statement insert;
  Statement set_amount, add_amount, set_group, add_in_group, regroup_range;
  Statement erase, erase_if_in_group, erase_group;
};
const std::array<Statements, 2> kStatements = {Statements(kRed), Statements(kBlue)};

// One task's way through the tables.
class Walk {
 public:
  Walk(Transaction& txn, const Task& task)
      : txn_(txn), trial_(*task.trial), rng_(rng_of(task)), keys_(trial_.option("keys")) {}

  void go() {
    const std::int64_t operations = 1 + pick(trial_.option("operations"));
    for (std::int64_t i = 0; i < operations; ++i) {
      if (i > 0) txn_.think();
      table_ = &kStatements[static_cast<std::size_t>(pick(2))];
      step();
    }
  }

 private:
  void step() {
    struct Kind {
      std::string_view share;  // the option that says how often
      void (Walk::*step)();
    };
    static constexpr std::array kKinds = {
        Kind{"reads", &Walk::read}, Kind{"predicates", &Walk::look}, Kind{"inserts", &Walk::insert},
        Kind{"updates", &Walk::update}, Kind{"deletes", &Walk::erase}};
    std::int64_t all = 0;
    for (const Kind& kind : kKinds) all += trial_.option(kind.share);
    std::int64_t at = pick(all);
    for (const Kind& kind : kKinds) {
      at -= trial_.option(kind.share);
      if (at < 0) return (this->*kind.step)();
    }
  }

  std::int64_t pick(std::int64_t bound) { return below(rng_, bound); }
  std::int64_t trial_id() const { return trial_.first_attempt; }
  std::int64_t key(std::int64_t number) const { return made_up_key(trial_.first_attempt, number); }
  std::int64_t some_key() { return key(pick(100) < trial_.option("skew") ? 0 : pick(keys_)); }
  std::int64_t first_to_delete() const { return key(keys_ / 2); }

  void read() {
    if (const auto row = txn_.find(table_->read, {some_key()})) amount_ = (*row)["amount"];
  }

  void look() {
    const bool by_group = pick(2) == 0;
    const std::int64_t from = pick(kAmounts);
    const auto rows = by_group ? txn_.select(table_->in_group, {trial_id(), pick(kGroups)})
                               : txn_.select(table_->in_range, {trial_id(), from, from + kRange});
    for (const Row& row : rows) {
      amount_ = row["amount"];
      if (row.key() >= first_to_delete()) deletable_ = {table_, row.key()};
    }
  }

  void insert() {
    txn_.insert(table_->insert, {made_up_key(txn_.attempt(), inserted_++), trial_id(),
                                 pick(kGroups), pick(kAmounts)});
  }

  void update() {
    switch (pick(6)) {
      case 0:  // not looked at before
        txn_.update(table_->set_amount, {some_key(), pick(kAmounts)});
        break;
      case 1:
        txn_.update(table_->add_amount, {some_key(), 1 + pick(5)});
        break;
      case 2:  // by what was read here, or elsewhere
        if (!amount_ || pick(2) == 0) read();
        txn_.think();
        txn_.update(table_->set_amount, {some_key(), amount_.value_or(0) + 1});
        break;
      case 3:
        txn_.update(table_->set_group, {some_key(), pick(kGroups)});
        break;
      case 4:
        txn_.update(table_->add_in_group, {trial_id(), pick(kGroups), 1 + pick(5)});
        break;
      default: {
        const std::int64_t from = pick(kAmounts);
        txn_.update(table_->regroup_range, {trial_id(), from, from + kRange, pick(kGroups)});
      }
    }
  }

  void erase() {
    const std::int64_t group = pick(kGroups);
    const std::int64_t some = key(keys_ / 2 + pick(keys_ - keys_ / 2));
    switch (pick(3)) {
      case 0:
        if (deletable_) {
          txn_.erase(deletable_->table->erase, {deletable_->key});
        } else {
          txn_.erase(table_->erase, {some});
        }
        break;
      case 1:
        txn_.erase(table_->erase_if_in_group, {some, group});
        break;
      default:
        txn_.erase(table_->erase_group, {trial_id(), first_to_delete(), group});
    }
  }

  Transaction& txn_;
  const Trial& trial_;
  Rng rng_;
  std::int64_t keys_;
  const Statements* table_ = nullptr;   // the table that the step at hand is about
  std::optional<std::int64_t> amount_;  // read last
  struct SeenKey {
    const Statements* table;
    std::int64_t key;
  };
  std::optional<SeenKey> deletable_;  // seen last
  std::int64_t inserted_ = 0;
};

TaskResult random_operations(Transaction& txn, const Task& task) {
  Walk(txn, task).go();
  return done();
}

void set_up(Transaction& txn, const Trial& trial) {
  for (const Statements& table : kStatements) {
    for (std::int64_t i = 0; i < trial.option("keys"); ++i) {
      const std::int64_t amount = i * kAmounts / trial.option("keys");
      txn.insert(table.insert,
                 {made_up_key(trial.first_attempt, i), trial.first_attempt, i % kGroups, amount});
    }
  }
}

constexpr std::array kStrategies = with_and_without_transaction(random_operations);

constexpr std::array kOptions = {
    Option{.name = "keys",
           .summary = "rows of each table to start with",
           .in_trials = 10,
           .in_sustained = 20,
           .lowest = 1,
           .highest = kKeysPerAttempt},
    Option{.name = "operations",
           .summary = "most operations of a task",
           .in_trials = 6,
           .in_sustained = 6,
           .lowest = 1,
           .highest = 100},
    Option{.name = "skew",
           .summary = "percent of the operations on one row that go to the same one",
           .in_trials = 20,
           .in_sustained = 20,
           .highest = 100},
    Option{.name = "reads",
           .summary = "how often a row is read, relative to the other kinds",
           .in_trials = 35,
           .in_sustained = 35,
           .lowest = 1,
           .highest = 1000},
    Option{.name = "predicates",
           .summary = "how often rows are looked for by group or amount",
           .in_trials = 15,
           .in_sustained = 15,
           .highest = 1000},
    Option{.name = "inserts",
           .summary = "how often a row is added",
           .in_trials = 10,
           .in_sustained = 10,
           .highest = 1000},
    Option{.name = "updates",
           .summary = "how often a row, or a group, is changed",
           .in_trials = 30,
           .in_sustained = 30,
           .highest = 1000},
    Option{.name = "deletes",
           .summary = "how often a row, or part of a group, is deleted",
           .in_trials = 10,
           .in_sustained = 10,
           .highest = 1000},
};

}  // namespace

const Workload& rows_workload() {
  static const Workload workload{
      .name = "rows",
      .summary = "random transactions that read, search, insert, update and delete a few rows",
      .story =
          "Every task is a handful of random operations on two small tables: reads by key, "
          "searches by group or by a range of amounts, inserts, updates (blind, relative, by what "
          "was read before, of a whole group) and deletions. Nothing about the data can be wrong; "
          "what is looked for are anomalies between the transactions. They deadlock now and then, "
          "which PostgreSQL takes a second to notice; temp:postgres?deadlock_timeout=20ms keeps "
          "them busier.",
      .tables = {&kRed, &kBlue},
      .options = kOptions,
      .strategies = kStrategies,
      .set_up = set_up,
      .next_task = random_task,
      .measure = no_measures,
      .history_decides = true};
  return workload;
}

}  // namespace hilsa
