// What a strategy's body works with: tracked reads and writes that read like application code. It
// runs each statement on the session, records what the statement saw and made, and leaves the body
// by an AttemptFailed when the database says no; retries, timing and faults are elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "harness/database/session.h"
#include "harness/history/attempt.h"
#include "workloads/table/tracked.h"

namespace hilsa {

// Thrown through a strategy's body and caught by whoever runs attempts; never further.
struct AttemptFailed {
  Error error;
};

// A row that a statement returned.
class Row {
 public:
  Row(std::int64_t key, std::vector<NamedValue> values, Version version)
      : key_(key), values_(std::move(values)), version_(version) {}
  std::int64_t key() const { return key_; }
  // A whole-number column. The column must have been asked for.
  std::int64_t operator[](std::string_view column) const;
  Version version() const { return version_; }

 private:
  std::int64_t key_;
  std::vector<NamedValue> values_;
  Version version_;
};

// A tracked read's row, as the product gives it: key, the columns asked for, version, writer.
SeenRow seen_row(const Structure& read, const std::vector<Value>& row);

// Which number a table has in the history's header. Tables are few: a linear search.
int table_number(const std::vector<const Table*>& tables, const Table* table);

// A key that one attempt makes up, out of its own and nobody else's: `number` is 0 …
// kKeysPerAttempt - 1.
inline constexpr std::int64_t kKeysPerAttempt = 1000;
inline std::int64_t made_up_key(AttemptId attempt, std::int64_t number) {
  return attempt * kKeysPerAttempt + number;
}

class Transaction {
 public:
  struct Setting {
    Product product = Product::sqlite;
    const std::vector<const Table*>* tables = nullptr;  // the workload's; outlives the transaction
    std::chrono::nanoseconds think{0};
    std::stop_token stop;
  };

  // `attempt` gets the operations; both must outlive this. One thread.
  Transaction(Session& session, const Setting& setting, Attempt& attempt)
      : session_(session), setting_(setting), attempt_(attempt) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // --- for strategy bodies ---
  using Parameters = std::initializer_list<Value>;

  // The row with this key; nothing when there is none.
  std::optional<Row> find(const Statement& statement, Parameters parameters);
  // The row with this key, which must exist.
  Row read(const Statement& statement, Parameters parameters);
  // A search that may leave rows out (a limit, SKIP LOCKED) is recorded as reads of the rows that
  // it returned, one by one, and not at all when it returned none: it says nothing of any other.
  std::vector<Row> select(const Statement& statement, Parameters parameters);
  // How many rows were written.
  std::int64_t update(const Statement& statement, Parameters parameters);
  void insert(const Statement& statement, Parameters parameters);
  // Of insert_row_if_fewer(): whether it inserted. What it counted is recorded as a predicate read
  // where the product tells it (CountedRows), else nothing is said of it.
  bool insert_if_fewer(const Statement& statement, Parameters parameters);
  // How many rows were deleted.
  std::int64_t erase(const Statement& statement, Parameters parameters);
  // Held until the transaction has ended.
  void lock(const NamedLock& lock, Parameters parameters);
  // What the application does meanwhile, for example a slow payment call: --think of time.
  void think();
  // The application dies in mid-attempt: no further statement, also no ROLLBACK, and its connection
  // is cut. Nobody takes the task up again.
  [[noreturn]] void crash();
  // A key that no other attempt uses: for rows whose key the application makes up. A table has
  // either such keys or those of made_up_key().
  std::int64_t new_key() const { return attempt_.id; }
  AttemptId attempt() const { return attempt_.id; }

  // --- for whoever runs attempts ---
  void run(const Statement& statement);  // BEGIN, COMMIT
  // After the transaction's end, whichever it was: rolls back what is still open when
  // `roll_back_first`, gives back locks, asks for the versions that the product could not return.
  // After a crash it leaves the session alone.
  void settle(bool roll_back_first);
  bool wrote() const { return wrote_; }
  bool crashed() const { return crashed_; }  // the session is to be cut

 private:
  // Adds the writer's id behind the parameters of a write.
  Expected<Result> execute(const Statement& statement, Parameters parameters);
  void note_failure(const Statement& statement);
  Result must_execute(const Statement& statement, Parameters parameters);
  Operation new_operation(OperationKind kind, const Statement& statement) const;
  std::int64_t write(const Statement& statement, Parameters parameters);
  void record_write(const Statement& statement, const Result& result);
  void record_insert(const Statement& statement);
  bool record_count(const Statement& statement, const Result& result);
  void learn_from_logs();
  void learn_versions(std::string_view log);
  void learn_counts(std::string_view log);
  void record_read(const Statement& statement, const SeenRow& seen);
  void forget_searches_without_rows();

  Session& session_;
  const Setting& setting_;
  Attempt& attempt_;
  std::vector<Value> parameters_;  // of the statement that ran last
  Nanoseconds begin_ns_ = 0;       // of the statement that ran last
  Nanoseconds end_ns_ = 0;         // likewise
  bool has_begun_ = false;
  struct HeldLock {
    const Statement* release;
    std::vector<Value> parameters;
  };
  std::vector<HeldLock> held_locks_;
  // A predicate read whose rows are in the session's log: CountedRows::logged.
  struct Count {
    std::size_t operation;
    std::int64_t new_key;  // of the row that was to be inserted
    std::int64_t limit;
    bool inserted;
    bool learned = false;
  };
  std::vector<Count> counts_;
  bool wrote_ = false;
  bool crashed_ = false;
  bool versions_logged_ = false;  // the session's version log is not empty
};

}  // namespace hilsa
