#include "harness/simulated/locks.h"

#include <algorithm>

namespace hilsa::simulated {

bool Locks::can_hold(const Entry& entry, const Holder& wanted) {
  return std::all_of(entry.holders.begin(), entry.holders.end(), [&](const Holder& holder) {
    return holder.txn == wanted.txn || (!holder.for_update && !wanted.for_update);
  });
}

void Locks::hold(const LockName& name, Entry& entry, const Holder& holder) {
  for (Holder& held : entry.holders) {
    if (held.txn != holder.txn) continue;
    held.for_update = held.for_update || holder.for_update;
    return;
  }
  entry.holders.push_back(holder);
  txns_[holder.txn].held.push_back(name);
}

bool Locks::take(TxnId txn, LockName name, bool for_update) {
  Entry& entry = entries_[name];
  const Holder wanted{txn, for_update};
  const auto of = [txn](const Holder& holder) { return holder.txn == txn; };
  const auto held = std::find_if(entry.holders.begin(), entry.holders.end(), of);
  const bool shares = held != entry.holders.end();
  if (shares && (held->for_update || !for_update)) return true;
  if (std::any_of(entry.queue.begin(), entry.queue.end(), of)) return false;
  if (can_hold(entry, wanted) && (shares || entry.queue.empty())) {
    hold(name, entry, wanted);
    return true;
  }
  entry.queue.insert(shares ? entry.queue.begin() : entry.queue.end(), wanted);
  OfTxn& mine = txns_[txn];
  mine.waits = true;
  mine.waits_for = name;
  return false;
}

bool Locks::take_if_free(TxnId txn, LockName name, bool for_update) {
  const auto found = entries_.find(name);
  if (found != entries_.end()) {
    const Entry& entry = found->second;
    const bool shares = std::any_of(entry.holders.begin(), entry.holders.end(),
                                    [txn](const Holder& holder) { return holder.txn == txn; });
    const bool overtakes = !shares && !entry.queue.empty();
    if (overtakes || !can_hold(entry, {txn, for_update})) return false;
  }
  return take(txn, name, for_update);
}

void Locks::add_blockers(TxnId txn, std::vector<TxnId>& blockers) const {
  const auto mine = txns_.find(txn);
  if (mine == txns_.end() || !mine->second.waits) return;
  const Entry& entry = entries_.at(mine->second.waits_for);
  const auto self = std::find_if(entry.queue.begin(), entry.queue.end(),
                                 [txn](const Holder& holder) { return holder.txn == txn; });
  const auto add = [&](const Holder& other) {
    const bool agree = !other.for_update && !self->for_update;
    if (other.txn != txn && !agree) blockers.push_back(other.txn);
  };
  std::for_each(entry.holders.begin(), entry.holders.end(), add);
  // Nobody overtakes: the next one in the queue stands in the way, and before him who blocks him.
  if (self != entry.queue.begin()) blockers.push_back(std::prev(self)->txn);
}

void Locks::grant(const LockName& name, Entry& entry, std::vector<TxnId>& granted) {
  while (!entry.queue.empty() && can_hold(entry, entry.queue.front())) {
    const Holder next = entry.queue.front();
    entry.queue.erase(entry.queue.begin());
    hold(name, entry, next);
    txns_[next.txn].waits = false;
    granted.push_back(next.txn);
  }
}

void Locks::release(TxnId txn, std::vector<TxnId>& granted) {
  const auto mine = txns_.find(txn);
  if (mine == txns_.end()) return;
  const OfTxn gone = std::move(mine->second);
  txns_.erase(mine);
  const auto of = [txn](const Holder& holder) { return holder.txn == txn; };
  const auto leave = [&](const LockName& name) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    std::erase_if(entry.queue, of);
    std::erase_if(entry.holders, of);
    grant(name, entry, granted);
    if (entry.holders.empty() && entry.queue.empty()) entries_.erase(found);
  };
  if (gone.waits) leave(gone.waits_for);
  for (const LockName& name : gone.held) leave(name);
}

}  // namespace hilsa::simulated
