// The reservation that expires: an order holds its pieces until it is paid (confirm, by the payment
// provider's webhook) or its time is up (release, by a sweeper: it is cancelled and the pieces go
// back). Both come at the same moment, by different clients, and both come again: providers repeat
// webhooks, and sweepers run on more than one machine.
//
// An event that finds the order as it wants it changes nothing and is fine; one that finds it the
// other way is refused. Either way somebody is told what the order is, and must not be told
// otherwise later.
#include "workloads/reservation.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kProducts{.name = "products", .columns = {{"id"}, {"stock"}}};
const Table kOrders{.name = "orders",
                    .columns = {{"id"}, {"product"}, {"pieces"}, {"state"}, {"round"}}};

constexpr std::int64_t kPending = 0;
constexpr std::int64_t kPaid = 1;
constexpr std::int64_t kCancelled = 2;
const Value kOne = std::int64_t{1};

const Statement kRead = read_row(kOrders, {"product", "pieces", "state", "round"});
const Statement kReadForUpdate =
    read_row(kOrders, {"product", "pieces", "state", "round"}, Lock::update);
const Statement kSetState = update_row(kOrders, {set("state", param(1))});
const Statement kSetStateIfPending = update_row(
    kOrders, {set("state", param(1))}, {equal("state", Value(kPending)), equal("round", param(2))});
const Statement kReopen = update_row(kOrders, {set("state", Value(kPending)), add("round", kOne)},
                                     {equal("state", param(1)), equal("round", param(2))});
const Statement kPutBack = update_row(kProducts, {add("stock", param(1))});
const Statement kTakeOut = update_row(kProducts, {subtract("stock", param(1))});
const Statement kInsertProduct = insert_row(kProducts);
const Statement kInsertOrder = insert_row(kOrders);

// What somebody is told: that in this round the order is paid, or cancelled.
Answer told(const Row& order, std::int64_t state) {
  return {.about = order.key(), .number = order["round"] * 4 + state};
}

struct Event {
  explicit Event(const Task& task) : order(task.arguments[0]), wanted(task.arguments[1]) {}
  std::int64_t order;
  // What it makes of the order: kPaid, kCancelled, or, when the customer orders again, kPending.
  std::int64_t wanted;

  // What there is to say of an order that is not pending any more.
  std::optional<TaskResult> answer_by(const Row& row) const {
    const std::int64_t state = row["state"];
    if (state == kPending) return std::nullopt;
    if (state == wanted) return done(told(row, state));
    return refused(state == kPaid ? "it is paid" : "it is cancelled", told(row, state));
  }
};

// The state is written.
TaskResult settle(Transaction& txn, const Event& event, const Row& order) {
  if (event.wanted == kCancelled) txn.update(kPutBack, {order["product"], order["pieces"]});
  return done(told(order, event.wanted));
}

// The same order once more: all strategies do this alike.
TaskResult order_again(Transaction& txn, const Event& event) {
  const Row order = txn.read(kRead, {event.order});
  const std::int64_t state = order["state"];
  if (state == kPending) return refused("it is still pending");
  if (txn.update(kReopen, {event.order, state, order["round"]}) == 0) {
    return conflict("changed since it was read");
  }
  if (state == kCancelled) txn.update(kTakeOut, {order["product"], order["pieces"]});
  return done();
}

TaskResult read_and_write(Transaction& txn, const Task& task, const Statement& read) {
  const Event event(task);
  if (event.wanted == kPending) return order_again(txn, event);
  const Row order = txn.read(read, {event.order});
  if (const auto answer = event.answer_by(order)) return *answer;
  txn.think();
  txn.update(kSetState, {event.order, event.wanted});
  return settle(txn, event, order);
}

TaskResult read_then_write(Transaction& txn, const Task& task) {
  return read_and_write(txn, task, kRead);
}

TaskResult for_update(Transaction& txn, const Task& task) {
  return read_and_write(txn, task, kReadForUpdate);
}

