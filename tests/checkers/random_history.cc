#include "tests/checkers/random_history.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/history_builder.h"
#include "harness/history/rng.h"

namespace hilsa {
namespace {

constexpr std::array kStrengths = {Strength::serial, Strength::snapshot,  Strength::snapshot,
                                   Strength::lossy,  Strength::committed, Strength::stale,
                                   Strength::dirty};

using Values = std::array<int, 2>;  // columns a and b

struct RowVersion {
  std::size_t writer = 0;  // a place in Run::txns_
  bool exists = false;
  Values values{};
};

struct Row {
  std::uint32_t table = 0;
  std::int64_t key = 0;
  std::vector<RowVersion> versions;                       // from 1
  std::vector<std::pair<Version, RowVersion>> withdrawn;  // by aborted writers
};

struct Seen {
  std::size_t row = 0;
  Version version = kUnborn;
  AttemptId writer = 0;
};

struct Step {
  Op op = Op::read;
  Seen seen;  // reads; of writes: the row and the version made
  std::vector<Cell> cells;
  BoundPredicate predicate;
  std::vector<Seen> rows;
};

struct Txn {
  AttemptId id = 0;
  int client = 0;
  bool is_over = false;
  bool is_committed = false;
  bool is_answered = true;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::vector<Step> steps;
  std::vector<std::size_t> snapshot;  // of every row: how many versions it had
};

class Run {
 public:
  Run(std::uint64_t seed, const RandomHistoryOptions& options)
      : rng_(Rng::for_stream(seed, 1, 0)), options_(options) {
    strength_ = options.strength.value_or(kStrengths[below(kStrengths.size())]);
    asks_for_writers_ = below(4) != 0 || options.unknown_outcomes;
    const std::size_t tables = 1 + below(3);
    const std::size_t rows = 1 + below(static_cast<std::size_t>(options.rows_max));
    for (std::size_t row = 0; row < rows; ++row) {
      rows_.push_back({.table = static_cast<std::uint32_t>(below(tables)),
                       .key = static_cast<std::int64_t>(row + 1)});
    }
    const auto most = static_cast<std::size_t>(options.transactions_max);
    count_ = 1 + std::max(below(most), below(most));
  }

  History history() {
    if (below(4) != 0) set_up();
    execute();
    if (options_.falsified && below(8) < 5) {
      for (std::size_t left = 1 + below(2); left > 0; --left) falsify();
    }
    return build();
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(rng_.below(bound)); }
  static Scalar integer(std::int64_t value) { return Scalar::small_integer(value); }

  // --- the database ---
  void set_up();
  void execute();
  std::size_t begin(int client);
  void take_step(std::size_t txn);
  void end(std::size_t txn);
  bool can_withdraw(std::size_t txn) const;
  void withdraw(std::size_t txn);
  bool is_own_or_committed(std::size_t txn, const RowVersion& version) const {
    return version.writer == txn || txns_[version.writer].is_committed;
  }
  std::size_t visible(std::size_t txn, std::size_t row);
  Seen seen(std::size_t txn, std::size_t row);
  void read(std::size_t txn, std::size_t row);
  void read_where(std::size_t txn);
  void write(std::size_t txn, std::size_t row);
  void add_version(std::size_t txn, std::size_t row, Op op);
  Values change(Values values, std::vector<Cell>& cells);
  BoundPredicate random_predicate(std::uint32_t table);
  static bool matches(const RowVersion& version, const BoundPredicate& predicate);

  // --- the forger ---
  std::vector<Step*> steps_to_falsify();
  void falsify();
  Seen any_version(std::size_t row, const BoundPredicate* predicate);
  void falsify_rows(Step& step);

  History build();
  void build(HistoryBuilder& builder, const Step& step) const;

