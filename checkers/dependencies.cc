#include "checkers/dependencies.h"

namespace hilsa {
namespace {

// A read that found no row, of a row that was deleted later, or before.
void add_absent_or_gone(const History& history, const Versions& versions, OpIndex op,
                        Dependencies& found) {
  const TxnIndex txn = history.txn_of(op);
  const ObjectIndex object = history.op_object[op];
  const Place last = versions.last_place(object);
  const TxnIndex first_writer = versions.writer_at(object, 1);
  for (OpIndex later = op; later < history.end_op(txn); ++later) {
    const bool own = is_stamped_write(history.op_kind[later]) &&
                     history.op_object[later] == object && versions.place[later] != kNone;
    if (!own) continue;
    // Its own later write came after what it saw: that was the state before all writes.
    if (first_writer != txn) found.known.push_back({txn, first_writer, EdgeKind::rw});
    return;
  }
  found.choices.edges.push_back({txn, first_writer, EdgeKind::rw});
  found.choices.end_alternative();
  found.choices.edges.push_back({versions.writer_at(object, last), txn, EdgeKind::wr});
  found.choices.end_alternative();
  found.choices.end_choice(op, object);
}

}  // namespace

void add_absent_or_gone(const History& history, const Versions& versions, Dependencies& found) {
  for (const OpIndex op : versions.absent_or_gone) {
    add_absent_or_gone(history, versions, op, found);
  }
}

void add_unread_order(const Versions& versions, Dependencies& found) {
  const auto& unread = versions.unread;
  for (std::size_t i = 0; i < unread.size(); ++i) {
    for (std::size_t j = i + 1; j < unread.size() && unread[j].object == unread[i].object; ++j) {
      if (unread[i].txn == unread[j].txn) continue;
      found.choices.edges.push_back({unread[i].txn, unread[j].txn, EdgeKind::ww});
      found.choices.end_alternative();
      found.choices.edges.push_back({unread[j].txn, unread[i].txn, EdgeKind::ww});
      found.choices.end_alternative();
      found.choices.end_choice(unread[j].op, unread[j].object);
    }
  }
}

}  // namespace hilsa
