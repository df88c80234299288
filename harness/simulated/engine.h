// The simulated database itself: a state machine without threads, clocks or SQL. It runs tracked
// statements by their structure, one step at a time; a statement that has to wait says so and is
// tried again later. Multi-version rows, locks with queues, predicate locks, deadlock detection,
// five isolation levels, six bugs.
//
// One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/database/session.h"
#include "harness/database/transaction_state.h"
#include "harness/simulated/conflicts.h"
#include "harness/simulated/locks.h"
#include "harness/simulated/saboteur.h"
#include "harness/simulated/truth.h"
#include "harness/simulated/txn.h"

namespace hilsa::simulated {

struct EngineOptions {
  Level level = Level::serializable_ssi;
  Bug bug = Bug::none;
  bool keep_log = false;  // for Truth; memory grows with every statement
};

// A session, as the engine sees it.
class Connection {
 public:
  // `number`: what it is called in what is said of deadlocks.
  Connection() = default;
  explicit Connection(std::int64_t number) : number_(number) {}

  // A statement waits for a lock: to try it before this is false would change nothing.
  bool waits() const { return waits_; }
  std::int64_t number() const { return number_; }

 private:
  friend class Engine;
  std::int64_t number_ = 0;
  TransactionState state_;
  Level level_ = Level::serializable_ssi;  // of the open transaction
  std::shared_ptr<Txn> txn_;               // null outside transactions, and after an error in one
  bool waits_ = false;
  bool mid_statement_ = false;
  View view_;        // of the statement at work
  View right_view_;  // what that would be without bugs
};

class Engine {
 public:
  explicit Engine(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void seed(std::uint64_t seed) { saboteur_.seed(seed); }

  // Nothing while the statement waits: try the same one again when the connection waits no more, or
  // give it up. Errors as in Session.
  using Answer = std::optional<Expected<Result>>;
  Answer step(Connection& connection, const Statement& statement,
              std::span<const Value> parameters);
  // The statement that waits fails with its transaction.
  void give_up(Connection& connection);
  // The session's end: rolls back what is open.
  void close(Connection& connection);
  // Connections that wait no more, since this was last asked.
  std::vector<Connection*> take_woken();

  // Without the rows' versions; see Store.
  Truth truth() const;
  const Store& store() const { return store_; }

 private:
  // How a statement ends: with a result, with an error, or not yet.
  struct Waiting {};
  using Outcome = std::variant<Result, Error, Waiting>;

  // --- transactions (engine.cc) ---
  Answer delimit(Connection& connection, const Statement& statement);
  Answer run(Connection& connection, const Statement& statement, std::span<const Value> parameters);
  void begin_txn(Connection& connection, Level level);
  void begin_statement(Connection& connection);
  View view_now(const Txn& txn);
  std::optional<Error> commit(Connection& connection);
  void abort(Connection& connection);
  void end(Connection& connection, Txn::State state);
  void settle_writes(Txn& txn, bool keep);
  void lose_a_write(Txn& txn);
  // Which version each row was seen in matters, of rows that do not meet the conditions as well.
  bool notes_what_is_seen() const { return options_.keep_log || saboteur_.bug() != Bug::none; }
  bool others_are_active() const { return active_.size() > 1; }
  CommitNumber oldest_snapshot() const;
  Plan& plan_of(const Statement& statement);

  // --- waiting (engine.cc) ---
  // Waiting, or a deadlock if that would close a circle.
  Outcome wait(Connection& connection, std::vector<TxnId> predicate_blockers);
  // The transactions that wait in a circle, from `txn` on, each for the next; empty: in none.
  std::vector<const Txn*> circle_of(const Txn& txn);
  std::vector<TxnId> blockers_of(const Txn& txn) const;
  void wake(TxnId txn);
  Txn* active(TxnId id) const;

  // --- statements (statements.cc) ---
  struct Work;
  Outcome run_statement(Connection& connection, const Statement& statement,
                        std::span<const Value> parameters);
  Outcome take_named_lock(Connection& connection, TableNumber table, const Value& name);
  Outcome read(Work& work);
  Outcome write(Work& work);
  Outcome insert(Work& work);
  Outcome insert_if_fewer(Work& work);
  void find_rows(Work& work);
  const RowVersion* look(Work& work, const Row& row);
  // Each of these: nothing if the statement may go on.
  std::optional<Outcome> lock_rows(Work& work, bool for_update);
  std::optional<Outcome> look_again(Work& work);
  std::optional<Outcome> lock_enough_rows(Work& work);
  std::optional<Outcome> read_predicate(Work& work);
  std::optional<Outcome> lock_unique_values(Work& work);
  std::optional<Outcome> may_write(Work& work);
  std::optional<Outcome> make_writes(Work& work);
  std::vector<Predicate> predicates_to_watch(Work& work);
  bool is_stale(const Work& work, const RowVersion* seen, const Row& row) const;
  // Once a statement, when nothing keeps it from its end any more.
  void note_what_it_saw(const Work& work);
  void log_rows_alone(const Work& work);
  void note_missed_phantoms(const Txn& writer, const Image& image);
  std::optional<Error> put_in_indexes(const Image& image, std::int64_t key);

  EngineOptions options_;
  Saboteur saboteur_;
  Store store_;
  Locks locks_;
  Conflicts conflicts_;
  std::vector<std::unique_ptr<Plan>> plans_;  // by statement id
  std::vector<Txn*> active_;                  // in the order of their ids
  std::vector<Connection*> woken_;
  TxnId last_txn_ = 0;
  std::uint32_t last_mark_ = 0;
  CommitNumber last_commit_ = 0;
  struct Delayed {
    TxnId txn;
    CommitNumber until;
  };
  std::vector<Delayed> delayed_;  // Bug::reordered_commit
  Truth truth_;
};

}  // namespace hilsa::simulated
