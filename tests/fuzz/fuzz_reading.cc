#include "tests/fuzz/fuzz_reading.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/history/readers/export.h"
#include "harness/history/readers/read_history.h"

namespace hilsa {
namespace {

void demand(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << "\n";
  std::abort();
}

template <typename T>
void demand_length(const std::vector<T>& column, std::size_t length, std::string_view what) {
  demand(column.empty() || column.size() == length, what);
}

void check_lengths(const History& history) {
  const std::size_t txns = history.transactions();
  demand(history.txn_client.size() == txns, "a client for each transaction");
  demand(history.txn_flags.size() == txns, "flags for each transaction");
  demand(history.txn_first_op.size() == txns + 1, "one more first operation than transactions");
  demand(history.txn_first_op.front() == 0, "the first operation is the first transaction's");
  demand(std::is_sorted(history.txn_first_op.begin(), history.txn_first_op.end()),
         "operations in the order of transactions");
  demand_length(history.txn_begin, txns, "begins");
  demand_length(history.txn_end, txns, "ends");
  demand_length(history.txn_task, txns, "tasks");
  demand_length(history.txn_reply, txns, "replies");
  const std::size_t operations = history.txn_first_op.back();
  demand(history.op_kind.size() == operations, "a kind for each operation");
  demand(history.op_object.size() == operations, "an object for each operation");
  demand(history.op_number.size() == operations, "a number for each operation");
  demand_length(history.op_writer, operations, "writers");
  demand_length(history.op_statement, operations, "statements");
  demand_length(history.op_begin, operations, "begins of operations");
  demand_length(history.op_first_cell, operations + 1, "cells");
  demand(history.object_table.size() == history.objects(), "a table for each object");
}

void check_operations(const History& history) {
  for (OpIndex op = 0; op < history.operations(); ++op) {
    const std::int64_t number = history.op_number[op];
    const std::uint32_t object = history.op_object[op];
    if (history.op_kind[op] == Op::predicate_read) {
      demand(object < history.header.tables.size(), "a table that is there");
      demand(number >= 0 && static_cast<std::size_t>(number) < history.predicates.size(),
             "a predicate that is there");
      continue;
    }
    demand(object < history.objects(), "an object that is there");
    demand(!history.object_name(object).empty() || history.form != Form::stamped, "a name");
    if (history.op_kind[op] == Op::read_list) {
      const std::size_t list = number < 0 ? static_cast<std::size_t>(-1 - number) : 0;
      demand(number >= 0 ? static_cast<std::size_t>(number) <= history.longest_list[object].size()
                         : list < history.deviant_lists.size(),
             "a list that is there");
    }
    for (const Cell& cell : history.cells_of(op)) {
      const auto& table = history.header.tables[history.object_table[object]];
      demand(cell.column < table.columns.size(), "a column that is there");
    }
  }
}

void check_names(const History& history) {
  std::vector<AttemptId> ids = history.txn_id;
  std::sort(ids.begin(), ids.end());
  demand(ids.empty() || ids.front() > 0, "names above 0");
  demand(std::adjacent_find(ids.begin(), ids.end()) == ids.end(), "each name once");
}

// What EDN keeps: of transactions that did not commit, only the writes.
std::size_t exportable_operations(const History& history) {
  std::size_t count = 0;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    const bool committed = history.txn_flags[txn].outcome == AttemptOutcome::committed;
    for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) {
      const Op kind = history.op_kind[op];
      if (committed || kind == Op::append || kind == Op::write_register) ++count;
    }
  }
  return count;
}

void check_export(const History& history) {
  std::ostringstream exported;
  try {
    export_edn(history, exported);
  } catch (const NotExportable&) {
    return;
  }
  if (history.form == Form::stamped) return;
  const History again = read_history_text("exported", exported.str(), {.form = history.form});
  demand(again.transactions() == history.transactions(), "as many transactions once exported");
  demand(again.operations() == exportable_operations(history), "as many operations once exported");
}

}  // namespace

void fuzz_reading(std::string_view start, const std::uint8_t* bytes, std::size_t size) {
  std::string text(start);
  text.append(reinterpret_cast<const char*>(bytes), size);
  try {
    const History history = read_history_text("fuzz", text);
    check_lengths(history);
    check_operations(history);
    check_names(history);
    check_export(history);
  } catch (const HistoryUnreadable& error) {
    demand(std::string_view(error.what()).find("fuzz:") == 0, "an error that names its file");
  }
}

}  // namespace hilsa
