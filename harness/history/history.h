// A whole history in memory, for checkers: columns instead of objects, everything that repeats
// (objects, statements, predicates, texts) kept once. 13 bytes an operation for the barest
// histories; with stamps, values, times and statements some 60.
//
// One kind of history at a time (Form): rows that carry stamps, or lists and registers from
// elsewhere, whose versions have to be inferred. A HistoryBuilder makes it; nothing changes it
// afterwards, so any number of threads may read it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/attempt.h"
#include "harness/history/history_writer.h"
#include "harness/history/predicate.h"
#include "harness/history/scalar.h"

namespace hilsa {

using TxnIndex = std::uint32_t;  // position of a transaction (attempt) in the history
using OpIndex = std::uint32_t;   // position of an operation; those of one transaction are adjacent
using ObjectIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

enum class Form {
  stamped,   // rows with versions and writers
  lists,     // Elle's list-append
  registers  // Elle's rw-register, and the text form of the research checkers
};
std::string_view name_of(Form form);  // stamped, list-append, rw-register

// What one entry of the operation columns is. What `number` holds depends on it.
enum class Op : std::uint8_t {
  read,            // stamped: number = version (kUnborn: no such row; kVersionUnknown)
  write,           // stamped: number = version made, or kVersionUnknown
  insert,          // stamped: number = version made
  erase,           // stamped: number = version made, which is the row's last: it is gone
  predicate_read,  // object = table; number = predicate. Its rows follow as seen_row
  seen_row,        // as read; belongs to the predicate_read before it
  append,          // lists: number = the element, a Scalar's bits
  read_list,       // lists: number = how many elements of the object's list it saw, from the start;
                   // below 0: it saw deviant list -1 - number
  write_register,  // number = the value, a Scalar's bits
  read_register,   // number = the value, a Scalar's bits; null is the state before all writes
};
inline bool is_stamped_write(Op op) {
  return op == Op::write || op == Op::insert || op == Op::erase;
}

struct TxnFlags {
  AttemptOutcome outcome = AttemptOutcome::committed;
  bool one_transaction = true;
};

// One column of one operation: what was read or inserted, or how a write changed it.
struct Cell {
  std::uint16_t column = 0;  // place among the table's columns
  ChangeKind change = ChangeKind::set;
  Scalar value;
};

// A predicate, with columns by place. Interned: equal ones have one number.
struct BoundComparison {
  std::uint16_t column = 0;
  Comparator comparator = Comparator::equal;
  Scalar value;
  friend bool operator==(const BoundComparison&, const BoundComparison&) = default;
};
struct BoundPredicate {
  std::uint32_t table = 0;
  std::vector<BoundComparison> comparisons;  // all of them must hold
  friend bool operator==(const BoundPredicate&, const BoundPredicate&) = default;
};

struct FinalRow {
  ObjectIndex object = kNone;
  Version version = kUnborn;
  AttemptId writer = 0;
};

// How an attempt failed, and at which statement, as far as that is known.
struct Failure {
  ErrorKind kind = ErrorKind::other;
  std::uint32_t statement = kNone;  // index into statements
  ObjectIndex object = kNone;       // the one row that was meant
  Nanoseconds begin = 0;            // statement sent; 0 and 0: not known
  Nanoseconds end = 0;              // error received

  bool has_times() const { return begin != 0 || end != 0; }
};
struct FailedTxn {
  TxnIndex txn = kNone;
  Failure failure;
};

// Column vectors marked (optional) are either as long as the others of their group or empty.
struct History {
  Form form = Form::stamped;
  HistoryHeader header;            // what is known of it; tables in any case
  bool cut_short = false;          // a file without its end: good up to where it breaks off
  bool interrupted = false;        // its user stopped the run
  std::vector<std::string> notes;  // what its reader wants a person to know, in words

  // --- transactions, in the order of their ends (files from elsewhere: of their completions) ---
  std::vector<AttemptId> txn_id;
  std::vector<std::int32_t> txn_client;  // 0: set-up. Below 0: the history does not say
  std::vector<TxnFlags> txn_flags;
  std::vector<Nanoseconds> txn_begin;  // (optional) only differences and order mean anything
  std::vector<Nanoseconds> txn_end;    // (optional)
  bool times_are_places = false;       // they are no nanoseconds, but places among a file's events
  std::vector<OpIndex> txn_first_op;   // one more than transactions: ends with the number of ops
  struct TaskNumber {
    std::int32_t trial = 0;
    std::int32_t task = 0;
    std::int32_t try_number = 1;
  };
  std::vector<TaskNumber> txn_task;      // (optional)
  std::vector<std::uint32_t> txn_reply;  // (optional) a text: what the business logic or error said
  std::vector<std::int64_t> txn_session;  // (optional) the server's number for it; 0: not known
  std::vector<FailedTxn> failed;          // those that an error ended, ascending

  // --- operations, in program order within a transaction ---
  std::vector<Op> op_kind;
  std::vector<std::uint32_t> op_object;      // an object; of a predicate_read: a table
  std::vector<std::int64_t> op_number;       // see Op
  std::vector<AttemptId> op_writer;          // (optional) stamped reads: who wrote it; 0: not asked
  std::vector<std::uint32_t> op_first_cell;  // (optional) one more than operations
  std::vector<std::uint32_t> op_statement;   // (optional) index into statements, or kNone
  std::vector<Nanoseconds> op_begin;         // (optional)
  std::vector<Nanoseconds> op_end;           // (optional)

  // --- what operations refer to ---
  std::vector<Cell> cells;
  std::vector<std::string> statements;  // SQL, each once
  std::vector<BoundPredicate> predicates;
  ScalarPool scalars;
  std::vector<std::uint32_t> object_table;  // lists and registers: 0
  std::vector<Scalar> object_key;
  // Lists only: for every object the longest list that a committed read has seen, of which all
  // others that are not deviant are prefixes.
  std::vector<std::vector<Scalar>> longest_list;
  std::vector<std::vector<Scalar>> deviant_lists;  // in the order of their reads
  std::vector<FinalRow> final_rows;
  bool has_final_state = false;

  std::size_t transactions() const { return txn_id.size(); }
  std::size_t operations() const { return op_kind.size(); }
  std::size_t objects() const { return object_key.size(); }
  bool has_times() const { return !txn_begin.empty(); }
  OpIndex first_op(TxnIndex txn) const { return txn_first_op[txn]; }
  OpIndex end_op(TxnIndex txn) const { return txn_first_op[txn + 1]; }
  std::span<const Cell> cells_of(OpIndex op) const;
  // Who the operation belongs to: O(log transactions).
  TxnIndex txn_of(OpIndex op) const;
  // `products/1`; lists and registers: the key as it stands in their file.
  std::string object_name(ObjectIndex object) const;
  // How it failed; null: it did not, or nothing is known of it. O(log transactions).
  const Failure* failure_of(TxnIndex txn) const;
  // What was said at its end; may be empty.
  std::string_view reply_of(TxnIndex txn) const;
  // `T12`: transactions are called by their id.
  std::string txn_name(TxnIndex txn) const;
};

}  // namespace hilsa
