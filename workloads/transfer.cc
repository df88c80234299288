// Money from one account to another: two rows that must change together, in an order.
//
// Every strategy takes an amount from one account, adds it to the other and adds a row to
// transfers, or answers "not enough money". An account has what it began with, less what clients
// were told had left it, plus what they were told had come in: a lost update makes money, or
// destroys it. `from-first-locks` is right about the money and wrong about the order: two transfers
// in opposite directions lock one account each and then wait for each other.
#include "workloads/transfer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kAccounts{.name = "accounts", .columns = {{"id"}, {"balance"}}};
const Table kTransfers{.name = "transfers",
                       .columns = {{"id"}, {"sender"}, {"receiver"}, {"amount"}},
                       .indexed = {"sender"}};

const Statement kRead = read_row(kAccounts, {"balance"});
const Statement kReadForUpdate = read_row(kAccounts, {"balance"}, Lock::update);
const Statement kWrite = update_row(kAccounts, {set("balance", param(1))});
const Statement kTakeIfEnough =
    update_row(kAccounts, {subtract("balance", param(1))}, {at_least("balance", param(1))});
const Statement kAdd = update_row(kAccounts, {add("balance", param(1))});
const Statement kInsertAccount = insert_row(kAccounts);
const Statement kInsertTransfer = insert_row(kTransfers);

// What Answer::about says: which account it left, and which one it came to.
constexpr std::int64_t kAccountsMax = 500;

struct Order {
  explicit Order(const Task& task)
      : sender(task.arguments[0]),
        receiver(task.arguments[1]),
        amount(task.arguments[2]),
        first_key(task.trial->first_key) {}
  std::int64_t sender;
  std::int64_t receiver;
  std::int64_t amount;
  std::int64_t first_key;

  bool sender_first() const { return sender < receiver; }
  std::int64_t lower() const { return std::min(sender, receiver); }
  std::int64_t higher() const { return std::max(sender, receiver); }
};

constexpr std::string_view kNotEnough = "not enough money";

TaskResult book(Transaction& txn, const Order& order) {
  txn.insert(kInsertTransfer, {txn.new_key(), order.sender, order.receiver, order.amount});
  const std::int64_t route =
      (order.sender - order.first_key) * kAccountsMax + order.receiver - order.first_key;
  return done({.about = route, .number = order.amount});
}

TaskResult write_both(Transaction& txn, const Order& order, std::int64_t senders,
                      std::int64_t receivers) {
  if (senders < order.amount) return refused(kNotEnough);
  senders -= order.amount;
  receivers += order.amount;
  // The lower id first, as careful object-relational mappers do it: what this strategy gets wrong
  // are not the writes' order.
  txn.update(kWrite, {order.lower(), order.sender_first() ? senders : receivers});
  txn.update(kWrite, {order.higher(), order.sender_first() ? receivers : senders});
  return book(txn, order);
}

TaskResult read_then_write(Transaction& txn, const Task& task) {
  const Order order(task);
  const std::int64_t senders = txn.read(kRead, {order.sender})["balance"];
  const std::int64_t receivers = txn.read(kRead, {order.receiver})["balance"];
  txn.think();
  return write_both(txn, order, senders, receivers);
}

TaskResult from_first_locks(Transaction& txn, const Task& task) {
  const Order order(task);
  const std::int64_t senders = txn.read(kReadForUpdate, {order.sender})["balance"];
  txn.think();
  const std::int64_t receivers = txn.read(kReadForUpdate, {order.receiver})["balance"];
  return write_both(txn, order, senders, receivers);
}

TaskResult ordered_locks(Transaction& txn, const Task& task) {
  const Order order(task);
  const std::int64_t lower = txn.read(kReadForUpdate, {order.lower()})["balance"];
  txn.think();
  const std::int64_t higher = txn.read(kReadForUpdate, {order.higher()})["balance"];
  return order.sender_first() ? write_both(txn, order, lower, higher)
                              : write_both(txn, order, higher, lower);
}

