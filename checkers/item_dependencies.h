// Dependencies by the places of versions, and session order. They are most of a graph's edges and
// can be had from the versions at any time, so they are never kept in a list: who wants them goes
// through them, in the same order each time.
#pragma once

#include <unordered_map>
#include <vector>

#include "checkers/graph.h"
#include "checkers/versions.h"
#include "harness/history/history.h"

namespace hilsa {

// ww between neighbours in each object's order.
template <typename Visit>
void each_write_dependency(const History& history, const Versions& versions, Visit&& visit) {
  auto unread = versions.unread.begin();
  for (ObjectIndex object = 0; object < history.objects(); ++object) {
    const Place last = versions.last_place(object);
    for (Place place = 2; place <= last; ++place) {
      visit(
          {versions.writer_at(object, place - 1), versions.writer_at(object, place), EdgeKind::ww});
    }
    for (; unread != versions.unread.end() && unread->object == object; ++unread) {
      if (last > 0) visit({versions.writer_at(object, last), unread->txn, EdgeKind::ww});
    }
  }
}

// wr from the writer of what a read saw, rw to who wrote next.
template <typename Visit>
void each_dependency_of_read(const History& history, const Versions& versions, TxnIndex txn,
                             OpIndex op, Visit&& visit) {
  const ObjectIndex object = history.op_object[op];
  const Place place = versions.place[op];
  const TxnIndex writer = place == 0 ? kNone : versions.writer_at(object, place);
  if (writer != kNone && writer != txn) visit({writer, txn, EdgeKind::wr});
  const Place next = versions.next_by_another(object, place);
  if (next != kNone) {
    visit({txn, versions.writer_at(object, next), EdgeKind::rw});
    return;
  }
  if (versions.unread.empty()) return;
  for (const Versions::Unread& unread : versions.unread_of(object)) {
    if (unread.txn != writer) visit({txn, unread.txn, EdgeKind::rw});
  }
}

// Calls visit(edge) for every ww, wr and rw of committed transactions: O(operations).
template <typename Visit>
void each_item_dependency(const History& history, const Versions& versions, Visit&& visit) {
  each_write_dependency(history, versions, visit);
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    if (versions.counted[txn] == 0) continue;
    for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) {
      const Op kind = history.op_kind[op];
      if (kind != Op::read && kind != Op::seen_row && kind != Op::read_list) continue;
      if (versions.place[op] == kNone) continue;
      each_dependency_of_read(history, versions, txn, op, visit);
    }
  }
}

// By client: a transaction. Those with small numbers, mostly all, by place; others by hash.
class TxnOfClient {
 public:
  TxnIndex& operator[](std::int32_t client) {
    const auto place = static_cast<std::size_t>(client);
    return place < few_.size() ? few_[place] : others_.try_emplace(client, kNone).first->second;
  }

 private:
  std::vector<TxnIndex> few_ = std::vector<TxnIndex>(256, kNone);
  std::unordered_map<std::int32_t, TxnIndex> others_;
};

// Session order: the attempts of one client, one after the other. What an in-doubt attempt did may
// happen after its client has gone on: nothing follows it.
template <typename Visit>
void each_session_edge(const History& history, const Versions& versions, Visit&& visit) {
  TxnOfClient last_of;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    const std::int32_t client = history.txn_client[txn];
    if (client < 0 || versions.counted[txn] == 0) continue;
    TxnIndex& last = last_of[client];
    if (last != kNone) visit({last, txn, EdgeKind::session});
    if (history.txn_flags[txn].outcome != AttemptOutcome::unknown) last = txn;
  }
}

}  // namespace hilsa
