#include "tests/checkers/brute_force.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hilsa {
namespace {

using TxnSet = std::uint32_t;  // by place in Execution::txns()

constexpr TxnSet only(std::size_t place) { return TxnSet{1} << place; }

template <typename T>
bool compare(const T& left, Comparator comparator, const T& right) {
  switch (comparator) {
    case Comparator::equal:
      return left == right;
    case Comparator::not_equal:
      return left != right;
    case Comparator::less:
      return left < right;
    case Comparator::at_most:
      return left <= right;
    case Comparator::greater:
      return left > right;
    case Comparator::at_least:
      break;
  }
  return left >= right;
}

// As SQL does: nothing compares with NULL, nor a number with a text.
bool is_match(const Value& left, Comparator comparator, const Value& right) {
  if (left.index() != right.index() || left.index() == 0) return false;
  if (left.index() == 1) {
    return compare(std::get<std::int64_t>(left), comparator, std::get<std::int64_t>(right));
  }
  return compare(std::get<std::string>(left), comparator, std::get<std::string>(right));
}

Value changed(const Value& old, ChangeKind kind, const Value& by) {
  if (kind == ChangeKind::set) return by;
  if (old.index() == 0 || old.index() != by.index()) return {};
  if (kind == ChangeKind::append) {
    const auto& text = std::get<std::string>(old);
    return (text.empty() ? "" : text + ",") + std::get<std::string>(by);
  }
  const std::int64_t amount = std::get<std::int64_t>(by);
  return std::get<std::int64_t>(old) + (kind == ChangeKind::add ? amount : -amount);
}

struct RowVersion {
  AttemptId writer = 0;
  bool exists = false;
  std::map<std::uint16_t, Value> values;
};

// The transactions that count, and what they do to a state.
class Execution {
 public:
  using State = std::vector<Version>;  // of every object

  // Of those whose outcome is unknown, these count.
  Execution(const History& history, const std::vector<TxnIndex>& unknown_ones) : history_(history) {
    for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
      if (outcome(txn) == AttemptOutcome::committed) txns_.push_back(txn);
    }
    txns_.insert(txns_.end(), unknown_ones.begin(), unknown_ones.end());
    std::sort(txns_.begin(), txns_.end());
    assert(txns_.size() <= 12);
    for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
      if (outcome(txn) != AttemptOutcome::unknown) continue;
      const bool counts = std::binary_search(txns_.begin(), txns_.end(), txn);
      is_sound_ = is_sound_ && (counts ? was_seen(txn) : !was_named(txn));
    }
    build_rows();
  }

  std::size_t size() const { return txns_.size(); }
  State initial() const { return State(history_.objects(), kUnborn); }

  // False: something saw other than this; the state is then of no use.
  bool run(std::size_t place, State& state) const;
  // The state after its commit, whatever it saw.
  void apply_writes(std::size_t place, State& state) const;
  // The rows that it writes, with the version that each of them must have before.
  std::vector<std::pair<ObjectIndex, Version>> overwritten(std::size_t place) const;
  // Those that have to be over before this one.
  TxnSet before(std::size_t place, Needs form) const;
  // False: no order can explain it. A version is missing below another, two made the same one; of
  // those whose outcome is unknown, one counts that nobody saw, or one does not that a committed
  // read names.
  bool is_sound() const { return is_sound_; }

 private:
  AttemptOutcome outcome(TxnIndex txn) const { return history_.txn_flags[txn].outcome; }
  bool was_seen(TxnIndex txn) const;
  bool was_named(TxnIndex txn) const;  // by a committed read
  bool wrote(TxnIndex txn, ObjectIndex object, Version version) const;
  void build_rows();
  const RowVersion* find(ObjectIndex object, Version version) const;
  bool reads(OpIndex op, const State& state) const;
  bool returns(OpIndex op, const State& state) const;
  bool writes(OpIndex op, State& state) const;

  const History& history_;
  std::vector<TxnIndex> txns_;
  std::vector<std::map<Version, RowVersion>> rows_;
  bool is_sound_ = true;
};

bool Execution::wrote(TxnIndex txn, ObjectIndex object, Version version) const {
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
    if (is_stamped_write(history_.op_kind[op]) && history_.op_object[op] == object &&
        history_.op_number[op] == version) {
      return true;
    }
  }
  return false;
}

bool Execution::was_seen(TxnIndex txn) const {
  for (const TxnIndex other : txns_) {
    if (other == txn) continue;
    for (OpIndex op = history_.first_op(other); op < history_.end_op(other); ++op) {
      const Op kind = history_.op_kind[op];
      if (kind == Op::predicate_read) continue;
      const bool is_write = is_stamped_write(kind);
      const Version version = history_.op_number[op] - (is_write ? 1 : 0);
      if (!wrote(txn, history_.op_object[op], version)) continue;
      const AttemptId writer = is_write ? 0 : history_.op_writer[op];
      if (writer == 0 || writer == history_.txn_id[txn]) return true;
    }
  }
  return false;
}

