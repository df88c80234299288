#include "checkers/dependencies.h"

#include <unordered_map>

namespace hilsa {
namespace {

void add_write_dependencies(const History& history, const Versions& versions, Dependencies& found) {
  for (ObjectIndex object = 0; object < history.objects(); ++object) {
    const Place last = versions.last_place(object);
    for (Place place = 2; place <= last; ++place) {
      found.known.push_back(
          {versions.writer_at(object, place - 1), versions.writer_at(object, place), EdgeKind::ww});
    }
    if (versions.unread.empty() || last == 0) continue;
    for (const Versions::Unread& unread : versions.unread_of(object)) {
      found.known.push_back({versions.writer_at(object, last), unread.txn, EdgeKind::ww});
    }
  }
}

void add_read_dependencies(const History& history, const Versions& versions, TxnIndex txn,
                           OpIndex op, Dependencies& found) {
  const ObjectIndex object = history.op_object[op];
  const Place place = versions.place[op];
  const TxnIndex writer = place == 0 ? kNone : versions.writer_at(object, place);
  if (writer != kNone && writer != txn) found.known.push_back({writer, txn, EdgeKind::wr});
  const Place next = versions.next_by_another(object, place);
  if (next != kNone) {
    found.known.push_back({txn, versions.writer_at(object, next), EdgeKind::rw});
    return;
  }
  if (versions.unread.empty()) return;
  for (const Versions::Unread& unread : versions.unread_of(object)) {
    if (unread.txn != writer) found.known.push_back({txn, unread.txn, EdgeKind::rw});
  }
}

bool is_item_read(Op op) { return op == Op::read || op == Op::seen_row || op == Op::read_list; }

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

void add_item_dependencies(const History& history, const Versions& versions, Dependencies& found) {
  found.known.reserve(history.operations() * 3 / 2);
  add_write_dependencies(history, versions, found);
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    if (versions.counted[txn] == 0) continue;
    for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) {
      if (is_item_read(history.op_kind[op]) && versions.place[op] != kNone) {
        add_read_dependencies(history, versions, txn, op, found);
      }
    }
  }
  for (const OpIndex op : versions.absent_or_gone) {
    add_absent_or_gone(history, versions, op, found);
  }
}

void add_session_order(const History& history, const Versions& versions, Dependencies& found) {
  // What an in-doubt attempt did may happen after its client has gone on: nothing follows it.
  std::unordered_map<std::int32_t, TxnIndex> last_of;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    const std::int32_t client = history.txn_client[txn];
    if (client < 0 || versions.counted[txn] == 0) continue;
    const auto [last, is_first] = last_of.try_emplace(client, kNone);
    if (!is_first && last->second != kNone) {
      found.known.push_back({last->second, txn, EdgeKind::session});
    }
    if (history.txn_flags[txn].outcome != AttemptOutcome::unknown) last->second = txn;
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
