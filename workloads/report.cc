// The torn report: a total over accounts is taken while money moves between them. Odd clients move
// money, always in one transaction; even clients report. Whatever is moved, each report must show
// the same total.
#include "workloads/report.h"

#include <algorithm>
#include <array>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kAccounts{.name = "accounts", .columns = {{"id"}, {"balance"}}};

const Statement kRead = read_row(kAccounts, {"balance"});
const Statement kReadAll =
    read_rows(kAccounts, {"balance"}, {at_least("id", param(0)), at_most("id", param(1))});
const Statement kTake = update_row(kAccounts, {subtract("balance", param(1))});
const Statement kGive = update_row(kAccounts, {add("balance", param(1))});
const Statement kInsert = insert_row(kAccounts);

enum class Role { transfer, report };

struct Accounts {
  explicit Accounts(const Trial& trial)
      : first(trial.first_key), last(trial.first_key + trial.option("accounts") - 1) {}
  std::int64_t first;
  std::int64_t last;
};

// Of 1 to 10, from one account to another. The lower account first: no two ever wait for each
// other.
struct Transfer {
  explicit Transfer(const Task& task)
      : lower(task.arguments[1]), higher(task.arguments[2]), amount(task.arguments[3]) {}
  std::int64_t lower;
  std::int64_t higher;
  std::int64_t amount;  // to the higher account; below 0: to the lower one
};

TaskResult transfer(Transaction& txn, const Task& task) {
  const Transfer moved(task);
  txn.update(kTake, {moved.lower, moved.amount});
  txn.think();
  txn.update(kGive, {moved.higher, moved.amount});
  return done();
}

bool is_transfer(const Task& task) {
  return task.arguments[0] == static_cast<std::int64_t>(Role::transfer);
}

TaskResult total(std::int64_t sum) { return done({.about = 0, .number = sum}); }

TaskResult read_one_by_one(Transaction& txn, const Task& task) {
  const Accounts accounts(*task.trial);
  std::int64_t sum = txn.read(kRead, {accounts.first})["balance"];
  // As long as it takes a transfer that began at the same time to be through.
  txn.think();
  txn.think();
  for (std::int64_t account = accounts.first + 1; account <= accounts.last; ++account) {
    sum += txn.read(kRead, {account})["balance"];
  }
  return total(sum);
}

TaskResult read_at_once(Transaction& txn, const Task& task) {
  const Accounts accounts(*task.trial);
  return total(sum_of(txn.select(kReadAll, {accounts.first, accounts.last}), "balance"));
}

TaskResult per_statement(Transaction& txn, const Task& task) {
  return is_transfer(task) ? transfer(txn, task) : read_one_by_one(txn, task);
}

TaskResult one_query(Transaction& txn, const Task& task) {
  if (is_transfer(task)) return transfer(txn, task);
  txn.think();
  return read_at_once(txn, task);
}

// Transfers are thought better of when half of them is done.
TaskResult dirty(Transaction& txn, const Task& task) {
  if (!is_transfer(task)) {
    txn.think();
    return read_at_once(txn, task);
  }
  const Transfer moved(task);
  txn.update(kTake, {moved.lower, moved.amount});
  txn.think();
  txn.think();
  return refused("rolled back");
}

Promise where_reads_are_of_committed_rows(const Traits& /*traits*/, Isolation level) {
  return level == Isolation::read_uncommitted ? Promise::unsafe : Promise::safe;
}

constexpr std::array kStrategies = {
    Strategy{.name = "per-statement",
             .summary = "read the accounts one by one, in one transaction",
             .promise = where_reads_fit_together,
             .body = per_statement},
    Strategy{.name = "one-snapshot",
             .summary = "the same at REPEATABLE READ",
             .promise = where_reads_fit_together,
             .body = per_statement,
             .isolation = Isolation::repeatable_read},
    Strategy{.name = "one-query",
             .summary = "read all accounts in one SELECT",
             .promise = where_reads_are_of_committed_rows,
             .body = one_query},
    Strategy{.name = "dirty",
             .summary = "one SELECT at READ UNCOMMITTED, while transfers are rolled back half-way",
             .promise = never,
             .body = dirty,
             .isolation = Isolation::read_uncommitted,
             .needs = Feature::read_uncommitted},
};