  Rng rng_;
  RandomHistoryOptions options_;
  Strength strength_ = Strength::serial;
  bool asks_for_writers_ = true;
  std::size_t count_ = 0;
  std::vector<Row> rows_;
  std::vector<Txn> txns_;
  Nanoseconds now_ = 0;
};

// --- the database ---

void Run::set_up() {
  const std::size_t txn = begin(0);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (below(4) != 0) add_version(txn, row, Op::insert);
  }
  txns_[txn].is_over = txns_[txn].is_committed = true;
  txns_[txn].end = ++now_;
}

void Run::execute() {
  const std::size_t clients = 2 + below(3);
  std::vector<std::size_t> running;
  while (true) {
    if (!running.empty() && (strength_ == Strength::serial || running.size() == clients ||
                             txns_.size() == count_ || below(3) != 0)) {
      const std::size_t at = below(running.size());
      take_step(running[at]);
      if (txns_[running[at]].is_over) running.erase(running.begin() + static_cast<long>(at));
      continue;
    }
    if (txns_.size() >= count_) return;
    int client = 1;
    const auto is_busy = [&](std::size_t txn) { return txns_[txn].client == client; };
    while (std::any_of(running.begin(), running.end(), is_busy)) ++client;
    running.push_back(begin(client));
  }
}

std::size_t Run::begin(int client) {
  Txn txn{.id = static_cast<AttemptId>(txns_.size() + 1), .client = client, .begin = ++now_};
  for (const Row& row : rows_) {
    const auto committed = [&](const RowVersion& each) { return txns_[each.writer].is_committed; };
    txn.snapshot.push_back(static_cast<std::size_t>(
        std::find_if_not(row.versions.begin(), row.versions.end(), committed) -
        row.versions.begin()));
  }
  txns_.push_back(std::move(txn));
  return txns_.size() - 1;
}

void Run::take_step(std::size_t txn) {
  if (!txns_[txn].steps.empty() && below(4) == 0) {
    end(txn);
    return;
  }
  const std::size_t row = below(rows_.size());
  switch (below(8)) {
    case 0:
    case 1:
      read(txn, row);
      break;
    case 2:
    case 3:
      if (options_.predicates) {
        read_where(txn);
      } else {
        read(txn, row);
      }
      break;
    case 4:
      read(txn, row);
      write(txn, row);
      break;
    default:
      write(txn, row);
  }
  if (txns_[txn].steps.size() >= 5 && !txns_[txn].is_over) end(txn);
}

void Run::end(std::size_t txn) {
  Txn& ended = txns_[txn];
  ended.is_over = true;
  ended.end = ++now_;
  ended.is_answered = !options_.unknown_outcomes || below(4) != 0;
  if (below(6) == 0 && can_withdraw(txn)) {
    withdraw(txn);
  } else {
    ended.is_committed = true;
  }
}

// Nobody has written on top of it.
bool Run::can_withdraw(std::size_t txn) const {
  return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    bool own = false;
    for (const RowVersion& version : row.versions) {
      if (own && version.writer != txn) return false;
      own = own || version.writer == txn;
    }
    return true;
  });
}

void Run::withdraw(std::size_t txn) {
  for (Row& row : rows_) {
    while (!row.versions.empty() && row.versions.back().writer == txn) {
      row.withdrawn.emplace_back(static_cast<Version>(row.versions.size()), row.versions.back());
      row.versions.pop_back();
    }
  }
}

// How many of the row's versions this transaction sees: the last of them is the row to it.
std::size_t Run::visible(std::size_t txn, std::size_t row) {
  const std::vector<RowVersion>& versions = rows_[row].versions;
  std::size_t last_good = versions.size();
  while (last_good > 0 && !is_own_or_committed(txn, versions[last_good - 1])) --last_good;
  std::size_t last_own = versions.size();
  while (last_own > 0 && versions[last_own - 1].writer != txn) --last_own;
  switch (strength_) {
    case Strength::dirty:
      return versions.size();
    case Strength::stale:
      if (last_own > 0 || last_good == 0) return last_own;
      return below(2) == 0 ? last_good : below(last_good + 1);
    case Strength::snapshot:
    case Strength::lossy:
      return last_own > 0 ? last_own : txns_[txn].snapshot[row];
    default:
      return last_good;
  }
}

