// Operations and dependencies in words. Whatever comes from a file or a database is made printable
// on the way, and shortened where it is long.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "checkers/row_values.h"
#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

class Phrases {
 public:
  // `mentioned`: the operations that will be talked about. The history outlives this.
  Phrases(const History& history, std::span<const OpIndex> mentioned)
      : history_(history), rows_(history, mentioned) {}

  std::string txn(TxnIndex txn) const { return history_.txn_name(txn); }
  std::string object(ObjectIndex object) const;  // `products/1`

  // `read version 3 of products/1 (stock 1)`, `appended 8 to 255`, `wrote x = 3`.
  std::string did(OpIndex op) const;
  // With its transaction in front: `T12 read …`.
  std::string who_did(OpIndex op) const;
  // What follows "then" of another write of the same object: `wrote version 4 (stock 0)`.
  std::string then_did(OpIndex op) const;
  // `products where stock > 0`
  std::string predicate(OpIndex predicate_read) const;
  // What the operation saw or left behind: `stock 1, revision 0`; may be empty.
  std::string values(OpIndex op) const;
  // A list, or a register's value, as it was read or written: `[1 2 3]`, `nil`.
  std::string content(OpIndex op) const;
  // As Elle writes it: `[:append 255 8]`. Lists and registers only.
  std::string micro_operation(OpIndex op) const;
  // How many rows a predicate read returned.
  std::int64_t rows_seen(OpIndex predicate_read) const;

  // Two or more things that happened, as one sentence without a full stop.
  std::string sentence(const EvidenceEdge& edge) const;

 private:
  std::string scalar(Scalar scalar) const;
  std::string column(std::uint32_t table, std::uint16_t place) const;
  std::string register_name(OpIndex op) const;
  std::string in_brackets(OpIndex op) const;
  std::string asked(OpIndex predicate_read) const;
  bool returned(OpIndex predicate_read, ObjectIndex object) const;
  std::string effect_on(OpIndex predicate_read, OpIndex write) const;
  std::string write_then_read(OpIndex write, OpIndex read) const;
  std::string read_then_write(OpIndex read, OpIndex write) const;
  std::string write_then_query(OpIndex write, OpIndex predicate_read, ObjectIndex object) const;
  std::string order_sentence(const EvidenceEdge& edge) const;

  const History& history_;
  RowValues rows_;
};

// Whether the operation exists in the history.
inline bool is_known(const History& history, OpIndex op) { return op < history.operations(); }
// Whether its times are measured, not only places in an order: files from elsewhere may number
// their events, and no database runs a transaction in 10 ns. O(transactions).
bool has_durations(const History& history);
bool is_read(Op op);
bool is_write(Op op);
// The object of an operation; kNone of a predicate read.
ObjectIndex object_of(const History& history, OpIndex op);

}  // namespace hilsa