TaskResult conditional(Transaction& txn, const Task& task) {
  const Event event(task);
  if (event.wanted == kPending) return order_again(txn, event);
  const Row order = txn.read(kRead, {event.order});
  if (const auto answer = event.answer_by(order)) return *answer;
  txn.think();
  if (txn.update(kSetStateIfPending, {event.order, event.wanted, order["round"]}) == 0) {
    // A snapshot may still say pending.
    const auto answer = event.answer_by(txn.read(kRead, {event.order}));
    return answer ? *answer : conflict("no longer pending");
  }
  return settle(txn, event, order);
}

constexpr std::array kStrategies = {
    Strategy{.name = "read-then-write",
             .summary = "read the order's state, then set it by id",
             .promise = where_lost_updates_fail,
             .body = read_then_write},
    Strategy{.name = "conditional",
             .summary = "set it only WHERE it is still pending, and look at the row count",
             .promise = always,
             .body = conditional},
    Strategy{.name = "for-update",
             .summary = "lock the order while reading its state (SELECT ... FOR UPDATE)",
             .promise = always,
             .body = for_update,
             .needs = Feature::row_locks},
    Strategy{.name = "serializable",
             .summary = "read-then-write at SERIALIZABLE, retried when the database refuses",
             .promise = where_lost_updates_fail,
             .body = read_then_write,
             .isolation = Isolation::serializable},
};

constexpr std::array kOptions = {
    Option{.name = "orders",
           .summary = "orders, all pending at first",
           .in_trials = 10,
           .in_sustained = 20,
           .lowest = 1,
           .highest = kKeysPerTrial},
    Option{.name = "products",
           .summary = "products that they are for",
           .in_trials = 5,
           .in_sustained = 20,
           .lowest = 1,
           .highest = kKeysPerTrial},
};

constexpr std::int64_t kStock = 10'000;  // of each product, before anybody ordered

struct Shop {
  explicit Shop(const Trial& trial)
      : first_key(trial.first_key),
        orders(trial.option("orders")),
        products(trial.option("products")) {}
  std::int64_t first_key;
  std::int64_t orders;
  std::int64_t products;

  static std::int64_t pieces(std::int64_t order) { return 1 + order % 3; }
};

void set_up(Transaction& txn, const Trial& trial) {
  const Shop shop(trial);
  std::map<std::int64_t, std::int64_t> stock;
  for (std::int64_t i = 0; i < shop.products; ++i) stock[shop.first_key + i] = kStock;
  for (std::int64_t i = 0; i < shop.orders; ++i) {
    const std::int64_t product = shop.first_key + i % shop.products;
    stock[product] -= Shop::pieces(i);
    txn.insert(kInsertOrder, {shop.first_key + i, product, Shop::pieces(i), kPending, kOne});
  }
  for (const auto& [product, pieces] : stock) txn.insert(kInsertProduct, {product, pieces});
}

// Two clients next to each other fire confirm and release of one order. Once all orders have had
// both, both come again; but clients that go on then have a late confirm, and the order placed
// again.
Task next_task(const Turn& turn) {
  const Shop shop(turn.trial);
  const std::int64_t number = turn.number * turn.trial.clients + turn.client - 1;
  const std::int64_t order = shop.first_key + number / 2 % shop.orders;
  const std::int64_t pass = number / 2 / shop.orders;
  const bool starts_again = turn.number > 0 && pass % 2 == 1;
  return {{order, number % 2 == 0 ? kPaid : (starts_again ? kPending : kCancelled)}};
}

const Statement kAllOrders = read_rows(kOrders, {"pieces", "state", "round"},
                                       {at_least("id", param(0)), at_most("id", param(1))});
const Statement kAllProducts =
    read_rows(kProducts, {"stock"}, {at_least("id", param(0)), at_most("id", param(1))});

// What clients were told that an order is, by order and round.
struct Told {
  bool paid = false;
  bool cancelled = false;
};
using AllTold = std::map<std::pair<std::int64_t, std::int64_t>, Told>;