Seen Run::seen(std::size_t txn, std::size_t row) {
  const std::size_t count = visible(txn, row);
  if (count == 0 || !rows_[row].versions[count - 1].exists) return {.row = row};
  return {.row = row,
          .version = static_cast<Version>(count),
          .writer = txns_[rows_[row].versions[count - 1].writer].id};
}

void Run::read(std::size_t txn, std::size_t row) {
  ++now_;
  txns_[txn].steps.push_back({.op = Op::read, .seen = seen(txn, row)});
}

BoundPredicate Run::random_predicate(std::uint32_t table) {
  BoundPredicate predicate{.table = table};
  for (std::size_t left = below(8) == 0 ? 0 : 1 + below(4) / 3; left > 0; --left) {
    predicate.comparisons.push_back({.column = static_cast<std::uint16_t>(below(4) / 3),
                                     .comparator = static_cast<Comparator>(below(6)),
                                     .value = integer(static_cast<std::int64_t>(below(3)))});
  }
  return predicate;
}

bool Run::matches(const RowVersion& version, const BoundPredicate& predicate) {
  const ScalarPool none;
  return version.exists && std::all_of(predicate.comparisons.begin(), predicate.comparisons.end(),
                                       [&](const BoundComparison& each) {
                                         return none.matches(integer(version.values[each.column]),
                                                             each.comparator, each.value);
                                       });
}

void Run::read_where(std::size_t txn) {
  ++now_;
  Step step{.op = Op::predicate_read};
  step.predicate = random_predicate(rows_[below(rows_.size())].table);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].table != step.predicate.table) continue;
    const Seen seen = this->seen(txn, row);
    if (seen.version == kUnborn) continue;
    const RowVersion& version = rows_[row].versions[static_cast<std::size_t>(seen.version) - 1];
    if (matches(version, step.predicate)) step.rows.push_back(seen);
  }
  txns_[txn].steps.push_back(std::move(step));
}

void Run::write(std::size_t txn, std::size_t row) {
  ++now_;
  const std::vector<RowVersion>& versions = rows_[row].versions;
  if (strength_ != Strength::dirty && !versions.empty() &&
      !is_own_or_committed(txn, versions.back())) {
    return;  // it would have to wait
  }
  if (strength_ == Strength::snapshot && visible(txn, row) < versions.size()) {
    withdraw(txn);
    txns_[txn].is_over = true;
    txns_[txn].end = ++now_;
    return;
  }
  if (versions.empty()) {
    add_version(txn, row, Op::insert);
  } else if (versions.back().exists) {
    add_version(txn, row, below(8) == 0 ? Op::erase : Op::write);
  }
}

void Run::add_version(std::size_t txn, std::size_t row, Op op) {
  std::vector<RowVersion>& versions = rows_[row].versions;
  Step step{.op = op};
  RowVersion made{.writer = txn, .exists = op != Op::erase};
  if (op == Op::insert) {
    for (std::uint16_t column = 0; column < 2; ++column) {
      made.values[column] = static_cast<int>(below(3));
      step.cells.push_back({column, ChangeKind::set, integer(made.values[column])});
    }
  } else {
    made.values = versions.back().values;
    if (op == Op::write) made.values = change(made.values, step.cells);
  }
  versions.push_back(made);
  step.seen = {.row = row, .version = static_cast<Version>(versions.size())};
  txns_[txn].steps.push_back(std::move(step));
}

Values Run::change(Values values, std::vector<Cell>& cells) {
  const auto column = static_cast<std::uint16_t>(below(4) / 3);
  int& value = values[column];
  ChangeKind kind = ChangeKind::set;
  int by = static_cast<int>(below(3));
  if (below(2) == 0) {
    kind = value > 0 && (value > 1 || below(2) == 0) ? ChangeKind::subtract : ChangeKind::add;
    by = 1;
  }
  cells.push_back({column, kind, integer(by)});
  if (kind == ChangeKind::set) {
    value = by;
  } else {
    value += kind == ChangeKind::add ? by : -by;
  }
  return values;
}

// --- the forger ---

std::vector<Step*> Run::steps_to_falsify() {
  std::vector<Step*> steps;
  for (Txn& txn : txns_) {
    for (Step& step : txn.steps) {
      const bool may_count = txn.is_committed || !txn.is_answered;
      if (may_count && !is_stamped_write(step.op)) steps.push_back(&step);
    }
  }
  return steps;
}