TaskResult atomic(Transaction& txn, const Task& task) {
  const Order order(task);
  if (!order.sender_first()) {
    txn.update(kAdd, {order.receiver, order.amount});
    txn.think();
  }
  // Nothing taken: what the receiver got is rolled back.
  if (txn.update(kTakeIfEnough, {order.sender, order.amount}) == 0) return refused(kNotEnough);
  if (order.sender_first()) {
    txn.think();
    txn.update(kAdd, {order.receiver, order.amount});
  }
  return book(txn, order);
}

constexpr std::array kStrategies = {
    Strategy{.name = "read-then-write",
             .summary = "read both balances, check, write both back",
             .promise = where_lost_updates_fail,
             .body = read_then_write},
    Strategy{.name = "from-first-locks",
             .summary = "lock the sender's account, then the receiver's: deadlocks, retried",
             .promise = always,
             .body = from_first_locks,
             .needs = Feature::row_locks},
    Strategy{.name = "ordered-locks",
             .summary = "lock both accounts in the order of their ids: no deadlocks",
             .promise = always,
             .body = ordered_locks,
             .needs = Feature::row_locks},
    Strategy{.name = "atomic",
             .summary = "take if there is enough and add, in two UPDATEs in the order of ids",
             .promise = always,
             .body = atomic},
    Strategy{.name = "serializable",
             .summary = "read-then-write at SERIALIZABLE, retried when the database refuses",
             .promise = where_lost_updates_fail,
             .body = read_then_write,
             .isolation = Isolation::serializable},
};

constexpr std::array kOptions = {
    Option{.name = "accounts",
           .summary = "accounts that money moves between",
           .in_trials = 3,
           .in_sustained = 10,
           .lowest = 2,
           .highest = kAccountsMax},
    Option{.name = "balance",
           .summary = "what an account starts with",
           .in_trials = 1'000,
           .in_sustained = 10'000},
};

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("accounts"); ++i) {
    txn.insert(kInsertAccount, {trial.first_key + i, trial.option("balance")});
  }
}

// At first everybody wants something of the first account: to pay out of it, or into it; and each
// way between two accounts is gone in both directions. After that, whatever it happens to be.
Task next_task(const Turn& turn) {
  const Trial& trial = turn.trial;
  const std::int64_t accounts = trial.option("accounts");
  std::int64_t sender = 0;
  std::int64_t receiver = 1;
  std::int64_t amount = 100;
  if (turn.number == 0) {
    const std::int64_t pair = (turn.client - 1) / 2;
    receiver = 1 + pair % (accounts - 1);
    if (turn.client % 2 == 0) std::swap(sender, receiver);
    amount = turn.client % 2 == 1 ? 700 : 600;
  } else {
    const auto random = [&turn](std::int64_t bound) {
      return static_cast<std::int64_t>(turn.rng.below(static_cast<std::uint64_t>(bound)));
    };
    sender = random(accounts);
    receiver = (sender + 1 + random(accounts - 1)) % accounts;
    amount += random(900);
  }
  return {{trial.first_key + sender, trial.first_key + receiver, amount}, &trial};
}

const Statement kAllAccounts =
    read_rows(kAccounts, {"balance"}, {at_least("id", param(0)), at_most("id", param(1))});
const Statement kTransfersOf = read_rows(kTransfers, {"amount"}, {equal("sender", param(0))});

// What clients were told, by account.
struct Told {
  Told(const Trial& trial, const Tally& tally)
      : expected(static_cast<std::size_t>(trial.option("accounts")), trial.option("balance")),
        out_in_doubt(expected.size()),
        in_in_doubt(expected.size()) {
    for (const Answer& answer : tally.acknowledged) {
      expected[sender(answer)] -= answer.number;
      expected[receiver(answer)] += answer.number;
    }
    for (const Answer& answer : tally.in_doubt) {
      out_in_doubt[sender(answer)] += answer.number;
      in_in_doubt[receiver(answer)] += answer.number;
    }
  }
  static std::size_t sender(const Answer& answer) {
    return static_cast<std::size_t>(answer.about / kAccountsMax);
  }
  static std::size_t receiver(const Answer& answer) {
    return static_cast<std::size_t>(answer.about % kAccountsMax);
  }
  // How far the balance is from what it may be.
  std::int64_t wrong_by(std::size_t account, std::int64_t balance) const {
    const std::int64_t lowest = expected[account] - out_in_doubt[account];
    const std::int64_t highest = expected[account] + in_in_doubt[account];
    return std::max({std::int64_t{0}, lowest - balance, balance - highest});
  }

