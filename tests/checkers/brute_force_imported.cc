#include "tests/checkers/brute_force_imported.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace hilsa {
namespace {

using TxnSet = std::uint32_t;  // by place in Execution::txns_

constexpr TxnSet only(std::size_t place) { return TxnSet{1} << place; }

// The bits of a list's elements; of a register's value, nothing if that is null.
using Contents = std::vector<std::int64_t>;
using State = std::vector<Contents>;  // of every object

bool is_write(Op op) { return op == Op::append || op == Op::write_register; }
bool is_read(Op op) { return op == Op::read_list || op == Op::read_register; }

Contents contents_read(const History& history, OpIndex op) {
  const std::int64_t number = history.op_number[op];
  if (history.op_kind[op] == Op::read_register) {
    return number == Scalar().bits() ? Contents{} : Contents{number};
  }
  const bool is_deviant = number < 0;
  const std::vector<Scalar>& list =
      is_deviant ? history.deviant_lists[static_cast<std::size_t>(-1 - number)]
                 : history.longest_list[history.op_object[op]];
  const auto length = is_deviant ? list.size() : static_cast<std::size_t>(number);
  Contents contents;
  for (std::size_t i = 0; i < length; ++i) contents.push_back(list[i].bits());
  return contents;
}

// The transactions that count, and what they do to a state.
class Execution {
 public:
  explicit Execution(const History& history) : history_(history) {
    for (OpIndex op = 0; op < history.operations(); ++op) {
      reads_.push_back(is_read(history.op_kind[op]) ? contents_read(history, op) : Contents{});
    }
    for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
      const bool is_open = outcome(txn) == AttemptOutcome::unknown;
      if (is_open ? was_seen(txn) : outcome(txn) == AttemptOutcome::committed) {
        txns_.push_back(txn);
      }
    }
    assert(txns_.size() <= 8);
  }

  std::size_t size() const { return txns_.size(); }
  TxnSet all() const { return only(size()) - 1; }
  State initial() const { return State(history_.objects()); }

  // Whether it would read, started on this state, what it did read.
  bool reads_match(std::size_t place, State state) const {
    bool match = true;
    for_each_op(place, [&](OpIndex op) {
      if (is_read(history_.op_kind[op])) match = match && reads_[op] == state[object(op)];
      write(op, state);
    });
    return match;
  }
  void apply_writes(std::size_t place, State& state) const {
    for_each_op(place, [&](OpIndex op) { write(op, state); });
  }
  bool write_the_same(std::size_t place, std::size_t other) const {
    bool same = false;
    for_each_op(place, [&](OpIndex op) {
      for_each_op(other, [&](OpIndex others) {
        const bool both = is_write(history_.op_kind[op]) && is_write(history_.op_kind[others]);
        same = same || (both && object(op) == object(others));
      });
    });
    return same;
  }

  // Those that have to be over before this one.
  TxnSet before(std::size_t place, Needs form) const {
    TxnSet before = 0;
    const TxnIndex txn = txns_[place];
    for (std::size_t at = 0; at < txns_.size(); ++at) {
      const TxnIndex other = txns_[at];
      if (outcome(other) == AttemptOutcome::unknown) continue;
      const bool same_client =
          history_.txn_client[txn] >= 0 && history_.txn_client[txn] == history_.txn_client[other];
      if (form == Needs::session && same_client && other < txn) before |= only(at);
      if (form == Needs::realtime && history_.txn_end[other] < history_.txn_begin[txn]) {
        before |= only(at);
      }
    }
    return before;
  }

 private:
  AttemptOutcome outcome(TxnIndex txn) const { return history_.txn_flags[txn].outcome; }
  ObjectIndex object(OpIndex op) const { return history_.op_object[op]; }

