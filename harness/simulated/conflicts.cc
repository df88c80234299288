#include "harness/simulated/conflicts.h"

#include <algorithm>

namespace hilsa::simulated {
namespace {

bool is_structure(const Txn& first, bool first_writes, CommitNumber third_committed) {
  return first_writes || third_committed <= first.snapshot;
}

CommitNumber earliest_commit(const std::vector<Txn*>& txns) {
  CommitNumber earliest = 0;
  for (const Txn* const txn : txns) {
    if (txn->state != Txn::State::committed) continue;
    if (earliest == 0 || txn->ended < earliest) earliest = txn->ended;
  }
  return earliest;
}

}  // namespace

bool Conflicts::concurrent(const Txn& txn, const Txn& other) {
  if (&txn == &other || other.state == Txn::State::aborted) return false;
  return other.state == Txn::State::active || other.ended > txn.snapshot;
}

void Conflicts::add_edge(Txn& reader, Txn& writer) {
  if (std::find(reader.after.begin(), reader.after.end(), &writer) != reader.after.end()) return;
  reader.after.push_back(&writer);
  writer.before.push_back(&reader);
}

void Conflicts::note_read(Txn& txn, const Predicate& predicate) {
  txn.reads.push_back(predicate);
  for (const auto& other : watched_) {
    if (!concurrent(txn, *other)) continue;
    const auto touches = [&](const Image& image) { return image.touches(predicate); };
    if (std::any_of(other->images.begin(), other->images.end(), touches)) add_edge(txn, *other);
  }
}

void Conflicts::note_write(Txn& txn, const Image& image) {
  for (const auto& other : watched_) {
    if (!concurrent(txn, *other)) continue;
    const auto touched = [&](const Predicate& predicate) { return image.touches(predicate); };
    if (std::any_of(other->reads.begin(), other->reads.end(), touched)) add_edge(*other, txn);
  }
}

bool Conflicts::dangerous(const Txn& txn) {
  const CommitNumber third = earliest_commit(txn.after);
  if (third == 0) return false;  // whoever completes a structure has a committed one after it
  // As the one in the middle.
  for (const Txn* const first : txn.before) {
    if (first->state != Txn::State::committed || third > first->ended) continue;
    if (is_structure(*first, !first->written.empty(), third)) return true;
  }
  // As the first.
  return std::any_of(txn.after.begin(), txn.after.end(), [&](const Txn* middle) {
    return middle->state == Txn::State::committed && middle->earliest_after != 0 &&
           is_structure(txn, !txn.written.empty(), middle->earliest_after);
  });
}

void Conflicts::note_commit(Txn& txn) {
  const CommitNumber third = earliest_commit(txn.after);
  txn.earliest_after = third < txn.ended ? third : 0;
}

void Conflicts::forget(CommitNumber oldest) {
  std::erase_if(watched_, [oldest](const std::shared_ptr<Txn>& txn) {
    return txn->state != Txn::State::active && txn->ended <= oldest;
  });
}

}  // namespace hilsa::simulated
