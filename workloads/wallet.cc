// The double withdrawal: two payments out of one account that has the money for one.
//
// Every strategy takes an amount from accounts.balance, counts it in accounts.withdrawn against the
// daily limit and adds a row to withdrawals, or answers what forbids it. What was paid out is what
// clients were told, so a lost update is money: the balance is higher than it should be.
#include "workloads/wallet.h"

#include <algorithm>
#include <array>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kAccounts{.name = "accounts",
                      .columns = {{"id"}, {"balance"}, {"withdrawn"}, {"revision"}}};
const Table kWithdrawals{
    .name = "withdrawals", .columns = {{"id"}, {"account"}, {"amount"}}, .indexed = {"account"}};

const Statement kRead = read_row(kAccounts, {"balance", "withdrawn"});
const Statement kReadForUpdate = read_row(kAccounts, {"balance", "withdrawn"}, Lock::update);
const Statement kReadWithRevision = read_row(kAccounts, {"balance", "withdrawn", "revision"});
const Statement kWrite =
    update_row(kAccounts, {set("balance", param(1)), set("withdrawn", param(2))});
const Statement kWriteIfUnchanged = update_row(
    kAccounts,
    {set("balance", param(1)), set("withdrawn", param(2)), add("revision", Value(std::int64_t{1}))},
    {equal("revision", param(3))});
const Statement kTakeIfAllowed =
    update_row(kAccounts, {subtract("balance", param(1)), add("withdrawn", param(1))},
               {at_least("balance", param(1)), at_most("withdrawn", param(2))});
const Statement kInsertAccount = insert_row(kAccounts);
const Statement kInsertWithdrawal = insert_row(kWithdrawals);

struct Withdrawal {
  explicit Withdrawal(const Task& task)
      : account(task.arguments[0]),
        amount(task.arguments[1]),
        limit(task.trial->option("daily-limit")) {}
  std::int64_t account;
  std::int64_t amount;
  std::int64_t limit;

  // What forbids it; empty: nothing.
  std::string_view forbidden_by(const Row& row) const {
    if (row["balance"] < amount) return "not enough money";
    if (row["withdrawn"] + amount > limit) return "daily limit";
    return "";
  }
};

TaskResult pay_out(Transaction& txn, const Withdrawal& withdrawal) {
  txn.insert(kInsertWithdrawal, {txn.new_key(), withdrawal.account, withdrawal.amount});
  return done({.about = withdrawal.account, .number = withdrawal.amount});
}

TaskResult withdraw(Transaction& txn, const Task& task, const Statement& read) {
  const Withdrawal withdrawal(task);
  const Row account = txn.read(read, {withdrawal.account});
  const std::string_view forbidden = withdrawal.forbidden_by(account);
  if (!forbidden.empty()) return refused(forbidden);
  txn.think();
  txn.update(kWrite, {withdrawal.account, account["balance"] - withdrawal.amount,
                      account["withdrawn"] + withdrawal.amount});
  return pay_out(txn, withdrawal);
}

TaskResult read_then_write(Transaction& txn, const Task& task) {
  return withdraw(txn, task, kRead);
}

TaskResult for_update(Transaction& txn, const Task& task) {
  return withdraw(txn, task, kReadForUpdate);
}

TaskResult atomic(Transaction& txn, const Task& task) {
  const Withdrawal withdrawal(task);
  const std::int64_t still_allowed = withdrawal.limit - withdrawal.amount;
  if (txn.update(kTakeIfAllowed, {withdrawal.account, withdrawal.amount, still_allowed}) == 0) {
    return refused("not enough money, or daily limit");
  }
  txn.think();
  return pay_out(txn, withdrawal);
}

TaskResult optimistic(Transaction& txn, const Task& task) {
  const Withdrawal withdrawal(task);
  const Row account = txn.read(kReadWithRevision, {withdrawal.account});
  const std::string_view forbidden = withdrawal.forbidden_by(account);
  if (!forbidden.empty()) return refused(forbidden);
  txn.think();
  const std::int64_t changed = txn.update(
      kWriteIfUnchanged, {withdrawal.account, account["balance"] - withdrawal.amount,
                          account["withdrawn"] + withdrawal.amount, account["revision"]});
  if (changed == 0) return conflict("revision changed");
  return pay_out(txn, withdrawal);
}

constexpr std::array kStrategies = {
    Strategy{.name = "read-then-write",
             .summary = "read balance and limit, check, write both back",
             .promise = where_lost_updates_fail,
             .body = read_then_write},
    Strategy{.name = "atomic",
             .summary = "check and take in one UPDATE, and look at its row count",
             .promise = always,
             .body = atomic},
    Strategy{.name = "for-update",
             .summary = "lock the account while reading it (SELECT ... FOR UPDATE)",
             .promise = always,
             .body = for_update,
             .needs = Feature::row_locks},
    Strategy{.name = "optimistic",
             .summary = "write only if the row's revision is still the one read, else start again",
             .promise = always,
             .body = optimistic},
    Strategy{.name = "serializable",
             .summary = "read-then-write at SERIALIZABLE, retried when the database refuses",
             .promise = where_lost_updates_fail,
             .body = read_then_write,
             .isolation = Isolation::serializable},
};

