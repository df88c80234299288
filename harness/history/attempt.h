// The record's atoms: an Operation (one statement's effect on tracked rows) and an Attempt (one try
// at a task, the unit that checkers judge). Plain data; no SQL, threads or clocks below this line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/clock.h"
#include "harness/history/error.h"
#include "harness/history/predicate.h"
#include "harness/history/value.h"

namespace hilsa {

// A row's version: 1, 2, 3 … as the database counted them; 0 means "this row did not exist".
using Version = std::int64_t;
inline constexpr Version kUnborn = 0;
// A write whose new version was not learned (its attempt broke off first).
inline constexpr Version kVersionUnknown = -1;

// The id of an attempt, unique within an invocation of the tool; 0 stands for "nobody known".
using AttemptId = std::int64_t;

// How a write changed a column: `set` to the value, or by it; `append` puts `,` (unless the text
// was empty) and the value behind a text. A row's full values in each version follow from its
// insert and the changes, in the order of versions.
enum class ChangeKind { set, add, subtract, append };
struct Change {
  std::string_view column;
  ChangeKind kind = ChangeKind::set;
  Value value;

  friend bool operator==(const Change&, const Change&) = default;
};

// erase: the row is gone; its version, one above the last, closes it.
enum class OperationKind { read, write, insert, erase, predicate_read };

// One row that a predicate read returned.
struct SeenRow {
  std::int64_t key = 0;
  Version version = kUnborn;
  AttemptId writer = 0;
  std::vector<NamedValue> values;
};

struct Operation {
  OperationKind kind = OperationKind::read;
  int statement = -1;    // id of the Statement it came from
  std::string_view sql;  // that statement's SQL; storage belongs to the Statement
  int table = 0;         // index into the history header's tables
  std::int64_t key = 0;
  Version version = kUnborn;          // the version read, or the version made
  AttemptId writer = 0;               // reads: who wrote that version (0: not asked)
  std::vector<NamedValue> values;     // reads, inserts
  std::vector<Change> changes;        // write only
  std::vector<Comparison> predicate;  // predicate_read only
  std::vector<SeenRow> rows;          // predicate_read only
  Nanoseconds begin_ns = 0;           // statement sent
  Nanoseconds end_ns = 0;             // answer received
};

// The statement whose error ended an attempt.
struct FailedStatement {
  int statement = -1;               // as in Operation
  std::string_view sql;             // likewise
  int table = -1;                   // index into the header's tables; -1: none, or several
  std::optional<std::int64_t> key;  // of the one row of it that was meant
  Nanoseconds begin_ns = 0;
  Nanoseconds end_ns = 0;
};

// What became of the attempt in the database. `unknown`: COMMIT was sent and never answered.
enum class AttemptOutcome { committed, aborted, unknown };
std::string_view name_of(AttemptOutcome outcome);

// How a task ended, from the business's point of view.
enum class TaskEnd {
  done,
  refused,  // the business said no, for example "sold out"
  gave_up,  // every allowed attempt failed with an error that a retry may heal
  failed,   // an error that no retry helps
  unknown,  // the last COMMIT was never answered
};
inline constexpr std::size_t kTaskEndCount = static_cast<std::size_t>(TaskEnd::unknown) + 1;
std::string_view name_of(TaskEnd end);

struct Attempt {
  AttemptId id = 0;
  int client = 0;  // 1 … clients; 0 is the tool itself, setting up
  int trial = 0;
  std::int64_t task = 0;  // numbered per client and trial, from 0
  int try_number = 1;     // 1 is the first try at its task
  // One database transaction holds all of it; false: every statement committed by itself.
  bool one_transaction = true;
  // The server's number for the connection that it ran on (Session::server_id); 0: not known.
  std::int64_t session = 0;
  AttemptOutcome outcome = AttemptOutcome::aborted;
  std::string reply;  // what the business logic said: `done`, `sold out`, `version conflict` …
  std::optional<Error> error;
  // If the error is a statement's: not that of a COMMIT or a write that was never answered.
  std::optional<FailedStatement> failed;
  std::vector<Operation> operations;
  Nanoseconds begin_ns = 0;
  Nanoseconds end_ns = 0;
};

}  // namespace hilsa
