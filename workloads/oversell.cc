// The checkout race: buyers order the last pieces of a product at the same moment.
//
// Every strategy sells `quantity` pieces: it takes them from products.stock and adds a row to
// orders, or answers "sold out". They differ in how they keep two buyers from taking the same
// piece.
#include "workloads/oversell.h"

#include <array>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kProducts{.name = "products", .columns = {{"id"}, {"stock"}, {"revision"}}};
const Table kCheckedProducts{.name = "checked_products",
                             .columns = {{"id"}, {"stock"}, {"revision"}},
                             .check = "stock >= 0"};
const Table kOrders{
    .name = "orders", .columns = {{"id"}, {"product"}, {"quantity"}}, .indexed = {"product"}};

const Statement kReadStock = read_row(kProducts, {"stock"});
const Statement kReadStockForUpdate = read_row(kProducts, {"stock"}, Lock::update);
const Statement kReadStockAndRevision = read_row(kProducts, {"stock", "revision"});
const Statement kWriteStock = update_row(kProducts, {set("stock", param(1))});
const Statement kTake = update_row(kProducts, {subtract("stock", param(1))});
const Statement kTakeIfEnough =
    update_row(kProducts, {subtract("stock", param(1))}, {at_least("stock", param(1))});
const Statement kWriteStockIfUnchanged =
    update_row(kProducts, {set("stock", param(1)), add("revision", Value(std::int64_t{1}))},
               {equal("revision", param(2))});
const Statement kTakeChecked = update_row(kCheckedProducts, {subtract("stock", param(1))});
const Statement kInsertOrder = insert_row(kOrders);
const Statement kInsertProduct = insert_row(kProducts);
const Statement kInsertCheckedProduct = insert_row(kCheckedProducts);
const NamedLock kProductLock = advisory_lock(kProducts);

struct Purchase {
  explicit Purchase(const Task& task) : product(task.arguments[0]), quantity(task.arguments[1]) {}
  std::int64_t product;
  std::int64_t quantity;
};

constexpr std::string_view kSoldOut = "sold out";

TaskResult place_order(Transaction& txn, const Purchase& purchase) {
  txn.insert(kInsertOrder, {txn.new_key(), purchase.product, purchase.quantity});
  return done();
}

TaskResult read_then_write(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  const std::int64_t stock = txn.read(kReadStock, {purchase.product})["stock"];
  if (stock < purchase.quantity) return refused(kSoldOut);
  txn.think();
  txn.update(kWriteStock, {purchase.product, stock - purchase.quantity});
  return place_order(txn, purchase);
}

TaskResult decrement(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  const std::int64_t stock = txn.read(kReadStock, {purchase.product})["stock"];
  if (stock < purchase.quantity) return refused(kSoldOut);
  txn.think();
  txn.update(kTake, {purchase.product, purchase.quantity});
  return place_order(txn, purchase);
}

TaskResult atomic(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  if (txn.update(kTakeIfEnough, {purchase.product, purchase.quantity}) == 0) {
    return refused(kSoldOut);
  }
  txn.think();
  return place_order(txn, purchase);
}

TaskResult for_update(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  const std::int64_t stock = txn.read(kReadStockForUpdate, {purchase.product})["stock"];
  if (stock < purchase.quantity) return refused(kSoldOut);
  txn.think();
  txn.update(kWriteStock, {purchase.product, stock - purchase.quantity});
  return place_order(txn, purchase);
}

TaskResult optimistic(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  const Row product = txn.read(kReadStockAndRevision, {purchase.product});
  if (product["stock"] < purchase.quantity) return refused(kSoldOut);
  txn.think();
  const std::int64_t changed =
      txn.update(kWriteStockIfUnchanged,
                 {purchase.product, product["stock"] - purchase.quantity, product["revision"]});
  if (changed == 0) return conflict("revision changed");
  return place_order(txn, purchase);
}

TaskResult check_constraint(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  txn.update(kTakeChecked, {purchase.product, purchase.quantity});
  txn.think();
  return place_order(txn, purchase);
}

TaskResult advisory_locked(Transaction& txn, const Task& task) {
  txn.lock(kProductLock, {Purchase(task).product});
  return read_then_write(txn, task);
}

