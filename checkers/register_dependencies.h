// Registers that are written with unique values (Elle's rw-register, the research checkers' text
// form): who read whose value is certain, the order of writes only in part.
#pragma once

#include "checkers/checker.h"
#include "checkers/dependencies.h"
#include "checkers/versions.h"
#include "harness/history/history.h"

namespace hilsa {

// For each register its writers in no order, and who read what. A transaction's version of a
// register is the last value that it wrote; reading an earlier one counts as reading that version
// (and is an intermediate read).
struct RegisterWrites {
  struct Writer {
    TxnIndex txn = kNone;
    OpIndex op = kNone;
    std::vector<TxnIndex> readers;  // others
  };
  std::vector<std::vector<Writer>> writers;        // by object, in the order of transactions
  std::vector<std::vector<TxnIndex>> nil_readers;  // by object: read the state before all writes
  // By object: pairs (earlier, later) of places in `writers` whose order is certain.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> certain;
  // A transaction that saw U's write of one register, and W's of another that U has written as
  // well: it saw all of U only if U's write of that comes before W's. Edges from U to W: those that
  // read atomic demands, and of them those that monotonic atomic view does (it saw U first).
  std::vector<Edge> demanded_by_read_atomic;
  std::vector<Edge> demanded_by_monotonic_view;
};

// Fills `versions.counted`; registers have no places.
RegisterWrites register_writes(const History& history, Expectation::Assume assume,
                               Versions& versions, Findings& findings);

// wr, the rw of those who read the state before all writes, and ww and rw by the certain orders.
void add_register_dependencies(const RegisterWrites& writes, Dependencies& found);

// A choice for every two writers of a register whose order is not certain. How many edges that
// takes is told without making them, so that a caller can do without.
std::int64_t edges_of_register_choices(const RegisterWrites& writes);
void add_register_choices(const RegisterWrites& writes, Dependencies& found);

// The edges of one order of all writes: by the transactions' ranks.
std::vector<Edge> edges_by_rank(const RegisterWrites& writes,
                                const std::vector<std::uint32_t>& rank);

}  // namespace hilsa