  template <typename Visit>
  void for_each_op(std::size_t place, Visit visit) const {
    const TxnIndex txn = txns_[place];
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) visit(op);
  }

  void write(OpIndex op, State& state) const {
    if (!is_write(history_.op_kind[op])) return;
    Contents& contents = state[object(op)];
    if (history_.op_kind[op] == Op::write_register) contents.clear();
    contents.push_back(history_.op_number[op]);
  }

  bool was_seen(TxnIndex writer) const {
    for (OpIndex write = history_.first_op(writer); write < history_.end_op(writer); ++write) {
      if (!is_write(history_.op_kind[write])) continue;
      for (OpIndex op = 0; op < history_.operations(); ++op) {
        if (outcome(history_.txn_of(op)) != AttemptOutcome::committed) continue;
        if (!is_read(history_.op_kind[op]) || object(op) != object(write)) continue;
        const Contents& read = reads_[op];
        if (std::find(read.begin(), read.end(), history_.op_number[write]) != read.end()) {
          return true;
        }
      }
    }
    return false;
  }

  const History& history_;
  std::vector<TxnIndex> txns_;
  std::vector<Contents> reads_;  // by operation
};

std::vector<TxnSet> all_before(const Execution& execution, Needs form) {
  std::vector<TxnSet> before;
  for (std::size_t at = 0; at < execution.size(); ++at) {
    before.push_back(execution.before(at, form));
  }
  return before;
}

// Every order that does not fail before its end.
class SerialOrders {
 public:
  SerialOrders(const Execution& execution, Needs form)
      : execution_(execution), before_(all_before(execution, form)) {}

  bool exists(TxnSet done, const State& state) const {
    if (done == execution_.all()) return true;
    for (std::size_t at = 0; at < execution_.size(); ++at) {
      if ((done & only(at)) != 0 || (before_[at] & ~done) != 0) continue;
      if (!execution_.reads_match(at, state)) continue;
      State next = state;
      execution_.apply_writes(at, next);
      if (exists(done | only(at), next)) return true;
    }
    return false;
  }

 private:
  const Execution& execution_;
  std::vector<TxnSet> before_;
};

// Every line of starts and commits that does not fail before its end; those that come to the same
// state with the same ones started and committed go on alike.
class Placings {
 public:
  Placings(const Execution& execution, Needs form)
      : execution_(execution), before_(all_before(execution, form)) {
    for (std::size_t at = 0; at < execution.size(); ++at) {
      TxnSet& rivals = rivals_.emplace_back(0);
      for (std::size_t other = 0; other < execution.size(); ++other) {
        if (other != at && execution.write_the_same(at, other)) rivals |= only(other);
      }
    }
  }

  // `state` is that of the commits.
  bool exists(TxnSet started, TxnSet committed, const State& state) {
    if (committed == execution_.all()) return true;
    if (!been_.emplace(started, committed, state).second) return false;
    for (std::size_t at = 0; at < execution_.size(); ++at) {
      if ((started & only(at)) == 0) {
        const bool may_start =
            (before_[at] & ~committed) == 0 && (rivals_[at] & started & ~committed) == 0;
        if (may_start && execution_.reads_match(at, state) &&
            exists(started | only(at), committed, state)) {
          return true;
        }
      } else if ((committed & only(at)) == 0) {
        State next = state;
        execution_.apply_writes(at, next);
        if (exists(started, committed | only(at), next)) return true;
      }
    }
    return false;
  }

 private:
  const Execution& execution_;
  std::vector<TxnSet> before_;
  std::vector<TxnSet> rivals_;  // those that must not overlap with it
  std::set<std::tuple<TxnSet, TxnSet, State>> been_;
};

}  // namespace

bool imported_serializable_by_definition(const History& history, Needs form) {
  const Execution execution(history);
  return SerialOrders(execution, form).exists(0, execution.initial());
}

bool imported_snapshot_isolated_by_definition(const History& history, Needs form) {
  const Execution execution(history);
  return Placings(execution, form).exists(0, 0, execution.initial());
}

}  // namespace hilsa
