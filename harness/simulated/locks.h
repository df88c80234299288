// Locks on rows, names and values that may be there once only: shared or for update, held to the
// transaction's end, granted first come, first served; only who already shares a lock and wants it
// for update goes first.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/simulated/store.h"

namespace hilsa::simulated {

struct LockName {
  std::uint32_t space = 0;  // of a table's rows, of names, or of a unique column's values
  std::int64_t key = 0;
  friend bool operator==(const LockName&, const LockName&) = default;
};
inline constexpr std::uint32_t kLockSpacesOfTable = 64;  // tables have fewer columns than that
inline LockName row_lock(TableNumber table, std::int64_t key) {
  return {table * kLockSpacesOfTable, key};
}
inline LockName named_lock(TableNumber table, std::int64_t key) {
  return {table * kLockSpacesOfTable + 1, key};
}
inline LockName value_lock(TableNumber table, std::uint32_t column, std::int64_t value) {
  return {table * kLockSpacesOfTable + 2 + column, value};
}

class Locks {
 public:
  // Granted at once (or held already): true. Otherwise the transaction is in the lock's queue, once
  // however often it asks. A transaction waits for one lock at a time.
  bool take(TxnId txn, LockName name, bool for_update);
  // The same, but it never waits, and is in no queue afterwards.
  bool take_if_free(TxnId txn, LockName name, bool for_update);
  // Adds whom the transaction waits for, now, in the queue that it is in; nothing if in none. Those
  // further ahead in the queue are left out: they are who the next one waits for.
  void add_blockers(TxnId txn, std::vector<TxnId>& blockers) const;
  // Gives everything back and leaves the queue. Adds who got a lock by that.
  void release(TxnId txn, std::vector<TxnId>& granted);

 private:
  struct Holder {
    TxnId txn;
    bool for_update;
  };
  struct Entry {
    std::vector<Holder> holders;
    std::vector<Holder> queue;  // next first
  };
  struct OfTxn {
    std::vector<LockName> held;
    bool waits = false;
    LockName waits_for;
  };
  struct Hash {
    std::size_t operator()(const LockName& name) const {
      return (static_cast<std::size_t>(name.key) * 31 + name.space) * 0x9e3779b97f4a7c15ULL;
    }
  };

  static bool can_hold(const Entry& entry, const Holder& wanted);
  void grant(const LockName& name, Entry& entry, std::vector<TxnId>& granted);
  void hold(const LockName& name, Entry& entry, const Holder& holder);

  std::unordered_map<LockName, Entry, Hash> entries_;
  std::unordered_map<TxnId, OfTxn> txns_;
};

}  // namespace hilsa::simulated
