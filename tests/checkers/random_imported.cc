#include "tests/checkers/random_imported.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/history/history_builder.h"
#include "harness/history/rng.h"
#include "tests/checkers/random_history.h"

namespace hilsa {
namespace {

constexpr std::array kStrengths = {Strength::serial,    Strength::serial, Strength::snapshot,
                                   Strength::snapshot,  Strength::lossy,  Strength::committed,
                                   Strength::committed, Strength::stale,  Strength::dirty};
constexpr Nanoseconds kNeverEnded = 1'000'000;

struct Write {
  std::size_t writer = 0;  // a place in Run::txns_
  std::int64_t value = 0;
};

struct Step {
  std::size_t key = 0;
  bool is_read = false;
  std::vector<std::int64_t> values;  // written: one; read: the list, or the register's, if any
};

struct Txn {
  AttemptId id = 0;
  int client = 0;
  std::size_t steps_left = 0;
  AttemptOutcome outcome = AttemptOutcome::committed;  // as answered
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::vector<Step> steps = {};
  std::vector<std::size_t> snapshot = {};  // of every key: how many writes it had
};

class Run {
 public:
  Run(std::uint64_t seed, const RandomImportedOptions& options)
      : rng_(Rng::for_stream(seed, 2, options.form == Form::lists ? 0 : 1)), options_(options) {
    strength_ = kStrengths[below(kStrengths.size())];
    log_.resize(1 + below(static_cast<std::size_t>(options.keys_max)));
    written_.resize(log_.size());
    reads_in_eight_ = 2 + below(4);
    const auto most = static_cast<std::size_t>(options.transactions_max);
    count_ = 1 + std::max(below(most), below(most));
  }

  History history() {
    execute();
    if (below(8) < 3) {
      for (std::size_t left = 1 + below(2); left > 0; --left) falsify();
    }
    return build();
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(rng_.below(bound)); }
  bool is_lists() const { return options_.form == Form::lists; }

  // --- the database ---
  void execute();
  void begin(int client);
  void take_step(std::size_t txn);
  void end(std::size_t txn);
  bool lost_the_race(const Txn& txn) const;
  std::vector<std::int64_t> seen(std::size_t txn, std::size_t key);
  std::size_t visible(const Txn& txn, std::size_t key);

  // --- the forger ---
  void falsify();
  void falsify_list(Step& step);

  History build();
  void build(HistoryBuilder& builder, const Txn& txn) const;