AllTold told_by(const Tally& tally) {
  AllTold all;
  for (const std::vector<Answer>* const answers : {&tally.acknowledged, &tally.refused}) {
    for (const Answer& answer : *answers) {
      Told& told = all[{answer.about, answer.number / 4}];
      (answer.number % 4 == kPaid ? told.paid : told.cancelled) = true;
    }
  }
  return all;
}

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const Shop shop(trial);
  AllTold all = told_by(tally);
  const auto was_told_both = [](const auto& told) {
    return told.second.paid && told.second.cancelled;
  };
  const std::int64_t both = std::count_if(all.begin(), all.end(), was_told_both);
  std::int64_t expected = shop.products * kStock;
  std::int64_t neither = 0;
  std::int64_t mistaken = 0;
  for (const Row& order :
       state.select(kAllOrders, {shop.first_key, shop.first_key + shop.orders - 1})) {
    const Told last = all[{order.key(), order["round"]}];
    const bool paid = order["state"] == kPaid;
    const bool cancelled = order["state"] == kCancelled;
    if (!cancelled) expected -= order["pieces"];
    if (last.paid && last.cancelled) continue;
    if (!paid && !cancelled && (last.paid || last.cancelled)) ++neither;
    if ((last.paid && cancelled) || (last.cancelled && paid)) ++mistaken;
  }
  const auto products =
      state.select(kAllProducts, {shop.first_key, shop.first_key + shop.products - 1});
  const std::int64_t stock = sum_of(products, "stock");
  return {{"both", both},         {"neither", neither},
          {"mistaken", mistaken}, {"stock expected", expected},
          {"stock", stock},       {"pieces too many", stock - expected}};
}

std::optional<std::string> both(const Measures& m) {
  if (m.at("both") == 0) return std::nullopt;
  return std::to_string(m.at("both")) +
         " orders: one client was told that it is paid, another that it is cancelled";
}

std::optional<std::string> neither(const Measures& m) {
  if (m.at("neither") == 0) return std::nullopt;
  return std::to_string(m.at("neither")) + " orders are pending, and a client was told otherwise";
}

std::optional<std::string> mistaken(const Measures& m) {
  if (m.at("mistaken") == 0) return std::nullopt;
  return std::to_string(m.at("mistaken")) + " orders are not what clients were told";
}

std::optional<std::string> stock(const Measures& m) {
  if (m.at("pieces too many") == 0) return std::nullopt;
  return "stock is " + std::to_string(m.at("stock")) + ", and must be " +
         std::to_string(m.at("stock expected"));
}

constexpr std::array kInvariants = {
    Invariant{"both", "no order is paid to one client and cancelled to another", both},
    Invariant{"neither", "an order that somebody had an answer about is not pending", neither},
    Invariant{"as-told", "an order is what clients were told", mistaken},
    Invariant{"stock", "stock = initial - pieces of orders that are not cancelled", stock},
};

constexpr std::array kShown = {
    Workload::Shown{"both", "paid and cancelled", "both_min", "both_max"},
    Workload::Shown{"neither", "neither", "neither_min", "neither_max"},
    Workload::Shown{"pieces too many", "stock off by", "stock_off_min", "stock_off_max"}};

}  // namespace

const Workload& reservation() {
  static const Workload workload{
      .name = "reservation",
      .summary = "an order is paid at the moment at which it expires",
      .story =
          "An order holds its pieces until it is paid or until its time is up. At that moment the "
          "payment provider says 'paid' and the sweeper says 'expired': both read 'pending', one "
          "customer is told 'thank you', and the pieces go back on the shelf all the same. "
          "Webhooks come late, and more than once: a second 'paid' must change nothing, and one "
          "for an order that was cancelled must be refused, so that the money goes back. With "
          "--duration or --tasks customers order again what is paid or cancelled.",
      .clients_in_trials = 30,
      .tables = {&kProducts, &kOrders},
      .options = kOptions,
      .strategies = kStrategies,
      .invariants = kInvariants,
      .set_up = set_up,
      .next_task = next_task,
      .measure = measure,
      .shown = kShown,
      .think_in_sustained = std::chrono::milliseconds(5)};
  return workload;
}

}  // namespace hilsa