constexpr std::array kStrategies = {
    Strategy{.name = "autocommit",
             .summary = "read the stock, check it, write it back; no transaction at all",
             .promise = never,
             .body = read_then_write,
             .one_transaction = false},
    Strategy{.name = "read-then-write",
             .summary = "the same in one transaction, as most applications do",
             .promise = where_lost_updates_fail,
             .body = read_then_write},
    Strategy{.name = "decrement",
             .summary = "read the stock, check it, then SET stock = stock - 1",
             .promise = where_lost_updates_fail,
             .body = decrement},
    Strategy{.name = "atomic",
             .summary = "check and decrement in one UPDATE, and look at its row count",
             .promise = always,
             .body = atomic},
    Strategy{.name = "for-update",
             .summary = "lock the row while reading it (SELECT ... FOR UPDATE)",
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
    Strategy{.name = "check-constraint",
             .summary = "decrement unseen; CHECK (stock >= 0) refuses what is too much",
             .promise = always,
             .body = check_constraint,
             .refused_by = ErrorKind::check_violation,
             .needs = Feature::check_constraints,
             .table = &kCheckedProducts},
    Strategy{.name = "advisory-lock",
             .summary = "read-then-write while holding a named lock of the product",
             .promise = always,
             .body = advisory_locked,
             .needs = Feature::advisory_locks},
};

constexpr std::array kOptions = {
    Option{.name = "stock",
           .summary = "pieces that a trial starts with",
           .in_trials = 1,
           .in_sustained = 1'000'000,
           .lowest = 0},
};

bool is_checked(const Trial& trial) { return trial.strategy->table == &kCheckedProducts; }

void set_up(Transaction& txn, const Trial& trial) {
  txn.insert(is_checked(trial) ? kInsertCheckedProduct : kInsertProduct,
             {trial.first_key, trial.option("stock"), std::int64_t{0}});
}

Task next_task(const Turn& turn) { return {{turn.trial.first_key, 1}}; }

const Statement kReadFinalStock = read_row(kProducts, {"stock"});
const Statement kReadFinalCheckedStock = read_row(kCheckedProducts, {"stock"});
const Statement kReadOrders = read_rows(kOrders, {"quantity"}, {equal("product", param(0))});

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  const Statement& product = is_checked(trial) ? kReadFinalCheckedStock : kReadFinalStock;
  return {{"initial", trial.option("stock")},
          {"stock", state.read(product, {trial.first_key})["stock"]},
          {"sold", sum_of(state.select(kReadOrders, {trial.first_key}), "quantity")},
          {"acknowledged", tally.count(TaskEnd::done)},
          {"in doubt", tally.count(TaskEnd::unknown)},
          {"wanted", tally.tasks()}};
}

std::optional<std::string> oversold(const Measures& m) {
  if (m.at("sold") <= m.at("initial")) return std::nullopt;
  return std::to_string(m.at("sold")) + " sold of " + std::to_string(m.at("initial"));
}

std::optional<std::string> unbalanced(const Measures& m) {
  if (m.at("stock") + m.at("sold") == m.at("initial")) return std::nullopt;
  return std::to_string(m.at("stock")) + " left and " + std::to_string(m.at("sold")) + " sold of " +
         std::to_string(m.at("initial"));
}

std::optional<std::string> negative(const Measures& m) {
  if (m.at("stock") >= 0) return std::nullopt;
  return "stock is " + std::to_string(m.at("stock"));
}

std::optional<std::string> unacknowledged(const Measures& m) {
  const std::int64_t least = m.at("acknowledged");
  const std::int64_t most = least + m.at("in doubt");
  if (m.at("sold") >= least && m.at("sold") <= most) return std::nullopt;
  return std::to_string(m.at("sold")) + " orders in the database, " + std::to_string(least) +
         " acknowledged, " + std::to_string(m.at("in doubt")) + " in doubt";
}

std::optional<std::string_view> untested(const Measures& m) {
  if (m.at("stock") <= 0 && m.at("wanted") > m.at("initial")) return std::nullopt;
  return "nobody had to be refused, so nobody fought over the last piece (a lower --stock does)";
}

constexpr std::array kInvariants = {
    Invariant{"oversold", "orders <= initial stock", oversold},
    Invariant{"unbalanced", "stock + sold = initial stock", unbalanced},
    Invariant{"negative-stock", "stock >= 0", negative},
    Invariant{"orders-acknowledged", "orders in the database = orders acknowledged",
              unacknowledged},
};

constexpr std::array kShown = {Workload::Shown{"sold", "sold", "sold_min", "sold_max"},
                               Workload::Shown{"stock", "left", "final_stock", "final_stock_max"}};

}  // namespace

const Workload& oversell() {
  static const Workload workload{
      .name = "oversell",
      .summary = "buyers order the last pieces of a product at the same moment",
      .story =
          "Two buyers, one piece left: both read stock 1, both place an order. Each trial puts "
          "--stock pieces of a product on sale and lets all buyers go at once; with --duration "
          "or --tasks they go on buying.",
      .clients_called = "buyers",
      .clients_in_trials = 20,
      .tables = {&kProducts, &kCheckedProducts, &kOrders},
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