constexpr std::int64_t kAccountsMax = 500;
constexpr std::array kOptions = {
    Option{.name = "accounts",
           .summary = "accounts that clients withdraw from",
           .in_trials = 1,
           .in_sustained = 10,
           .lowest = 1,
           .highest = kAccountsMax},
    Option{.name = "balance",
           .summary = "what an account starts with",
           .in_trials = 1'000,
           .in_sustained = 1'000'000'000},
    Option{.name = "daily-limit",
           .summary = "the most that may leave an account",
           .in_trials = 1'000,
           .in_sustained = 1'000'000'000},
};

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("accounts"); ++i) {
    txn.insert(kInsertAccount,
               {trial.first_key + i, trial.option("balance"), std::int64_t{0}, std::int64_t{0}});
  }
}

// 700 and 600, of which an account that starts with 1,000 has only one.
Task next_task(const Turn& turn) {
  const auto accounts = static_cast<std::uint64_t>(turn.trial.option("accounts"));
  const auto account = static_cast<std::int64_t>(turn.rng.below(accounts));
  return {{turn.trial.first_key + account, turn.client % 2 == 1 ? 700 : 600}, &turn.trial};
}

const Statement kAllAccounts =
    read_rows(kAccounts, {"balance"}, {at_least("id", param(0)), at_most("id", param(1))});
const Statement kWithdrawalsOf = read_rows(kWithdrawals, {"amount"}, {equal("account", param(0))});

std::int64_t sum_of(const std::vector<Answer>& answers) {
  std::int64_t sum = 0;
  for (const Answer& answer : answers) sum += answer.number;
  return sum;
}

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const std::int64_t first = trial.first_key;
  const std::int64_t count = trial.option("accounts");
  const auto accounts = state.select(kAllAccounts, {first, first + count - 1});
  std::int64_t lowest = trial.option("balance");
  std::int64_t booked = 0;
  std::int64_t most_from_one = 0;
  for (const Row& account : accounts) {
    lowest = std::min(lowest, account["balance"]);
    const std::int64_t sum = hilsa::sum_of(state.select(kWithdrawalsOf, {account.key()}), "amount");
    booked += sum;
    most_from_one = std::max(most_from_one, sum);
  }
  return {{"initial", count * trial.option("balance")},
          {"limit", trial.option("daily-limit")},
          {"balance", hilsa::sum_of(accounts, "balance")},
          {"lowest balance", lowest},
          {"booked", booked},
          {"most from one", most_from_one},
          {"paid out", sum_of(tally.acknowledged)},
          {"in doubt", sum_of(tally.in_doubt)}};
}

std::optional<std::string> unbalanced(const Measures& m) {
  const std::int64_t highest = m.at("initial") - m.at("paid out");
  if (m.at("balance") <= highest && m.at("balance") >= highest - m.at("in doubt")) {
    return std::nullopt;
  }
  return std::to_string(m.at("paid out")) + " paid out of " + std::to_string(m.at("initial")) +
         ", and the balance is " + std::to_string(m.at("balance"));
}

std::optional<std::string> overdrawn(const Measures& m) {
  if (m.at("lowest balance") >= 0 && m.at("paid out") <= m.at("initial")) return std::nullopt;
  return std::to_string(m.at("paid out")) + " paid out of " + std::to_string(m.at("initial"));
}

std::optional<std::string> over_limit(const Measures& m) {
  if (m.at("most from one") <= m.at("limit")) return std::nullopt;
  return std::to_string(m.at("most from one")) + " left an account whose limit is " +
         std::to_string(m.at("limit"));
}

std::optional<std::string> unbooked(const Measures& m) {
  const std::int64_t least = m.at("paid out");
  if (m.at("booked") >= least && m.at("booked") <= least + m.at("in doubt")) return std::nullopt;
  return std::to_string(m.at("booked")) + " booked, " + std::to_string(least) + " paid out";
}

constexpr std::array kInvariants = {
    Invariant{"balance", "balance = initial - what clients were told was paid out", unbalanced},
    Invariant{"overdrawn", "no more is paid out than there was", overdrawn},
    Invariant{"daily-limit", "no more leaves an account than its limit", over_limit},
    Invariant{"withdrawals-acknowledged", "withdrawals in the database = those acknowledged",
              unbooked},
};

constexpr std::array kShown = {
    Workload::Shown{"paid out", "paid out", "paid_out_min", "paid_out_max"},
    Workload::Shown{"balance", "balance", "balance_min", "balance_max"}};

}  // namespace

const Workload& wallet() {
  static const Workload workload{
      .name = "wallet",
      .summary = "two payments out of one account that has the money for one",
      .story =
          "A withdrawal of 700 and one of 600 meet at an account with 1,000: both read the "
          "balance, both pay out, and the second to write hides the first. The same for the "
          "daily limit. With --duration or --tasks clients go on withdrawing from --accounts.",
      .clients_in_trials = 2,
      .tables = {&kAccounts, &kWithdrawals},
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
