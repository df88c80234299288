// Puts a History together, transaction by transaction: from attempts as clients record them, or
// from the pieces that a reader finds in a file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/attempt.h"
#include "harness/history/history.h"

namespace hilsa {

// One thread at a time. Transactions are added one after the other: begin_txn() and its operations,
// in either order, then end_txn().
class HistoryBuilder {
 public:
  explicit HistoryBuilder(Form form = Form::stamped);
  // Another form, before there is any object.
  void use_form(Form form) { history_.form = form; }

  // --- what operations refer to; equal things get equal numbers ---
  // The table's number in this history. Tables of one name are one table; columns that a later
  // mention adds are added.
  std::uint32_t table(std::string_view name, std::string_view key,
                      std::span<const std::string> columns);
  // By name, within a table of this history; added when it is new.
  std::uint16_t column(std::uint32_t table, std::string_view name);
  std::uint32_t statement(std::string_view sql);
  ObjectIndex object(std::uint32_t table, Scalar key);
  std::int64_t predicate(BoundPredicate predicate);
  ScalarPool& scalars() { return history_.scalars; }
  HistoryHeader& header() { return history_.header; }
  std::vector<std::string>& notes() { return history_.notes; }

  // --- transactions ---
  struct Txn {
    AttemptId id = 0;
    std::int32_t client = -1;
    TxnFlags flags;
    Nanoseconds begin = 0;  // 0 and 0: not known, and then of no transaction in the history
    Nanoseconds end = 0;
    std::optional<History::TaskNumber> task;
    std::string_view reply;
    std::int64_t session = 0;
    std::optional<Failure> failure;
  };
  TxnIndex begin_txn(const Txn& txn);
  struct Stamp {
    AttemptId writer = 0;
    std::uint32_t statement = kNone;
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
  };
  // Any stamped operation; `object` is a table for a predicate_read. Cells given to add_cell()
  // before belong to it.
  void add(Op op, std::uint32_t object, std::int64_t number, const Stamp& stamp);
  void add_cell(std::uint16_t column, ChangeKind change, Scalar value);
  void add_append(ObjectIndex object, Scalar element);
  // `committed`: only lists that committed transactions have read say anything about the order.
  void add_read_list(ObjectIndex object, std::span<const Scalar> elements, bool committed);
  void add_write_register(ObjectIndex object, Scalar value);
  void add_read_register(ObjectIndex object, Scalar value);
  void end_txn();

  // A whole attempt, as recorded by this process. Its table numbers are those of the header that
  // was given to use_tables() last.
  void use_tables(std::span<const RecordedTable> tables);
  void add(const Attempt& attempt);

  void add_final_row(std::uint32_t table, Scalar key, Version version, AttemptId writer);
  // The final state was read, even if it has no rows.
  void note_final_state() { history_.has_final_state = true; }
  void note_cut_short() { history_.cut_short = true; }
  void note_interrupted() { history_.interrupted = true; }

  std::size_t transactions() const { return history_.txn_id.size(); }
  // The history so far; the builder is empty afterwards.
  History finish();

 private:
  ObjectIndex new_object(std::uint32_t table, Scalar key);
  void add_bare(Op op, std::uint32_t object, std::int64_t number);
  std::uint32_t known_statement(int number, std::string_view sql);
  std::optional<Failure> failure_of(const Attempt& attempt);
  void add_operation(const Operation& operation);
  void add_cells(std::uint32_t table, std::span<const NamedValue> values);

  struct ObjectName {
    std::uint32_t table;
    std::int64_t key_bits;
    friend bool operator==(const ObjectName&, const ObjectName&) = default;
  };
  struct ObjectNameHash {
    std::size_t operator()(const ObjectName& name) const;
  };
  History history_;
  // Objects by table and key: keys that are small whole numbers by place, the others by hash.
  std::vector<std::vector<ObjectIndex>> dense_objects_;
  std::unordered_map<ObjectName, ObjectIndex, ObjectNameHash> objects_;
  std::unordered_map<std::string, std::uint32_t> statements_;
  std::unordered_multimap<std::size_t, std::int64_t> predicates_;  // by hash
  std::vector<std::uint32_t> used_tables_;
  // Of the statements of this process, by id: their numbers here.
  std::vector<std::uint32_t> known_statements_;
};

}  // namespace hilsa
