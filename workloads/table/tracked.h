// Statements over tracked tables. A tracked table carries two more columns, `_version` (1, 2, 3 … a
// row, counted by the database in the statement that writes the row) and `_writer` (the attempt
// that wrote it); every read returns both and every write says which version it made. That is how a
// history knows who read whose version, without asking the server for anything else.
//
// Each function below makes one Statement, with the structure for those who record, schedule or
// simulate it, and with its SQL for every product. Make them once, as constants.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "harness/database/statement.h"

namespace hilsa {

inline Parameter param(int index) { return {index}; }

// Conditions and assignments, to read as a sentence: where `at_least("stock", param(1))`.
Condition equal(std::string_view column, Operand operand);
Condition less(std::string_view column, Operand operand);
Condition at_most(std::string_view column, Operand operand);
Condition at_least(std::string_view column, Operand operand);
Assignment set(std::string_view column, Operand operand);
Assignment add(std::string_view column, Operand operand);
Assignment subtract(std::string_view column, Operand operand);
// To a text: a comma, unless it is empty, and the operand, which is a text that holds no comma.
Assignment append(std::string_view column, Operand operand);

using Columns = std::initializer_list<std::string_view>;
using Conditions = std::vector<Condition>;
using Assignments = std::vector<Assignment>;

// One row by its key, which is parameter 0. A lock leaves out the products that cannot lock rows.
Statement read_row(const Table& table, Columns columns, Lock lock = Lock::none);
// All rows that meet every condition.
Statement read_rows(const Table& table, Columns columns, Conditions conditions,
                    Lock lock = Lock::none);
// At most `limit` rows that meet every condition, those with the lowest keys first. Beware: with a
// lock, PostgreSQL at read committed leaves out a row that has changed by the time it is locked,
// and does not see rows that have come meanwhile, so that it may find fewer than there are.
Statement read_first_rows(const Table& table, Columns columns, Conditions conditions, int limit,
                          Lock lock = Lock::none);
// The row whose key is parameter 0, if it also meets the guard.
Statement update_row(const Table& table, Assignments assignments, Conditions guard = {});
// Every row that meets the conditions.
Statement update_rows(const Table& table, Assignments assignments, Conditions conditions);
// One row; the parameters are its columns in the table's order.
Statement insert_row(const Table& table);
// One row, if fewer than `limit` rows of its table meet the conditions: INSERT … SELECT … WHERE
// (SELECT COUNT(*) …) < limit, one statement. The first parameters are its columns in the table's
// order.
Statement insert_row_if_fewer(const Table& table, Conditions counted, Operand limit);
// The row whose key is parameter 0, if it also meets the guard. Its key must never be used again.
Statement erase_row(const Table& table, Conditions guard = {});
// Every row that meets the conditions.
Statement erase_rows(const Table& table, Conditions conditions);

// Every parameter that statements over tracked tables take, plus one: the id of the attempt that
// writes. It stands behind the others.
int attempt_parameter(const Structure& structure);

// CREATE TABLE and its indexes; DROP TABLE.
std::vector<Statement> create_table(const Table& table);
Statement drop_table(const Table& table);

// The rows of a table as they are, by key, at most `limit` at a time. Parameters: the key after
// which to go on; the first and the last attempt id whose rows are wanted.
Statement final_rows(const Table& table, int limit);

// A lock on a name rather than a row. Where the server ties it to the session and not to the
// transaction, `release` has a rendering and must run after the transaction's end.
struct NamedLock {
  Statement take;     // gives one row with 1 when granted
  Statement release;  // no rendering: the transaction's end releases
};
// One lock for every value of parameter 0. Where the server lets a session wait for it without
// limit of its own, the wait is at most 10 s.
NamedLock advisory_lock(const Table& table);

}  // namespace hilsa