constexpr std::array kOptions = {
    Option{.name = "accounts",
           .summary = "accounts that a report adds up",
           .in_trials = 2,
           .in_sustained = 10,
           .lowest = 2,
           .highest = 100},
    Option{.name = "balance",
           .summary = "what an account starts with",
           .in_trials = 1'000,
           .in_sustained = 1'000},
};

void set_up(Transaction& txn, const Trial& trial) {
  const Accounts accounts(trial);
  for (std::int64_t account = accounts.first; account <= accounts.last; ++account) {
    txn.insert(kInsert, {account, trial.option("balance")});
  }
}

Task next_task(const Turn& turn) {
  const auto below = [&turn](std::int64_t bound) {
    return static_cast<std::int64_t>(turn.rng.below(static_cast<std::uint64_t>(bound)));
  };
  if (turn.client % 2 == 0) return {{static_cast<std::int64_t>(Role::report)}, &turn.trial};
  const Accounts accounts(turn.trial);
  const std::int64_t count = turn.trial.option("accounts");
  const std::int64_t one = below(count);
  const std::int64_t other = (one + 1 + below(count - 1)) % count;
  const std::int64_t amount = 1 + below(10);
  return {{static_cast<std::int64_t>(Role::transfer), accounts.first + std::min(one, other),
           accounts.first + std::max(one, other), below(2) == 0 ? amount : -amount},
          &turn.trial};
}

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const Accounts accounts(trial);
  const std::int64_t expected = trial.option("accounts") * trial.option("balance");
  Measures measures = {
      {"expected", expected},
      {"final total", sum_of(state.select(kReadAll, {accounts.first, accounts.last}), "balance")},
      {"reports", static_cast<std::int64_t>(tally.acknowledged.size())},
      {"wrong", 0},
      {"lowest total", expected},
      {"highest total", expected}};
  for (const Answer& report : tally.acknowledged) {
    if (report.number != expected) ++measures["wrong"];
    measures["lowest total"] = std::min(measures["lowest total"], report.number);
    measures["highest total"] = std::max(measures["highest total"], report.number);
  }
  return measures;
}

std::optional<std::string> torn(const Measures& m) {
  if (m.at("wrong") == 0) return std::nullopt;
  return std::to_string(m.at("wrong")) + " of " + std::to_string(m.at("reports")) +
         " reports show another total than " + std::to_string(m.at("expected")) + ": from " +
         std::to_string(m.at("lowest total")) + " to " + std::to_string(m.at("highest total"));
}

std::optional<std::string> money_made(const Measures& m) {
  if (m.at("final total") == m.at("expected")) return std::nullopt;
  return "the accounts hold " + std::to_string(m.at("final total")) + ", not " +
         std::to_string(m.at("expected"));
}

constexpr std::array kInvariants = {
    Invariant{"torn-report", "every report shows the same total", torn},
    Invariant{"total", "in the end the accounts hold what they held", money_made},
};

constexpr std::array kShown = {Workload::Shown{"reports", "reports", "reports_min", "reports_max"},
                               Workload::Shown{"wrong", "wrong", "wrong_min", "wrong_max"}};

}  // namespace

const Workload& report() {
  static const Workload workload{
      .name = "report",
      .summary = "a total over accounts is taken while money moves between them",
      .story =
          "A report reads one account, then the next; in between a transfer moves money from the "
          "second to the first. The report shows a total that there never was. Every other "
          "client moves money, the rest report.",
      .clients_in_trials = 8,
      .tables = {&kAccounts},
      .options = kOptions,
      .strategies = kStrategies,
      .invariants = kInvariants,
      .set_up = set_up,
      .next_task = next_task,
      .measure = measure,
      .shown = kShown};
  return workload;
}

}  // namespace hilsa