bool Execution::was_named(TxnIndex txn) const {
  return std::any_of(txns_.begin(), txns_.end(), [&](TxnIndex other) {
    if (outcome(other) != AttemptOutcome::committed) return false;
    const auto writers = history_.op_writer.begin();
    return std::find(writers + history_.first_op(other), writers + history_.end_op(other),
                     history_.txn_id[txn]) != writers + history_.end_op(other);
  });
}

void Execution::build_rows() {
  std::vector<std::map<Version, OpIndex>> makers(history_.objects());
  for (const TxnIndex txn : txns_) {
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      if (!is_stamped_write(history_.op_kind[op])) continue;
      assert(history_.op_number[op] > 0);
      auto& row = makers[history_.op_object[op]];
      is_sound_ = row.emplace(history_.op_number[op], op).second && is_sound_;
    }
  }
  rows_.resize(history_.objects());
  for (ObjectIndex object = 0; object < history_.objects(); ++object) {
    RowVersion current;
    Version last = kUnborn;
    for (const auto& [version, op] : makers[object]) {
      is_sound_ = is_sound_ && version == last + 1;
      last = version;
      current.writer = history_.txn_id[history_.txn_of(op)];
      current.exists = history_.op_kind[op] != Op::erase;
      for (const Cell& cell : history_.cells_of(op)) {
        Value& value = current.values[cell.column];
        value = changed(value, cell.change, history_.scalars.value_of(cell.value));
      }
      rows_[object].emplace(version, current);
    }
  }
}

const RowVersion* Execution::find(ObjectIndex object, Version version) const {
  const auto found = rows_[object].find(version);
  return found == rows_[object].end() || !found->second.exists ? nullptr : &found->second;
}

bool Execution::reads(OpIndex op, const State& state) const {
  const ObjectIndex object = history_.op_object[op];
  const Version version = history_.op_number[op];
  if (version == kVersionUnknown) return true;
  const RowVersion* row = find(object, state[object]);
  if (row == nullptr) return version == kUnborn;
  const AttemptId writer = history_.op_writer[op];
  return version == state[object] && (writer == 0 || writer == row->writer);
}

bool Execution::returns(OpIndex op, const State& state) const {
  const auto number = static_cast<std::size_t>(history_.op_number[op]);
  const BoundPredicate& predicate = history_.predicates[number];
  std::vector<bool> is_expected(history_.objects(), false);
  for (ObjectIndex object = 0; object < history_.objects(); ++object) {
    const RowVersion* row = find(object, state[object]);
    if (history_.object_table[object] != predicate.table || row == nullptr) continue;
    is_expected[object] = std::all_of(
        predicate.comparisons.begin(), predicate.comparisons.end(), [&](const auto& comparison) {
          const auto value = row->values.find(comparison.column);
          return value != row->values.end() &&
                 is_match(value->second, comparison.comparator,
                          history_.scalars.value_of(comparison.value));
        });
  }
  for (++op; op < history_.operations() && history_.op_kind[op] == Op::seen_row; ++op) {
    const ObjectIndex object = history_.op_object[op];
    if (!is_expected[object] || !reads(op, state)) return false;
    is_expected[object] = false;
  }
  return std::find(is_expected.begin(), is_expected.end(), true) == is_expected.end();
}

bool Execution::writes(OpIndex op, State& state) const {
  const ObjectIndex object = history_.op_object[op];
  const bool is_there = find(object, state[object]) != nullptr;
  if (history_.op_kind[op] == Op::insert ? state[object] != kUnborn : !is_there) return false;
  return history_.op_number[op] == ++state[object];
}

bool Execution::run(std::size_t place, State& state) const {
  const TxnIndex txn = txns_[place];
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
    const Op kind = history_.op_kind[op];
    if (kind == Op::read && !reads(op, state)) return false;
    if (kind == Op::predicate_read && !returns(op, state)) return false;
    if (is_stamped_write(kind) && !writes(op, state)) return false;
  }
  return true;
}

void Execution::apply_writes(std::size_t place, State& state) const {
  const TxnIndex txn = txns_[place];
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
    if (is_stamped_write(history_.op_kind[op])) {
      state[history_.op_object[op]] = history_.op_number[op];
    }
  }
}

