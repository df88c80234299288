// The same request twice: a client that got no answer sends it again, with the same key, and both
// must end with the same order.
//
// Every strategy looks for an order with the request's key, answers with it if there is one, and
// else places it. They differ in what happens when two look before either has placed it.
#include "workloads/idempotency.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kOrders{
    .name = "keyed_orders", .columns = {{"id"}, {"request"}}, .indexed = {"request"}};
const Table kUniqueOrders{
    .name = "unique_orders", .columns = {{"id"}, {"request"}}, .unique = {"request"}};

const Statement kFind = read_rows(kOrders, {}, {equal("request", param(0))});
const Statement kInsert = insert_row(kOrders);
const Statement kFindUnique = read_rows(kUniqueOrders, {}, {equal("request", param(0))});
const Statement kInsertUnique = insert_row(kUniqueOrders);
const NamedLock kRequestLock = advisory_lock(kOrders);

TaskResult find_or_place(Transaction& txn, const Task& task, const Statement& find,
                         const Statement& insert) {
  const std::int64_t request = task.arguments[0];
  const std::vector<Row> orders = txn.select(find, {request});
  if (!orders.empty()) return done({.about = request, .number = orders.front().key()});
  txn.think();
  txn.insert(insert, {txn.new_key(), request});
  return done({.about = request, .number = txn.new_key()});
}

TaskResult find_then_insert(Transaction& txn, const Task& task) {
  return find_or_place(txn, task, kFind, kInsert);
}

// Looking again must be a new transaction: on PostgreSQL this one has failed, and at repeatable
// read it sees what it saw before, on every product.
TaskResult unique_key(Transaction& txn, const Task& task) {
  return find_or_place(txn, task, kFindUnique, kInsertUnique);
}

TaskResult advisory_locked(Transaction& txn, const Task& task) {
  txn.lock(kRequestLock, {task.arguments[0]});
  return find_then_insert(txn, task);
}

constexpr std::array kStrategies = {
    Strategy{.name = "find-then-insert",
             .summary = "look for the key's order; there is none: insert one",
             .promise = where_serializable,
             .body = find_then_insert},
    Strategy{.name = "unique-key",
             .summary = "a UNIQUE index on the key; who violates it starts again and finds it",
             .promise = always,
             .body = unique_key,
             .conflict_by = ErrorKind::unique_violation,
             .table = &kUniqueOrders},
    Strategy{.name = "serializable",
             .summary = "find-then-insert at SERIALIZABLE, retried when the database refuses",
             .promise = where_serializable,
             .body = find_then_insert,
             .isolation = Isolation::serializable},
    Strategy{.name = "advisory-lock",
             .summary = "find-then-insert while holding a named lock of the key",
             .promise = where_reads_follow_locks,
             .body = advisory_locked,
             .needs = Feature::advisory_locks},
};

constexpr std::array kOptions = {
    Option{.name = "keys",
           .summary = "different requests; every client sends each of them",
           .in_trials = 1,
           .in_sustained = 1'000'000,
           .lowest = 1,
           .highest = 1'000'000},
};

// Keys are no rows, so there may be more than kKeysPerTrial of them.
std::int64_t first_request(const Trial& trial) { return trial.first_key * 1000; }

void set_up(Transaction& /*txn*/, const Trial& /*trial*/) {}

Task next_task(const Turn& turn) {
  return {{first_request(turn.trial) + turn.number % turn.trial.option("keys")}};
}

const Conditions kRequestsOfTrial = {at_least("request", param(0)), less("request", param(1))};
const Statement kAllOrders = read_rows(kOrders, {"request"}, kRequestsOfTrial);
const Statement kAllUniqueOrders = read_rows(kUniqueOrders, {"request"}, kRequestsOfTrial);

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const bool unique = trial.strategy->table == &kUniqueOrders;
  const std::int64_t first = first_request(trial);
  const auto rows =
      state.select(unique ? kAllUniqueOrders : kAllOrders, {first, first + trial.option("keys")});
  std::map<std::int64_t, std::set<std::int64_t>> placed;  // orders by request
  std::map<std::int64_t, std::set<std::int64_t>> told;
  for (const Row& row : rows) placed[row["request"]].insert(row.key());
  std::int64_t missing = 0;
  for (const Answer& answer : tally.acknowledged) {
    told[answer.about].insert(answer.number);
    if (!placed[answer.about].contains(answer.number)) ++missing;
  }
  std::int64_t most = 0;
  std::int64_t placed_twice = 0;
  for (const auto& [request, orders] : placed) {
    const auto count = static_cast<std::int64_t>(orders.size());
    most = std::max(most, count);
    if (count > 1) ++placed_twice;
  }
  const auto answered_differently = std::count_if(
      told.begin(), told.end(), [](const auto& answers) { return answers.second.size() > 1; });
  return {{"requests", static_cast<std::int64_t>(placed.size())},
          {"most", most},
          {"placed twice", placed_twice},
          {"answered differently", answered_differently},
          {"missing", missing},
          {"answered", tally.count(TaskEnd::done)}};
}

std::optional<std::string> placed_twice(const Measures& m) {
  if (m.at("placed twice") == 0) return std::nullopt;
  return std::to_string(m.at("placed twice")) + " of " + std::to_string(m.at("requests")) +
         " requests were placed more than once, one of them " + std::to_string(m.at("most")) +
         " times";
}

std::optional<std::string> answered_differently(const Measures& m) {
  if (m.at("answered differently") == 0) return std::nullopt;
  return "clients that sent the same request were told different orders, for " +
         std::to_string(m.at("answered differently")) + " of " + std::to_string(m.at("requests")) +
         " requests";
}

std::optional<std::string> missing(const Measures& m) {
  if (m.at("missing") == 0) return std::nullopt;
  return std::to_string(m.at("missing")) + " answers name an order that is not in the database";
}

std::optional<std::string_view> untested(const Measures& m) {
  if (m.at("answered") > m.at("requests") && m.at("requests") > 0) return std::nullopt;
  return "no request was answered twice (more --clients, or fewer --keys)";
}

constexpr std::array kInvariants = {
    Invariant{"placed-twice", "one order per key", placed_twice},
    Invariant{"answered-differently", "everybody who sends a key is told the same order",
              answered_differently},
    Invariant{"order-missing", "every order that a client was told is in the database", missing},
};

constexpr std::array kShown = {Workload::Shown{"most", "orders/key", "orders_min", "orders_max"}};

}  // namespace

const Workload& idempotency() {
  static const Workload workload{
      .name = "idempotency",
      .summary = "one request, sent several times at once, is carried out more than once",
      .story =
          "A client that gets no answer sends its request again, with the same key; so does a "
          "proxy "
          "that retries, or a finger that clicks twice. One order must come of it, and everybody "
          "must be told that one. Who looks for the key and then inserts it is too slow: the "
          "other has looked as well. Every client sends --keys keys, all of them in the same "
          "order.",
      .clients_in_trials = 10,
      .tables = {&kOrders, &kUniqueOrders},
      .options = kOptions,
      .strategies = kStrategies,
      .invariants = kInvariants,
      .set_up = set_up,
      .next_task = next_task,
      .measure = measure,
      .untested = untested,
      .shown = kShown};
  return workload;
}

}  // namespace hilsa
