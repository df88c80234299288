// A Statement: what is to be done, in structured form, and how each product's SQL says it. It is
// made once, is immutable, and is run many times with different parameters by any number of
// sessions; sessions prepare it on first use and remember it by its id.
//
// Recorders and schedulers use the structure; drivers use only kind and SQL; the simulated database
// runs the structure alone, and has SQL for the record only.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/database/isolation.h"
#include "harness/history/attempt.h"
#include "harness/history/predicate.h"
#include "harness/history/value.h"

namespace hilsa {

struct Column {
  enum class Type { integer, text };
  std::string_view name;
  Type type = Type::integer;
};

// A table that a workload makes and uses. Its first column is its key, a whole number that is never
// used for a second row. Tables are constants: statements keep references to them.
struct Table {
  std::string_view name;
  std::vector<Column> columns;
  std::string_view check;  // an SQL condition on every row, or empty
  // What has an index of its own: a column, or several: `queue, state`.
  std::vector<std::string_view> indexed;
  std::vector<std::string_view> unique;  // whole-number columns with a UNIQUE index of their own

  std::string_view key() const { return columns.front().name; }
};

// Position of a value among the parameters of one execution, from 0.
struct Parameter {
  int index = 0;
};
using Operand = std::variant<Parameter, Value>;

struct Condition {
  std::string_view column;
  Comparator comparator = Comparator::equal;
  Operand operand;
};

struct Assignment {
  std::string_view column;
  ChangeKind change = ChangeKind::set;
  Operand operand;
};

// update_skip_locked: for update, but of the rows that nobody else has locked; the others are as if
// they were not there.
enum class Lock { none, share, update, update_skip_locked };

enum class StatementKind {
  begin,
  commit,
  rollback,
  read_row,         // at most one row, by its key
  read_rows,        // all rows that meet the conditions
  update,           // of the rows that meet the conditions
  insert,           // of one row
  insert_if_fewer,  // of one row, if fewer than so many others meet the conditions
  erase,            // of the rows that meet the conditions
  version_log,      // MySQL, MariaDB: which row versions this session has made since it last asked
  lock,             // of a name, not of a row
  definition,       // CREATE, DROP
  raw,              // SQL text that nobody tracks
};

// Whether the statement can change what is in the database when it commits by itself.
bool can_write(StatementKind kind);

// One SQL text. `{name}` stands for the table of that name (drivers put the schema or prefix in
// front); each `?` for a parameter: binds[i] is the index of the parameter that the i-th `?` takes.
struct Sql {
  std::string text;
  std::vector<int> binds;
};

// The texts that say it to one product, run one after the other; the last one gives the result.
using Rendering = std::vector<Sql>;

struct Structure {
  StatementKind kind = StatementKind::raw;
  const Table* table = nullptr;
  std::vector<std::string_view> columns;  // reads: the columns wanted; inserts: the columns given
  std::vector<Condition> conditions;
  std::vector<Assignment> assignments;
  Lock lock = Lock::none;
  std::optional<Isolation> isolation;  // begin: the level asked for, or the session's default
  std::int64_t limit = 0;              // read_rows: at most so many, by key; 0: all of them
  std::optional<Operand> fewer_than;   // insert_if_fewer

  // A search that need not return every row that meets its conditions: what it did not return may
  // have been there.
  bool may_leave_rows_out() const { return limit > 0 || lock == Lock::update_skip_locked; }
};

class Statement {
 public:
  // A product without a rendering does not offer the statement.
  Statement(Structure structure, std::array<Rendering, kProductCount> renderings);
  // The same SQL for all products.
  Statement(Structure structure, const Rendering& rendering);

  // Unique in this process, small, counted from 0.
  int id() const { return id_; }
  StatementKind kind() const { return structure_.kind; }
  const Structure& structure() const { return structure_; }
  const Rendering& rendering(Product product) const {
    return renderings_[static_cast<std::size_t>(product)];
  }

 private:
  int id_;
  Structure structure_;
  std::array<Rendering, kProductCount> renderings_;
};

// Raw SQL for all products; its `?` take the parameters in order.
Statement raw_sql(std::string_view text);
// CREATE, DROP and the like: run as plain text, without parameters.
Statement definition_sql(std::string_view text);

// The statements that delimit transactions. Isolation is asked for per transaction, never left in
// the session; without a level the transaction runs at the session's default.
const Statement& begin_at(std::optional<Isolation> level);
const Statement& commit();
const Statement& rollback();

// `text` with every `{name}` replaced by `prefix` + name.
std::string with_table_prefix(std::string_view text, std::string_view prefix);
// `text` with its `?` replaced by PostgreSQL's `$1`, `$2` … by `binds`; `?` inside quotes stay.
std::string with_numbered_parameters(const Sql& sql);

}  // namespace hilsa