  Rng rng_;
  RandomImportedOptions options_;
  Strength strength_ = Strength::serial;
  std::size_t reads_in_eight_ = 4;
  std::size_t count_ = 0;
  std::vector<std::vector<Write>> log_;             // of each key: what is in the database
  std::vector<std::vector<std::int64_t>> written_;  // of each key: by anybody
  std::vector<Txn> txns_;
  std::int64_t last_value_ = 0;
  Nanoseconds now_ = 0;
};

// --- the database ---

void Run::execute() {
  const std::size_t clients = 2 + below(3);
  int next_client = static_cast<int>(clients) + 1;
  std::vector<int> idle;
  for (int client = static_cast<int>(clients); client > 0; --client) idle.push_back(client);
  std::vector<std::size_t> running;
  while (true) {
    const bool may_begin = txns_.size() < count_ && !idle.empty() &&
                           (strength_ != Strength::serial || running.empty());
    if (!running.empty() && (!may_begin || below(3) != 0)) {
      const std::size_t at = below(running.size());
      const std::size_t txn = running[at];
      take_step(txn);
      if (txns_[txn].end == 0) continue;
      running.erase(running.begin() + static_cast<long>(at));
      // Where no answer ever comes another client goes on.
      idle.push_back(txns_[txn].end > kNeverEnded ? next_client++ : txns_[txn].client);
      continue;
    }
    if (!may_begin) return;
    const std::size_t at = below(idle.size());
    running.push_back(txns_.size());
    begin(idle[at]);
    idle.erase(idle.begin() + static_cast<long>(at));
  }
}

void Run::begin(int client) {
  const auto most = static_cast<std::size_t>(options_.operations_max);
  Txn txn{.id = static_cast<AttemptId>(txns_.size() + 1),
          .client = client,
          .steps_left = 1 + below(most),
          .begin = ++now_};
  for (const auto& writes : log_) txn.snapshot.push_back(writes.size());
  txns_.push_back(std::move(txn));
}

void Run::take_step(std::size_t txn) {
  if (txns_[txn].steps_left == 0) {
    end(txn);
    return;
  }
  --txns_[txn].steps_left;
  ++now_;
  const std::size_t key = below(log_.size());
  if (below(8) < reads_in_eight_) {
    txns_[txn].steps.push_back({.key = key, .is_read = true, .values = seen(txn, key)});
    return;
  }
  txns_[txn].steps.push_back({.key = key, .values = {++last_value_}});
  written_[key].push_back(last_value_);
  if (strength_ == Strength::dirty) log_[key].push_back({txn, last_value_});
}

// How many writes of the key it sees besides its own.
std::size_t Run::visible(const Txn& txn, std::size_t key) {
  switch (strength_) {
    case Strength::snapshot:
    case Strength::lossy:
      return txn.snapshot[key];
    case Strength::stale:
      return below(3) == 0 ? below(log_[key].size() + 1) : log_[key].size();
    default:
      return log_[key].size();
  }
}

std::vector<std::int64_t> Run::seen(std::size_t txn, std::size_t key) {
  std::vector<std::int64_t> values;
  const std::size_t count = visible(txns_[txn], key);
  for (std::size_t i = 0; i < count; ++i) values.push_back(log_[key][i].value);
  if (strength_ != Strength::dirty) {
    for (const Step& step : txns_[txn].steps) {
      if (!step.is_read && step.key == key) values.push_back(step.values.front());
    }
  }
  if (!is_lists() && !values.empty()) values.erase(values.begin(), values.end() - 1);
  return values;
}

bool Run::lost_the_race(const Txn& txn) const {
  return std::any_of(txn.steps.begin(), txn.steps.end(), [&](const Step& step) {
    return !step.is_read && log_[step.key].size() > txn.snapshot[step.key];
  });
}

void Run::end(std::size_t txn) {
  Txn& ending = txns_[txn];
  ending.end = ++now_;
  bool commits = below(8) != 0 && !(strength_ == Strength::snapshot && lost_the_race(ending));
  if (!commits) ending.outcome = AttemptOutcome::aborted;
  if (options_.unknown_outcomes && below(3) == 0) {
    ending.outcome = AttemptOutcome::unknown;
    if (below(2) == 0) ending.end = kNeverEnded + ending.end;
  }
  if (strength_ == Strength::dirty) {
    if (commits) return;
    for (auto& writes : log_) {
      std::erase_if(writes, [&](const Write& write) { return write.writer == txn; });
    }
    return;
  }
  if (!commits) return;
  for (const Step& step : ending.steps) {
    if (!step.is_read) log_[step.key].push_back({txn, step.values.front()});
  }
}

// --- the forger ---

void Run::falsify() {
  std::vector<Step*> reads;
  for (Txn& txn : txns_) {
    for (Step& step : txn.steps) {
      if (step.is_read && txn.outcome == AttemptOutcome::committed) reads.push_back(&step);
    }
  }
  if (reads.empty()) return;
  Step& step = *reads[below(reads.size())];
  for (Step* other : reads) {
    if (other == &step || other->key != step.key || below(3) != 0) continue;
    std::swap(step.values, other->values);
    return;
  }
  if (is_lists()) {
    falsify_list(step);
    return;
  }
  const std::vector<std::int64_t>& all = written_[step.key];
  step.values.clear();
  const std::size_t at = below(all.size() + 1);
  if (at < all.size()) step.values.push_back(all[at]);
}

void Run::falsify_list(Step& step) {
  std::vector<std::int64_t>& list = step.values;
  switch (below(3)) {
    case 0:
      list.resize(below(list.size() + 1));
      return;
    case 1:
      if (list.size() < 2) return;
      std::swap(list[below(list.size())], list[below(list.size())]);
      return;
    default:
      break;
  }
  for (const std::int64_t value : written_[step.key]) {
    if (std::find(list.begin(), list.end(), value) != list.end() || below(3) == 0) continue;
    list.push_back(value);
    if (below(2) == 0) return;
  }
}

// --- the history ---

History Run::build() {
  HistoryBuilder builder(options_.form);
  builder.table("", "", {});
  std::vector<const Txn*> by_end;
  for (const Txn& txn : txns_) by_end.push_back(&txn);
  std::sort(by_end.begin(), by_end.end(),
            [](const Txn* left, const Txn* right) { return left->end < right->end; });
  const bool has_times = below(8) != 0;
  const bool has_clients = below(8) != 0;
  for (const Txn* txn : by_end) {
    builder.begin_txn({.id = txn->id,
                       .client = has_clients ? txn->client : -1,
                       .flags = {txn->outcome, true},
                       .begin = has_times ? txn->begin : 0,
                       .end = has_times ? txn->end : 0});
    build(builder, *txn);
    builder.end_txn();
  }
  return builder.finish();
}

void Run::build(HistoryBuilder& builder, const Txn& txn) const {
  constexpr std::array<std::string_view, 5> kKeys = {"x", "y", "z", "u", "v"};
  for (const Step& step : txn.steps) {
    if (step.is_read && txn.outcome == AttemptOutcome::unknown) continue;
    const ObjectIndex object = builder.object(0, builder.scalars().text(kKeys[step.key]));
    std::vector<Scalar> values;
    for (const std::int64_t value : step.values) values.push_back(Scalar::small_integer(value));
    if (step.is_read && is_lists()) {
      builder.add_read_list(object, values, txn.outcome == AttemptOutcome::committed);
    } else if (step.is_read) {
      builder.add_read_register(object, values.empty() ? Scalar() : values.front());
    } else if (is_lists()) {
      builder.add_append(object, values.front());
    } else {
      builder.add_write_register(object, values.front());
    }
  }
}

std::string list_text(const History& history, OpIndex op) {
  const std::int64_t number = history.op_number[op];
  const std::vector<Scalar>& list =
      number < 0 ? history.deviant_lists[static_cast<std::size_t>(-1 - number)]
                 : history.longest_list[history.op_object[op]];
  const auto length = number < 0 ? list.size() : static_cast<std::size_t>(number);
  std::string text = "[";
  for (std::size_t i = 0; i < length; ++i) {
    text += (i > 0 ? " " : "") + history.scalars.to_text(list[i]);
  }
  return text + "]";
}

std::string operation_text(const History& history, OpIndex op) {
  const std::string name = history.object_name(history.op_object[op]) + " ";
  const auto value = [&] {
    return history.scalars.to_text(Scalar::from_bits(history.op_number[op]));
  };
  switch (history.op_kind[op]) {
    case Op::append:
      return "append " + name + value();
    case Op::read_list:
      return "read " + name + list_text(history, op);
    case Op::write_register:
      return "write " + name + value();
    default:
      return "read " + name + value();
  }
}

}  // namespace

History random_imported_history(std::uint64_t seed, const RandomImportedOptions& options) {
  return Run(seed, options).history();
}

std::string to_imported_text(const History& history) {
  std::string text;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    text += history.txn_name(txn);
    if (history.txn_client[txn] >= 0) text += " c" + std::to_string(history.txn_client[txn]);
    if (history.has_times()) {
      text += " " + std::to_string(history.txn_begin[txn]) + ".." +
              std::to_string(history.txn_end[txn]);
    }
    const AttemptOutcome outcome = history.txn_flags[txn].outcome;
    if (outcome == AttemptOutcome::aborted) text += " aborted";
    if (outcome == AttemptOutcome::unknown) text += " unknown";
    text += ":";
    for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) {
      text += (op == history.first_op(txn) ? " " : "; ") + operation_text(history, op);
    }
    text += "\n";
  }
  return text;
}

}  // namespace hilsa