void Run::falsify() {
  const std::vector<Step*> steps = steps_to_falsify();
  if (steps.empty()) return;
  Step& step = *steps[below(steps.size())];
  if (step.op == Op::predicate_read) {
    falsify_rows(step);
    return;
  }
  for (Step* other : steps) {
    if (other == &step || other->op != Op::read || other->seen.row != step.seen.row) continue;
    if (below(2) != 0) continue;
    std::swap(step.seen, other->seen);
    return;
  }
  step.seen = any_version(step.seen.row, nullptr);
}

// One that matches, if there is a predicate; version 0 if nothing is there to be seen.
Seen Run::any_version(std::size_t row, const BoundPredicate* predicate) {
  std::vector<Seen> all;
  const Row& its = rows_[row];
  const auto add = [&](const RowVersion& version, Version number) {
    if (!version.exists || (predicate != nullptr && !matches(version, *predicate))) return;
    all.push_back({row, number, txns_[version.writer].id});
  };
  for (std::size_t at = 0; at < its.versions.size(); ++at) {
    add(its.versions[at], static_cast<Version>(at + 1));
  }
  for (const auto& [number, version] : its.withdrawn) {
    if (below(3) == 0) add(version, number);
  }
  if (predicate == nullptr) all.push_back({.row = row});
  return all.empty() ? Seen{.row = row} : all[below(all.size())];
}

void Run::falsify_rows(Step& step) {
  if (!step.rows.empty() && below(2) == 0) {
    step.rows.erase(step.rows.begin() + static_cast<long>(below(step.rows.size())));
    return;
  }
  const std::size_t row = below(rows_.size());
  if (rows_[row].table != step.predicate.table) return;
  const Seen seen = any_version(row, &step.predicate);
  if (seen.version == kUnborn) return;
  const auto same_row = [&](const Seen& each) { return each.row == row; };
  const auto found = std::find_if(step.rows.begin(), step.rows.end(), same_row);
  if (found != step.rows.end()) {
    *found = seen;
  } else {
    step.rows.push_back(seen);
  }
}

// --- the history ---

History Run::build() {
  HistoryBuilder builder;
  const std::array<std::string, 2> columns = {"a", "b"};
  for (const std::string_view name : {"x", "y", "z"}) builder.table(name, "id", columns);
  std::vector<const Txn*> by_end;
  for (const Txn& txn : txns_) by_end.push_back(&txn);
  std::sort(by_end.begin(), by_end.end(),
            [](const Txn* left, const Txn* right) { return left->end < right->end; });
  for (const Txn* txn : by_end) {
    auto outcome = txn->is_committed ? AttemptOutcome::committed : AttemptOutcome::aborted;
    if (!txn->is_answered) outcome = AttemptOutcome::unknown;
    builder.begin_txn({.id = txn->id,
                       .client = txn->client,
                       .flags = {outcome, true},
                       .begin = txn->begin,
                       .end = txn->end});
    for (const Step& step : txn->steps) build(builder, step);
    builder.end_txn();
  }
  return builder.finish();
}

void Run::build(HistoryBuilder& builder, const Step& step) const {
  const auto add = [&](Op op, const Seen& seen) {
    const Row& row = rows_[seen.row];
    const bool asks = asks_for_writers_ && !is_stamped_write(op);
    builder.add(op, builder.object(row.table, integer(row.key)), seen.version,
                {.writer = asks ? seen.writer : 0});
  };
  for (const Cell& cell : step.cells) builder.add_cell(cell.column, cell.change, cell.value);
  if (step.op != Op::predicate_read) {
    add(step.op, step.seen);
    return;
  }
  builder.add(Op::predicate_read, step.predicate.table, builder.predicate(step.predicate), {});
  for (const Seen& seen : step.rows) add(Op::seen_row, seen);
}

}  // namespace

History random_history(std::uint64_t seed, const RandomHistoryOptions& options) {
  return Run(seed, options).history();
}

}  // namespace hilsa
