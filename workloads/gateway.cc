// The slow call: what a payment gateway inside a transaction does to everybody else. Think time is
// the call. A row that was updated stays locked until COMMIT, so a call made before that is paid by
// whoever wants the row next, and by whoever wants the connection.
//
// Both strategies are correct; they differ in what they cost, which can be calculated beforehand:
// a row that is held for t lets at most 1/t tasks a second through.
#include "workloads/gateway.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kProducts{.name = "products", .columns = {{"id"}, {"stock"}}};
const Table kOrders{
    .name = "orders", .columns = {{"id"}, {"product"}, {"paid"}}, .indexed = {"product"}};

const Value kYes = std::int64_t{1};
const Value kNo = std::int64_t{0};

const Statement kTakeOne = update_row(kProducts, {subtract("stock", Value(std::int64_t{1}))},
                                      {at_least("stock", Value(std::int64_t{1}))});
const Statement kInsertOrder = insert_row(kOrders);
const Statement kMarkPaid = update_row(kOrders, {set("paid", kYes)}, {equal("paid", kNo)});
const Statement kInsertProduct = insert_row(kProducts);

// Takes a piece and places an order for it.
TaskResult order(Transaction& txn, std::int64_t product, const Value& paid) {
  if (txn.update(kTakeOne, {product}) == 0) return refused("sold out");
  const std::int64_t number = txn.new_key();
  txn.insert(kInsertOrder, {number, product, paid});
  return done({.about = product, .number = number});
}

// Whoever gets a connection takes the next product in turn, so that all rows are equally hot.
std::int64_t product_of(const Transaction& txn, const Task& task) {
  return task.arguments[0] + txn.attempt() % task.arguments[1];
}

TaskResult inside_transaction(Transaction& txn, const Task& task) {
  const TaskResult result = order(txn, product_of(txn, task), kYes);
  if (result.kind == TaskResult::Kind::done) txn.think();
  return result;
}

TaskResult after_commit(Transaction& txn, const Task& task) {
  return order(txn, product_of(txn, task), kNo);
}

TaskResult mark_paid(Transaction& txn, const Task& task) {
  txn.update(kMarkPaid, {task.answer.number});
  return done();
}

constexpr std::array kStrategies = {
    Strategy{.name = "inside-transaction",
             .summary = "take the piece, call the gateway, commit",
             .promise = always,
             .body = inside_transaction},
    Strategy{.name = "after-commit",
             .summary = "take the piece, commit, call the gateway, then mark the order paid",
             .promise = always,
             .body = after_commit,
             .afterwards = mark_paid},
};

constexpr std::array kOptions = {
    Option{.name = "products",
           .summary = "rows that the buyers share; 1 is one hot row",
           .in_trials = 1,
           .in_sustained = 1,
           .lowest = 1,
           .highest = 500},
    Option{.name = "stock",
           .summary = "pieces of each product",
           .in_trials = 1'000'000,
           .in_sustained = 1'000'000},
};

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("products"); ++i) {
    txn.insert(kInsertProduct, {trial.first_key + i, trial.option("stock")});
  }
}

Task next_task(const Turn& turn) { return {{turn.trial.first_key, turn.trial.option("products")}}; }

const Statement kAllProducts =
    read_rows(kProducts, {"stock"}, {at_least("id", param(0)), at_most("id", param(1))});
const Statement kOrdersOf = read_rows(kOrders, {"paid"}, {equal("product", param(0))});

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const std::int64_t first = trial.first_key;
  const std::int64_t count = trial.option("products");
  Measures measures = {
      {"initial", count * trial.option("stock")},
      {"stock", sum_of(state.select(kAllProducts, {first, first + count - 1}), "stock")},
      {"acknowledged", tally.count(TaskEnd::done)},
      {"in doubt", tally.count(TaskEnd::unknown)}};
  for (std::int64_t product = first; product < first + count; ++product) {
    const std::vector<Row> orders = state.select(kOrdersOf, {product});
    measures["orders"] += static_cast<std::int64_t>(orders.size());
    measures["paid"] += sum_of(orders, "paid");
  }
  measures["unpaid"] = measures["orders"] - measures["paid"];
  return measures;
}

std::optional<std::string> unbalanced(const Measures& m) {
  if (m.at("stock") + m.at("orders") == m.at("initial")) return std::nullopt;
  return std::to_string(m.at("stock")) + " left and " + std::to_string(m.at("orders")) +
         " ordered of " + std::to_string(m.at("initial"));
}

std::optional<std::string> unpaid(const Measures& m) {
  const std::int64_t least = m.at("acknowledged");
  if (m.at("paid") >= least && m.at("paid") <= least + m.at("in doubt")) return std::nullopt;
  return std::to_string(m.at("paid")) + " paid orders in the database, " + std::to_string(least) +
         " acknowledged";
}

constexpr std::array kInvariants = {
    Invariant{"unbalanced", "stock + orders = initial stock", unbalanced},
    Invariant{"payments-acknowledged", "paid orders in the database = those acknowledged", unpaid},
};

constexpr std::array kShown = {Workload::Shown{"paid", "paid", "paid_min", "paid_max"},
                               Workload::Shown{"unpaid", "unpaid", "unpaid_min", "unpaid_max"}};

std::string three_digits(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", number);
  return text.data();
}

// What the calculation says, next to what was measured.
std::string remark(const RowFigures& figures) {
  const double call_s = std::chrono::duration<double>(figures.think).count();
  const double running_s = std::chrono::duration<double>(figures.running).count();
  if (call_s <= 0 || running_s <= 0) return "";
  // SQLite lets one transaction write at a time: all rows are one.
  const bool one_writer = figures.traits.product == Product::sqlite;
  const bool inside = figures.strategy.afterwards == nullptr;
  const std::int64_t rows = one_writer ? 1 : figures.options.at("products");
  std::int64_t at_once = figures.clients;
  if (inside) at_once = std::min({at_once, rows, std::int64_t{figures.pool}});
  const std::string holds =
      inside ? "a row and a connection, of which there are " + std::to_string(rows) + " and " +
                   std::to_string(figures.pool)
             : "nothing but its client, of which there are " + std::to_string(figures.clients);
  const double measured = static_cast<double>(figures.tally.count(TaskEnd::done)) / running_s;
  return "a call of " + three_digits(call_s * 1e3) + " ms holds " + holds + ": at most " +
         three_digits(static_cast<double>(at_once) / call_s) + " tasks/s by calculation, " +
         three_digits(measured) + " measured";
}

}  // namespace

const Workload& gateway() {
  static const Workload workload{
      .name = "gateway",
      .summary = "a slow payment call, made inside the transaction or after it",
      .story =
          "Each buyer takes a piece and pays through a gateway that needs --think to answer. "
          "Inside "
          "the transaction that call keeps the product's row locked, so buyers go through one "
          "after the other; it keeps a connection as well, so that a small --pool runs dry "
          "(--pool-wait) for buyers of everything else. After COMMIT it keeps neither.",
      .clients_called = "buyers",
      .clients_in_trials = 10,
      .trials = 3,
      .tables = {&kProducts, &kOrders},
      .options = kOptions,
      .strategies = kStrategies,
      .invariants = kInvariants,
      .set_up = set_up,
      .next_task = next_task,
      .measure = measure,
      .shown = kShown,
      .remark = remark,
      .think_in_trials = std::chrono::milliseconds(300),
      .think_in_sustained = std::chrono::milliseconds(300)};
  return workload;
}

}  // namespace hilsa