  std::vector<std::int64_t> expected;  // balance
  std::vector<std::int64_t> out_in_doubt;
  std::vector<std::int64_t> in_in_doubt;
};

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const std::int64_t count = trial.option("accounts");
  const Told told(trial, tally);
  std::int64_t lowest = trial.option("balance");
  std::int64_t wrong = 0;
  std::int64_t booked = 0;
  const auto accounts = state.select(kAllAccounts, {trial.first_key, trial.first_key + count - 1});
  for (const Row& account : accounts) {
    lowest = std::min(lowest, account["balance"]);
    const auto number = static_cast<std::size_t>(account.key() - trial.first_key);
    if (told.wrong_by(number, account["balance"]) > 0) ++wrong;
    booked += static_cast<std::int64_t>(state.select(kTransfersOf, {account.key()}).size());
  }
  return {{"initial", count * trial.option("balance")},
          {"total", sum_of(accounts, "balance")},
          {"lowest balance", lowest},
          {"accounts", count},
          {"wrong accounts", wrong},
          {"booked", booked},
          {"acknowledged", static_cast<std::int64_t>(tally.acknowledged.size())},
          {"in doubt", static_cast<std::int64_t>(tally.in_doubt.size())},
          {"victims", tally.count(ErrorKind::deadlock)}};
}

std::optional<std::string> not_conserved(const Measures& m) {
  const std::int64_t change = m.at("total") - m.at("initial");
  if (change == 0) return std::nullopt;
  return "the total of " + std::to_string(m.at("initial")) + " is now " +
         std::to_string(m.at("total")) + ": " + std::to_string(change < 0 ? -change : change) +
         (change < 0 ? " is gone" : " came from nowhere");
}

std::optional<std::string> overdrawn(const Measures& m) {
  if (m.at("lowest balance") >= 0) return std::nullopt;
  return "a balance of " + std::to_string(m.at("lowest balance"));
}

std::optional<std::string> wrong_balance(const Measures& m) {
  if (m.at("wrong accounts") == 0) return std::nullopt;
  return std::to_string(m.at("wrong accounts")) + " of " + std::to_string(m.at("accounts")) +
         " balances are not what the acknowledged transfers make them";
}

std::optional<std::string> unbooked(const Measures& m) {
  const std::int64_t least = m.at("acknowledged");
  if (m.at("booked") >= least && m.at("booked") <= least + m.at("in doubt")) return std::nullopt;
  return std::to_string(m.at("booked")) + " booked, " + std::to_string(least) + " acknowledged";
}

constexpr std::array kInvariants = {
    Invariant{"total", "the sum of all balances stays what it was", not_conserved},
    Invariant{"overdrawn", "no balance is below zero", overdrawn},
    Invariant{"balances", "every balance = initial - sent + received, as clients were told",
              wrong_balance},
    Invariant{"transfers-acknowledged", "transfers in the database = those acknowledged", unbooked},
};

constexpr std::array kShown = {
    Workload::Shown{"total", "total", "total_min", "total_max"},
    Workload::Shown{"victims", "victims", "deadlock_victims_min", "deadlock_victims_max"}};

}  // namespace

const Workload& transfer() {
  static const Workload workload{
      .name = "transfer",
      .summary = "money between accounts: none may appear or vanish, and opposite transfers meet",
      .story =
          "A pays B while B pays A. Who reads both balances and writes them back loses the other's "
          "transfer. Who locks the sender and then the receiver loses nothing, but each of the two "
          "soon holds what the other one waits for: a deadlock, which the database ends by rolling "
          "one back (PostgreSQL after a second, InnoDB at once). Locks in one order for all, here "
          "that of the ids, cannot close a circle. With --duration or --tasks money moves between "
          "--accounts at random.",
      .clients_in_trials = 4,
      .trials = 5,
      .tables = {&kAccounts, &kTransfers},
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
