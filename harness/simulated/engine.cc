// Transactions: their begin and end, what they see, whom they wait for.
#include "harness/simulated/engine.h"

#include <algorithm>
#include <utility>

namespace hilsa::simulated {
namespace {

// How often bugs strike: once in so many chances.
constexpr std::uint64_t kStaleSnapshotOnceIn = 5;
constexpr CommitNumber kStalest = 6;
constexpr std::uint64_t kDelayedCommitOnceIn = 2;
constexpr CommitNumber kLongestDelay = 16;
constexpr std::uint64_t kLostWriteOnceIn = 12;
constexpr std::uint64_t kForgottenAbortOnceIn = 3;

Error failed_before() {
  return {ErrorKind::other, "25P02", 0,
          "the transaction has failed: roll it back before anything else"};
}
Error serialization_failure() {
  return {ErrorKind::serialization_failure, "40001", 0,
          "no order of transactions explains what this one and others at the same time have read "
          "and written"};
}
Error in_use(const Table& table) {
  return {ErrorKind::other, "55006", 0,
          "transactions are at work while the table " + std::string(table.name) + " is made"};
}
void make_empty(StoredTable& table) {
  table.rows.clear();
  for (ColumnIndex& index : table.indexes) index = ColumnIndex(index.column(), index.unique());
}
// In the words of PostgreSQL, so that one reader does for both.
Error deadlock(const std::vector<const Txn*>& circle) {
  std::string text = "this transaction and others wait for each other; DETAIL:";
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const Txn& next = *circle[(i + 1) % circle.size()];
    text += std::string(i == 0 ? " " : "; ") + "Process " +
            std::to_string(circle[i]->connection->number()) + " waits for a lock of transaction " +
            std::to_string(next.id) + "; blocked by process " +
            std::to_string(next.connection->number()) + ".";
  }
  return {ErrorKind::deadlock, "40P01", 0, std::move(text)};
}

}  // namespace

Engine::Engine(const EngineOptions& options) : options_(options), saboteur_(options.bug) {}
Engine::~Engine() = default;

Plan& Engine::plan_of(const Statement& statement) {
  const auto id = static_cast<std::size_t>(statement.id());
  if (id >= plans_.size()) plans_.resize(id + 1);
  if (!plans_[id]) {
    const Structure& structure = statement.structure();
    plans_[id] = std::make_unique<Plan>(structure, store_.number_of(*structure.table));
  }
  return *plans_[id];
}

Engine::Answer Engine::step(Connection& connection, const Statement& statement,
                            std::span<const Value> parameters) {
  switch (statement.kind()) {
    case StatementKind::begin:
    case StatementKind::commit:
    case StatementKind::rollback:
      return delimit(connection, statement);
    case StatementKind::definition:
      // A DROP leaves the rows to whoever looks at the end; a table that is made is empty.
      if (const Table* const made = statement.structure().table; made != nullptr) {
        if (!active_.empty()) return tl::unexpected(in_use(*made));
        make_empty(store_.table(store_.number_of(*made)));
      }
      return Result();
    case StatementKind::version_log:
      return Result();
    case StatementKind::raw:
      return tl::unexpected(
          Error{ErrorKind::other, "0A000", 0,
                "a simulated database runs statements over tracked tables, not SQL text"});
    case StatementKind::read_row:
    case StatementKind::read_rows:
    case StatementKind::update:
    case StatementKind::insert:
    case StatementKind::insert_if_fewer:
    case StatementKind::erase:
    case StatementKind::lock:
      break;
  }
  return run(connection, statement, parameters);
}

Engine::Answer Engine::delimit(Connection& connection, const Statement& statement) {
  TransactionState& state = connection.state_;
  const StatementKind kind = statement.kind();
  if (kind == StatementKind::begin) {
    if (state.open()) {
      return tl::unexpected(Error{ErrorKind::other, "25001", 0, "a transaction is open already"});
    }
    connection.level_ = level_for(statement.structure().isolation, options_.level);
  }
  std::optional<Error> error;
  if (kind == StatementKind::commit) {
    if (state.failed()) {
      error = TransactionState::commit_refused();
    } else {
      error = commit(connection);
    }
  }
  if (kind == StatementKind::rollback) abort(connection);
  state.ended_well(kind);  // also a COMMIT that fails ends its transaction
  if (error) return tl::unexpected(*std::move(error));
  return Result();
}

