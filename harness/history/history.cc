#include "harness/history/history.h"

#include <algorithm>

namespace hilsa {

std::string_view name_of(Form form) {
  switch (form) {
    case Form::lists:
      return "list-append";
    case Form::registers:
      return "rw-register";
    case Form::stamped:
      break;
  }
  return "stamped";
}

std::span<const Cell> History::cells_of(OpIndex op) const {
  if (op_first_cell.empty()) return {};
  return std::span(cells).subspan(op_first_cell[op], op_first_cell[op + 1] - op_first_cell[op]);
}

TxnIndex History::txn_of(OpIndex op) const {
  const auto after = std::upper_bound(txn_first_op.begin(), txn_first_op.end(), op);
  return static_cast<TxnIndex>(after - txn_first_op.begin() - 1);
}

const Failure* History::failure_of(TxnIndex txn) const {
  const auto found =
      std::lower_bound(failed.begin(), failed.end(), txn,
                       [](const FailedTxn& one, TxnIndex wanted) { return one.txn < wanted; });
  return found != failed.end() && found->txn == txn ? &found->failure : nullptr;
}

std::string_view History::reply_of(TxnIndex txn) const {
  if (txn_reply.empty()) return "";
  return scalars.text_of(Scalar::from_bits((std::int64_t{txn_reply[txn]} << 2) |
                                           static_cast<std::int64_t>(Scalar::Kind::text)));
}

std::string History::object_name(ObjectIndex object) const {
  const Scalar key = object_key[object];
  std::string key_text =
      key.kind() == Scalar::Kind::text ? std::string(scalars.text_of(key)) : scalars.to_text(key);
  if (form != Form::stamped) return key_text;
  return header.tables[object_table[object]].name + "/" + key_text;
}

std::string History::txn_name(TxnIndex txn) const { return "T" + std::to_string(txn_id[txn]); }

}  // namespace hilsa