std::vector<std::pair<ObjectIndex, Version>> Execution::overwritten(std::size_t place) const {
  std::map<ObjectIndex, Version> first;
  const TxnIndex txn = txns_[place];
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
    if (!is_stamped_write(history_.op_kind[op])) continue;
    first.emplace(history_.op_object[op], history_.op_number[op] - 1);
  }
  return {first.begin(), first.end()};
}

TxnSet Execution::before(std::size_t place, Needs form) const {
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

// A walk over the sets of transactions that are over. As every transaction must make exactly the
// versions recorded, the state follows from the set, and no set need be looked at twice.
class SerialOrders {
 public:
  SerialOrders(const Execution& execution, Needs form)
      : execution_(execution), dead_ends_(std::size_t{1} << execution.size(), false) {
    for (std::size_t at = 0; at < execution.size(); ++at) {
      before_.push_back(execution.before(at, form));
    }
  }

  bool exists(TxnSet done, const Execution::State& state) {
    if (done == only(execution_.size()) - 1) return true;
    if (dead_ends_[done]) return false;
    for (std::size_t at = 0; at < execution_.size(); ++at) {
      if ((done & only(at)) != 0 || (before_[at] & ~done) != 0) continue;
      Execution::State next = state;
      if (execution_.run(at, next) && exists(done | only(at), next)) return true;
    }
    dead_ends_[done] = true;
    return false;
  }

 private:
  const Execution& execution_;
  std::vector<TxnSet> before_;
  std::vector<bool> dead_ends_;
};

// The same over pairs of sets: those that have started and, of them, those that have committed.
class Placings {
 public:
  Placings(const Execution& execution, Needs form)
      : execution_(execution), dead_ends_(std::size_t{1} << (2 * execution.size()), false) {
    for (std::size_t at = 0; at < execution.size(); ++at) {
      before_.push_back(execution.before(at, form));
      overwritten_.push_back(execution.overwritten(at));
    }
  }

  // `state` is that of the commits.
  bool exists(TxnSet started, TxnSet committed, const Execution::State& state) {
    const TxnSet all = only(execution_.size()) - 1;
    if (committed == all) return true;
    const std::size_t here = (std::size_t{started} << execution_.size()) | committed;
    if (dead_ends_[here]) return false;
    for (std::size_t at = 0; at < execution_.size(); ++at) {
      if ((started & only(at)) == 0) {
        if (can_start(at, committed, state) && exists(started | only(at), committed, state)) {
          return true;
        }
      } else if ((committed & only(at)) == 0) {
        const auto next = after_commit(at, state);
        if (next && exists(started, committed | only(at), *next)) return true;
      }
    }
    dead_ends_[here] = true;
    return false;
  }

 private:
  bool can_start(std::size_t place, TxnSet committed, Execution::State snapshot) const {
    return (before_[place] & ~committed) == 0 && execution_.run(place, snapshot);
  }

  std::optional<Execution::State> after_commit(std::size_t place, Execution::State state) const {
    for (const auto& [object, version] : overwritten_[place]) {
      if (state[object] != version) return std::nullopt;
    }
    execution_.apply_writes(place, state);
    return state;
  }

  const Execution& execution_;
  std::vector<TxnSet> before_;
  std::vector<std::vector<std::pair<ObjectIndex, Version>>> overwritten_;
  std::vector<bool> dead_ends_;
};

// For every choice of those that count although their outcome is unknown, as far as it is sound.
template <typename Visit>
void for_each_sound_execution(const History& history, Visit visit) {
  std::vector<TxnIndex> unknown;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    if (history.txn_flags[txn].outcome == AttemptOutcome::unknown) unknown.push_back(txn);
  }
  for (TxnSet counted = 0; counted < only(unknown.size()); ++counted) {
    std::vector<TxnIndex> ones;
    for (std::size_t at = 0; at < unknown.size(); ++at) {
      if ((counted & only(at)) != 0) ones.push_back(unknown[at]);
    }
    const Execution execution(history, ones);
    if (execution.is_sound()) visit(execution);
  }
}

}  // namespace

bool serializable_by_definition(const History& history, Needs form) {
  bool holds = false;
  for_each_sound_execution(history, [&](const Execution& execution) {
    holds = holds || SerialOrders(execution, form).exists(0, execution.initial());
  });
  return holds;
}

bool snapshot_isolated_by_definition(const History& history, Needs form) {
  bool holds = false;
  for_each_sound_execution(history, [&](const Execution& execution) {
    holds = holds || Placings(execution, form).exists(0, 0, execution.initial());
  });
  return holds;
}

bool outcomes_are_clear(const History& history) {
  int sound = 0;
  for_each_sound_execution(history, [&](const Execution&) { ++sound; });
  return sound <= 1;
}

}  // namespace hilsa