Engine::Answer Engine::run(Connection& connection, const Statement& statement,
                           std::span<const Value> parameters) {
  TransactionState& state = connection.state_;
  if (state.failed()) return tl::unexpected(failed_before());
  if (!connection.txn_) {
    begin_txn(connection, state.open() ? connection.level_ : options_.level);
  }
  // Two-phase locking sees the newest when it has its locks, whatever there was when it asked.
  const bool sees_newest = connection.txn_->level == Level::serializable_2pl;
  if (!connection.mid_statement_ || sees_newest) begin_statement(connection);
  connection.waits_ = false;
  connection.txn_->waits_for.clear();
  connection.txn_->intents.clear();
  Outcome outcome = run_statement(connection, statement, parameters);
  if (std::holds_alternative<Waiting>(outcome)) {
    connection.waits_ = true;
    return std::nullopt;
  }
  connection.mid_statement_ = false;
  auto* error = std::get_if<Error>(&outcome);
  std::optional<Error> failure;
  if (error != nullptr) {
    failure = *error;
    abort(connection);
  } else if (!state.open()) {
    failure = commit(connection);
  }
  if (failure) {
    state.ended_badly();
    return tl::unexpected(*std::move(failure));
  }
  return std::get<Result>(std::move(outcome));
}

void Engine::begin_txn(Connection& connection, Level level) {
  connection.txn_ = std::make_shared<Txn>();
  Txn& txn = *connection.txn_;
  txn.id = ++last_txn_;
  txn.level = level;
  txn.connection = &connection;
  active_.push_back(&txn);
  txn.snapshot = last_commit_;
  txn.view = view_now(txn);
  if (level == Level::serializable_ssi) conflicts_.watch(connection.txn_);
  if (options_.keep_log) truth_.txns.push_back({.id = txn.id, .level = level});
}

// What a statement that starts now sees, by the level and the bug.
View Engine::view_now(const Txn& txn) {
  View view{.self = txn.id,
            .uncommitted = txn.level == Level::read_uncommitted,
            .snapshot = last_commit_};
  if (!others_are_active()) return view;
  if (saboteur_.strikes(Bug::stale_snapshot, kStaleSnapshotOnceIn)) {
    const auto back = static_cast<CommitNumber>(saboteur_.below(kStalest)) + 1;
    view.snapshot = std::max<CommitNumber>(0, view.snapshot - back);
    view.uncommitted = false;
  }
  for (const Delayed& delayed : delayed_) {
    if (saboteur_.strikes(Bug::reordered_commit, 2)) view.hidden.push_back(delayed.txn);
  }
  if (!view.hidden.empty()) view.uncommitted = false;
  return view;
}

void Engine::begin_statement(Connection& connection) {
  connection.mid_statement_ = true;
  const Txn& txn = *connection.txn_;
  const bool one_snapshot = txn.level == Level::snapshot || txn.level == Level::serializable_ssi;
  connection.view_ = one_snapshot ? txn.view : view_now(txn);
  connection.right_view_ = {.self = txn.id,
                            .uncommitted = txn.level == Level::read_uncommitted,
                            .snapshot = one_snapshot ? txn.snapshot : last_commit_,
                            .hidden = {}};
}

std::optional<Error> Engine::commit(Connection& connection) {
  if (!connection.txn_) return std::nullopt;
  Txn& txn = *connection.txn_;
  if (txn.level == Level::serializable_ssi && Conflicts::dangerous(txn)) {
    ++truth_.serialization_failures;
    abort(connection);
    return serialization_failure();
  }
  if (others_are_active() && !txn.written.empty() &&
      saboteur_.strikes(Bug::lost_write, kLostWriteOnceIn)) {
    lose_a_write(txn);
  }
  // Also without writes: its end is a moment that other transactions lie before or after.
  txn.ended = ++last_commit_;
  settle_writes(txn, true);
  if (others_are_active() && !txn.written.empty() &&
      saboteur_.strikes(Bug::reordered_commit, kDelayedCommitOnceIn)) {
    const auto delay = static_cast<CommitNumber>(saboteur_.below(kLongestDelay)) + 1;
    delayed_.push_back({txn.id, last_commit_ + delay});
  }
  std::erase_if(delayed_, [this](const Delayed& d) { return d.until <= last_commit_; });
  ++truth_.commits;
  truth_.lost_updates += txn.lost_updates;
  end(connection, Txn::State::committed);
  return std::nullopt;
}

void Engine::abort(Connection& connection) {
  if (!connection.txn_) return;
  Txn& txn = *connection.txn_;
  const bool keep = others_are_active() && !txn.written.empty() &&
                    saboteur_.strikes(Bug::forgotten_abort, kForgottenAbortOnceIn);
  if (keep) {
    saboteur_.bites();
    ++last_commit_;
  }
  txn.ended = last_commit_ + 1;
  settle_writes(txn, keep);
  end(connection, Txn::State::aborted);
}

