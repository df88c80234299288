#include "harness/history/readers/order_by_end.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace hilsa {
namespace {

template <typename T>
void reorder(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  if (column.empty()) return;
  std::vector<T> reordered;
  reordered.reserve(order.size());
  for (const std::uint32_t place : order) reordered.push_back(column[place]);
  column = std::move(reordered);
}

// Operations follow their transactions; what they were called before, in their new order.
std::vector<OpIndex> reorder_first_ops(History& history, const std::vector<TxnIndex>& txns) {
  std::vector<OpIndex> ops;
  ops.reserve(history.operations());
  std::vector<OpIndex> first_op = {0};
  first_op.reserve(txns.size() + 1);
  for (const TxnIndex txn : txns) {
    for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) ops.push_back(op);
    first_op.push_back(static_cast<OpIndex>(ops.size()));
  }
  history.txn_first_op = std::move(first_op);
  return ops;
}

void reorder_cells(History& history, const std::vector<OpIndex>& ops) {
  if (history.op_first_cell.empty()) return;
  std::vector<Cell> cells;
  cells.reserve(history.cells.size());
  std::vector<std::uint32_t> first_cell = {0};
  first_cell.reserve(ops.size() + 1);
  for (const OpIndex op : ops) {
    const auto of_op = history.cells_of(op);
    cells.insert(cells.end(), of_op.begin(), of_op.end());
    first_cell.push_back(static_cast<std::uint32_t>(cells.size()));
  }
  history.cells = std::move(cells);
  history.op_first_cell = std::move(first_cell);
}

void reorder_failed(History& history, const std::vector<TxnIndex>& txns) {
  std::vector<TxnIndex> place(txns.size());
  for (TxnIndex at = 0; at < txns.size(); ++at) place[txns[at]] = at;
  for (FailedTxn& failed : history.failed) failed.txn = place[failed.txn];
  std::sort(history.failed.begin(), history.failed.end(),
            [](const FailedTxn& a, const FailedTxn& b) { return a.txn < b.txn; });
}

}  // namespace

void order_by_end(History& history) {
  std::vector<TxnIndex> txns(history.transactions());
  std::iota(txns.begin(), txns.end(), TxnIndex{0});
  std::stable_sort(txns.begin(), txns.end(),
                   [&](TxnIndex a, TxnIndex b) { return history.txn_end[a] < history.txn_end[b]; });
  const std::vector<OpIndex> ops = reorder_first_ops(history, txns);
  reorder_cells(history, ops);
  reorder(history.txn_id, txns);
  reorder(history.txn_client, txns);
  reorder(history.txn_flags, txns);
  reorder(history.txn_begin, txns);
  reorder(history.txn_end, txns);
  reorder(history.txn_task, txns);
  reorder(history.txn_reply, txns);
  reorder(history.txn_session, txns);
  reorder_failed(history, txns);
  reorder(history.op_kind, ops);
  reorder(history.op_object, ops);
  reorder(history.op_number, ops);
  reorder(history.op_writer, ops);
  reorder(history.op_statement, ops);
  reorder(history.op_begin, ops);
  reorder(history.op_end, ops);
}

}  // namespace hilsa
