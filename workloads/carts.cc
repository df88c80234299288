// Carts with several products each. A cart takes a piece of every one of its products, row by row,
// so the row locks of one transaction pile up in the order in which the cart was filled: two carts
// in opposite orders come to wait for each other. Sorting the products is all that it takes.
#include "workloads/carts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kProducts{.name = "products", .columns = {{"id"}, {"stock"}}};
const Table kOrderLines{
    .name = "order_lines", .columns = {{"id"}, {"product"}}, .indexed = {"product"}};

const Statement kTakeOne = update_row(kProducts, {subtract("stock", Value(std::int64_t{1}))},
                                      {at_least("stock", Value(std::int64_t{1}))});
const Statement kInsertProduct = insert_row(kProducts);
const Statement kInsertLine = insert_row(kOrderLines);

// The products in a cart, in the order in which they were put there: `lines` different ones, by
// their ids in half of the carts and against them in the other half.
std::vector<std::int64_t> products_in(const Task& task) {
  const Trial& trial = *task.trial;
  const std::int64_t products = trial.option("products");
  const std::int64_t lines = std::min(products, trial.option("lines"));
  Rng choice(static_cast<std::uint64_t>(task.arguments[0]));
  const bool against = task.arguments[1] != 0;
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < products; ++i) all.push_back(trial.first_key + i);
  // The first steps of Fisher's and Yates's shuffle.
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines); ++i) {
    std::swap(all[i], all[i + static_cast<std::size_t>(choice.below(all.size() - i))]);
  }
  all.resize(static_cast<std::size_t>(lines));
  std::sort(all.begin(), all.end());
  if (against) std::reverse(all.begin(), all.end());
  return all;
}

TaskResult take_all(Transaction& txn, const std::vector<std::int64_t>& products) {
  std::int64_t line = 0;
  for (const std::int64_t product : products) {
    if (line > 0) txn.think();
    if (txn.update(kTakeOne, {product}) == 0) return refused("sold out");
    txn.insert(kInsertLine, {made_up_key(txn.attempt(), line), product});
    ++line;
  }
  return done({.number = line});
}

TaskResult unsorted(Transaction& txn, const Task& task) { return take_all(txn, products_in(task)); }

TaskResult sorted(Transaction& txn, const Task& task) {
  std::vector<std::int64_t> products = products_in(task);
  std::sort(products.begin(), products.end());
  return take_all(txn, products);
}

constexpr std::array kStrategies = {
    Strategy{.name = "unsorted",
             .summary = "take the products in the order of the cart: deadlocks, retried",
             .promise = always,
             .body = unsorted},
    Strategy{.name = "sorted",
             .summary = "take the products in the order of their ids: no deadlocks",
             .promise = always,
             .body = sorted},
};

constexpr std::int64_t kProductsMax = 500;
constexpr std::array kOptions = {
    Option{.name = "products",
           .summary = "products in the shop",
           .in_trials = 2,
           .in_sustained = 10,
           .lowest = 1,
           .highest = kProductsMax},
    Option{.name = "lines",
           .summary = "different products in a cart",
           .in_trials = 2,
           .in_sustained = 2,
           .lowest = 1,
           .highest = kProductsMax},
    Option{.name = "stock",
           .summary = "pieces of each product",
           .in_trials = 1'000,
           .in_sustained = 1'000'000'000},
};

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("products"); ++i) {
    txn.insert(kInsertProduct, {trial.first_key + i, trial.option("stock")});
  }
}

Task next_task(const Turn& turn) {
  const auto choice = static_cast<std::int64_t>(turn.rng.next() >> 1);
  return {{choice, turn.client % 2 == 0 ? 1 : 0}, &turn.trial};
}

const Statement kAllProducts =
    read_rows(kProducts, {"stock"}, {at_least("id", param(0)), at_most("id", param(1))});
const Statement kLinesOf = read_rows(kOrderLines, {}, {equal("product", param(0))});

std::int64_t pieces_in(const std::vector<Answer>& answers) {
  std::int64_t pieces = 0;
  for (const Answer& answer : answers) pieces += answer.number;
  return pieces;
}

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const std::int64_t count = trial.option("products");
  std::int64_t lowest = trial.option("stock");
  std::int64_t ordered = 0;
  std::int64_t wrong = 0;
  for (const Row& product :
       state.select(kAllProducts, {trial.first_key, trial.first_key + count - 1})) {
    const auto lines = static_cast<std::int64_t>(state.select(kLinesOf, {product.key()}).size());
    lowest = std::min(lowest, product["stock"]);
    ordered += lines;
    if (product["stock"] + lines != trial.option("stock")) ++wrong;
  }
  return {{"products", count},
          {"wrong products", wrong},
          {"lowest stock", lowest},
          {"ordered", ordered},
          {"acknowledged", pieces_in(tally.acknowledged)},
          {"in doubt", pieces_in(tally.in_doubt)},
          {"victims", tally.count(ErrorKind::deadlock)}};
}

std::optional<std::string> stock_lost(const Measures& m) {
  if (m.at("wrong products") == 0) return std::nullopt;
  return "stock and order lines do not add up for " + std::to_string(m.at("wrong products")) +
         " of " + std::to_string(m.at("products")) + " products";
}

std::optional<std::string> negative(const Measures& m) {
  if (m.at("lowest stock") >= 0) return std::nullopt;
  return "a stock of " + std::to_string(m.at("lowest stock"));
}

std::optional<std::string> unordered(const Measures& m) {
  const std::int64_t least = m.at("acknowledged");
  if (m.at("ordered") >= least && m.at("ordered") <= least + m.at("in doubt")) return std::nullopt;
  return std::to_string(m.at("ordered")) + " pieces in order lines, " + std::to_string(least) +
         " acknowledged";
}

constexpr std::array kInvariants = {
    Invariant{"stock-lost", "stock + order lines = initial stock, for every product", stock_lost},
    Invariant{"negative-stock", "no stock is below zero", negative},
    Invariant{"lines-acknowledged", "order lines in the database = those acknowledged", unordered},
};

constexpr std::array kShown = {
    Workload::Shown{"ordered", "pieces", "pieces_min", "pieces_max"},
    Workload::Shown{"victims", "victims", "deadlock_victims_min", "deadlock_victims_max"}};

}  // namespace

const Workload& carts() {
  static const Workload workload{
      .name = "carts",
      .summary = "carts that take the same products in opposite orders wait for each other",
      .story =
          "Every cart takes one piece of each of its products, in one transaction. One customer "
          "put rice and then fish into the cart, another fish and then rice: each has locked what "
          "the other one needs next. The database notices (PostgreSQL after a second, InnoDB at "
          "once) and rolls one of them back; it tries again. Nothing is lost but time. Carts that "
          "are sorted first never wait in a circle. With --duration or --tasks customers go on "
          "buying --lines of --products.",
      .clients_called = "carts",
      .clients_in_trials = 10,
      .trials = 2,
      .tables = {&kProducts, &kOrderLines},
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