// Makes the transaction's versions committed, as of the last commit, or removes them.
void Engine::settle_writes(Txn& txn, bool keep) {
  for (const Txn::Written& written : txn.written) {
    std::vector<RowVersion>& versions = written.row->versions;
    if (keep) {
      for (auto v = versions.rbegin(); v != versions.rend() && v->txn == txn.id; ++v) {
        v->committed = last_commit_;
      }
      if (!options_.keep_log) Store::trim(*written.row, oldest_snapshot());
    } else {
      while (!versions.empty() && versions.back().txn == txn.id) versions.pop_back();
      if (versions.empty()) store_.table(written.table).rows.erase(written.row->key);
    }
  }
}

void Engine::lose_a_write(Txn& txn) {
  const Txn::Written& lost = txn.written[saboteur_.below(txn.written.size())];
  std::vector<RowVersion>& versions = lost.row->versions;
  while (!versions.empty() && versions.back().txn == txn.id) versions.pop_back();
  saboteur_.bites();
}

void Engine::end(Connection& connection, Txn::State state) {
  const std::shared_ptr<Txn> txn = std::exchange(connection.txn_, nullptr);
  txn->state = state;
  txn->connection = nullptr;
  connection.waits_ = false;
  connection.mid_statement_ = false;
  if (state == Txn::State::committed) Conflicts::note_commit(*txn);
  active_.erase(std::find(active_.begin(), active_.end(), txn.get()));
  std::vector<TxnId> granted;
  locks_.release(txn->id, granted);
  for (const TxnId id : granted) wake(id);
  for (Txn* const other : active_) {
    const auto found = std::find(other->waits_for.begin(), other->waits_for.end(), txn->id);
    if (found != other->waits_for.end()) wake(other->id);
  }
  if (txn->level == Level::serializable_ssi) conflicts_.forget(oldest_snapshot());
  if (!options_.keep_log) return;
  TrueTxn& logged = truth_.txns[txn->id - 1];
  logged.state = state;
  logged.writer = txn->writer;
  if (state != Txn::State::committed) return;
  logged.committed = txn->ended;
  truth_.commit_order.push_back(txn->id);
}

CommitNumber Engine::oldest_snapshot() const {
  CommitNumber oldest = last_commit_;
  for (const Txn* const txn : active_) oldest = std::min(oldest, txn->snapshot);
  return oldest;
}

Txn* Engine::active(TxnId id) const {
  const auto found =
      std::lower_bound(active_.begin(), active_.end(), id,
                       [](const Txn* txn, TxnId wanted) { return txn->id < wanted; });
  return found != active_.end() && (*found)->id == id ? *found : nullptr;
}

Engine::Outcome Engine::wait(Connection& connection, std::vector<TxnId> predicate_blockers) {
  Txn& txn = *connection.txn_;
  txn.waits_for = std::move(predicate_blockers);
  const std::vector<const Txn*> circle = circle_of(txn);
  if (circle.empty()) return Waiting{};
  ++truth_.deadlocks;
  return deadlock(circle);
}

std::vector<TxnId> Engine::blockers_of(const Txn& txn) const {
  std::vector<TxnId> blockers = txn.waits_for;
  locks_.add_blockers(txn.id, blockers);
  return blockers;
}

// Depth first along who waits for whom. Whoever begins to wait looks, so the circle that he would
// close is the only one there can be.
std::vector<const Txn*> Engine::circle_of(const Txn& txn) {
  ++last_mark_;
  std::vector<const Txn*> way = {&txn};
  std::vector<std::vector<TxnId>> to_try = {blockers_of(txn)};  // one for each step of the way
  while (!way.empty()) {
    if (to_try.back().empty()) {
      to_try.pop_back();
      way.pop_back();
      continue;
    }
    const TxnId id = to_try.back().back();
    to_try.back().pop_back();
    if (id == txn.id) return way;
    Txn* const other = active(id);
    if (other == nullptr || !other->connection->waits_ || other->mark == last_mark_) continue;
    other->mark = last_mark_;
    way.push_back(other);
    to_try.push_back(blockers_of(*other));
  }
  return way;
}

void Engine::wake(TxnId id) {
  Txn* const txn = active(id);
  if (txn == nullptr) return;
  txn->waits_for.clear();
  if (!txn->connection->waits_) return;
  txn->connection->waits_ = false;
  woken_.push_back(txn->connection);
}

std::vector<Connection*> Engine::take_woken() { return std::exchange(woken_, {}); }

void Engine::give_up(Connection& connection) {
  abort(connection);
  connection.state_.ended_badly();
}

void Engine::close(Connection& connection) {
  abort(connection);
  std::erase(woken_, &connection);
}

Truth Engine::truth() const {
  Truth truth = truth_;
  truth.bites = saboteur_.times_bitten();
  return truth;
}

}  // namespace hilsa::simulated
