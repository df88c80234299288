#include "workloads/table/transaction.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "workloads/table/pause.h"
#include "workloads/table/session_log.h"

namespace hilsa {
namespace {

std::int64_t integer_in(const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) throw std::logic_error("a whole number was expected in a row");
  return *number;
}

Value resolved(const Operand& operand, const std::vector<Value>& parameters) {
  if (const auto* parameter = std::get_if<Parameter>(&operand)) {
    return parameters.at(static_cast<std::size_t>(parameter->index));
  }
  return std::get<Value>(operand);
}

std::vector<Comparison> resolved(const std::vector<Condition>& conditions,
                                 const std::vector<Value>& parameters) {
  std::vector<Comparison> predicate;
  for (const Condition& condition : conditions) {
    predicate.push_back(
        {condition.column, condition.comparator, resolved(condition.operand, parameters)});
  }
  return predicate;
}

std::vector<Change> resolved(const std::vector<Assignment>& assignments,
                             const std::vector<Value>& parameters) {
  std::vector<Change> changes;
  for (const Assignment& assignment : assignments) {
    changes.push_back(
        {assignment.column, assignment.change, resolved(assignment.operand, parameters)});
  }
  return changes;
}

// A write that committed by itself, or not: the answer was lost. It is recorded as one row of
// unknown version.
Result in_doubt() {
  Result result;
  result.affected = 1;
  return result;
}

// Of a row that was there.
bool is_write(const Operation& operation) {
  return operation.kind == OperationKind::write || operation.kind == OperationKind::erase;
}

// Whether the conditions of an update or erase name one row by its key.
bool names_one_row(const Structure& write) {
  return std::any_of(write.conditions.begin(), write.conditions.end(), [&](const Condition& c) {
    return c.column == write.table->key() && c.comparator == Comparator::equal;
  });
}

// Whether what it does depends on the row's own values, so that it has read what it replaced.
bool reads_what_it_writes(const Structure& write) {
  return write.conditions.size() > 1 || !names_one_row(write) ||
         std::any_of(write.assignments.begin(), write.assignments.end(),
                     [](const Assignment& a) { return a.change != ChangeKind::set; });
}

}  // namespace

std::int64_t Row::operator[](std::string_view column) const {
  for (const NamedValue& named : values_) {
    if (named.column == column) return integer_in(named.value);
  }
  throw std::logic_error("column '" + std::string(column) + "' was not read");
}

SeenRow seen_row(const Structure& read, const std::vector<Value>& row) {
  SeenRow seen{.key = integer_in(row.at(0)),
               .version = integer_in(row.at(row.size() - 2)),
               .writer = integer_in(row.at(row.size() - 1))};
  for (std::size_t i = 0; i < read.columns.size(); ++i) {
    seen.values.push_back({read.columns[i], row.at(i + 1)});
  }
  return seen;
}

int table_number(const std::vector<const Table*>& tables, const Table* table) {
  const auto found = std::find(tables.begin(), tables.end(), table);
  if (found == tables.end()) throw std::logic_error("a table that the workload does not list");
  return static_cast<int>(found - tables.begin());
}

std::optional<Row> Transaction::find(const Statement& statement, Parameters parameters) {
  const Result result = must_execute(statement, parameters);
  SeenRow seen{.key = integer_in(parameters_.at(0))};
  if (!result.rows.empty()) seen = seen_row(statement.structure(), result.rows[0]);
  record_read(statement, seen);
  if (result.rows.empty()) return std::nullopt;
  return Row(seen.key, std::move(seen.values), seen.version);
}

Row Transaction::read(const Statement& statement, Parameters parameters) {
  std::optional<Row> row = find(statement, parameters);
  if (row) return *std::move(row);
  throw AttemptFailed{{ErrorKind::other, "", 0,
                       "the row " + std::string(statement.structure().table->name) + "/" +
                           to_text(*parameters.begin()) + " is gone"}};
}

std::vector<Row> Transaction::select(const Statement& statement, Parameters parameters) {
  const Result result = must_execute(statement, parameters);
  std::vector<Row> rows;
  if (statement.structure().may_leave_rows_out()) {
    for (const std::vector<Value>& values : result.rows) {
      SeenRow seen = seen_row(statement.structure(), values);
      record_read(statement, seen);
      rows.emplace_back(seen.key, std::move(seen.values), seen.version);
    }
    return rows;
  }
  Operation operation = new_operation(OperationKind::predicate_read, statement);
  operation.predicate = resolved(statement.structure().conditions, parameters_);
  for (const std::vector<Value>& values : result.rows) {
    operation.rows.push_back(seen_row(statement.structure(), values));
    const SeenRow& seen = operation.rows.back();
    rows.emplace_back(seen.key, seen.values, seen.version);
  }
  attempt_.operations.push_back(std::move(operation));
  return rows;
}

std::int64_t Transaction::update(const Statement& statement, Parameters parameters) {
  return write(statement, parameters);
}

std::int64_t Transaction::erase(const Statement& statement, Parameters parameters) {
  return write(statement, parameters);
}

// An update or an erase.
std::int64_t Transaction::write(const Statement& statement, Parameters parameters) {
  const Expected<Result> result = execute(statement, parameters);
  if (!result) {
    if (result.error().kind == ErrorKind::commit_unknown) record_write(statement, in_doubt());
    throw AttemptFailed{result.error()};
  }
  if (result->affected > 0) wrote_ = true;
  record_write(statement, *result);
  return result->affected;
}

void Transaction::insert(const Statement& statement, Parameters parameters) {
  const Expected<Result> result = execute(statement, parameters);
  if (!result && result.error().kind != ErrorKind::commit_unknown) {
    throw AttemptFailed{result.error()};
  }
  record_insert(statement);
  if (!result) throw AttemptFailed{result.error()};
}

bool Transaction::insert_if_fewer(const Statement& statement, Parameters parameters) {
  const Expected<Result> result = execute(statement, parameters);
  if (!result) {
    if (result.error().kind == ErrorKind::commit_unknown) record_insert(statement);
    throw AttemptFailed{result.error()};
  }
  const bool inserted = record_count(statement, *result);
  if (inserted) record_insert(statement);
  return inserted;
}

void Transaction::lock(const NamedLock& lock, Parameters parameters) {
  const Result result = must_execute(lock.take, parameters);
  const bool granted = !result.rows.empty() && result.rows[0][0] == Value(std::int64_t{1});
  if (!granted) {
    throw AttemptFailed{{ErrorKind::lock_timeout, "", 0, "the advisory lock was not granted"}};
  }
  if (!lock.release.rendering(setting_.product).empty()) {
    held_locks_.push_back({&lock.release, parameters_});
  }
}

void Transaction::think() { pause_for(setting_.think, setting_.stop); }

void Transaction::crash() {
  crashed_ = true;
  throw AttemptFailed{{ErrorKind::connection_lost, "", 0,
                       "the worker crashed on purpose, and its connection was cut"}};
}

void Transaction::run(const Statement& statement) { must_execute(statement, {}); }

void Transaction::settle(bool roll_back_first) {
  if (session_.usable() && !crashed_) {
    // What goes wrong here is found by the next use of the session.
    if (roll_back_first) session_.execute(rollback());
    for (const HeldLock& held : held_locks_) session_.execute(*held.release, held.parameters);
    if (versions_logged_) learn_from_logs();
  }
  forget_searches_without_rows();
}

Expected<Result> Transaction::execute(const Statement& statement, Parameters parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  const StatementKind kind = statement.kind();
  const bool stamps = kind == StatementKind::update || kind == StatementKind::insert ||
                      kind == StatementKind::insert_if_fewer;
  if (stamps) parameters_.emplace_back(attempt_.id);
  // Also an UPDATE that fails, or is rolled back, leaves its rows in the log: the next attempt on
  // this session must not find them there.
  const bool logs = kind == StatementKind::update || kind == StatementKind::erase ||
                    kind == StatementKind::insert_if_fewer;
  if (logs && !version_log().rendering(setting_.product).empty()) versions_logged_ = true;
  begin_ns_ = now_ns();
  Expected<Result> result = session_.execute(statement, parameters_);
  end_ns_ = now_ns();
  begin_ns_ = std::max(begin_ns_, session_.sent_ns());
  // An attempt that has sent nothing has not begun for anybody else.
  if (!std::exchange(has_begun_, true)) attempt_.begin_ns = begin_ns_;
  // What may have been done is no failure; a write is then recorded as one of unknown version.
  if (!result && result.error().kind != ErrorKind::commit_unknown) note_failure(statement);
  return result;
}

void Transaction::note_failure(const Statement& statement) {
  const Rendering& rendering = statement.rendering(setting_.product);
  const Structure& structure = statement.structure();
  FailedStatement failed{.statement = statement.id(), .begin_ns = begin_ns_, .end_ns = end_ns_};
  if (!rendering.empty()) failed.sql = rendering.back().text;
  const std::vector<const Table*>& tables = *setting_.tables;
  const bool tracked = std::find(tables.begin(), tables.end(), structure.table) != tables.end();
  if (tracked && structure.kind != StatementKind::lock) {
    failed.table = table_number(tables, structure.table);
    const bool one_row = structure.kind == StatementKind::insert ||
                         structure.kind == StatementKind::read_row ||
                         (structure.kind != StatementKind::read_rows && names_one_row(structure));
    if (one_row) failed.key = integer_in(parameters_.at(0));
  }
  attempt_.failed = failed;
}

Result Transaction::must_execute(const Statement& statement, Parameters parameters) {
  Expected<Result> result = execute(statement, parameters);
  if (!result) throw AttemptFailed{std::move(result.error())};
  return *std::move(result);
}

Operation Transaction::new_operation(OperationKind kind, const Statement& statement) const {
  Operation operation{.kind = kind,
                      .statement = statement.id(),
                      .sql = statement.rendering(setting_.product).back().text};
  operation.table = table_number(*setting_.tables, statement.structure().table);
  operation.begin_ns = begin_ns_;
  operation.end_ns = end_ns_;
  return operation;
}

// Of one row, which may be absent (version kUnborn).
void Transaction::record_read(const Statement& statement, const SeenRow& seen) {
  Operation operation = new_operation(OperationKind::read, statement);
  operation.key = seen.key;
  operation.version = seen.version;
  operation.writer = seen.writer;
  operation.values = seen.values;
  attempt_.operations.push_back(std::move(operation));
}

// A write (update or erase) of one row that depends on it becomes a read of the version before and
// a write. One that found no row, or that picks its rows by their values, becomes a predicate read
// and its writes.
void Transaction::record_write(const Statement& statement, const Result& result) {
  const Structure& structure = statement.structure();
  const bool erases = structure.kind == StatementKind::erase;
  const bool one_row = names_one_row(structure);
  const bool returned = !result.rows.empty();
  Operation write = new_operation(erases ? OperationKind::erase : OperationKind::write, statement);
  write.changes = resolved(structure.assignments, parameters_);
  write.version = kVersionUnknown;
  if (one_row) write.key = integer_in(parameters_.at(0));

  if (result.affected == 0 || !one_row) {
    Operation looked = new_operation(OperationKind::predicate_read, statement);
    looked.predicate = resolved(structure.conditions, parameters_);
    for (const auto& row : result.rows) {
      looked.rows.push_back({.key = integer_in(row.at(0)), .version = integer_in(row.at(1)) - 1});
    }
    attempt_.operations.push_back(std::move(looked));
  }
  for (std::int64_t i = 0; i < result.affected; ++i) {
    if (returned) {
      const auto& row = result.rows.at(static_cast<std::size_t>(i));
      write.key = integer_in(row.at(0));
      write.version = integer_in(row.at(1));
    }
    if (one_row && reads_what_it_writes(structure)) {
      Operation before = new_operation(OperationKind::read, statement);
      before.key = write.key;
      before.version = returned ? write.version - 1 : kVersionUnknown;
      attempt_.operations.push_back(std::move(before));
    }
    attempt_.operations.push_back(write);
  }
}

void Transaction::record_insert(const Statement& statement) {
  wrote_ = true;
  Operation operation = new_operation(OperationKind::insert, statement);
  operation.key = integer_in(parameters_.at(0));
  operation.version = 1;
  const Structure& structure = statement.structure();
  for (std::size_t i = 0; i < structure.columns.size(); ++i) {
    operation.values.push_back({structure.columns[i], parameters_[i]});
  }
  attempt_.operations.push_back(std::move(operation));
}

// What an insert_row_if_fewer() counted, as far as it is told; returns whether it inserted.
bool Transaction::record_count(const Statement& statement, const Result& result) {
  const CountedRows told = counted_rows_of(setting_.product);
  if (told == CountedRows::untold) return result.affected > 0;
  const Structure& structure = statement.structure();
  const std::int64_t new_key = integer_in(parameters_.at(0));
  Operation looked = new_operation(OperationKind::predicate_read, statement);
  looked.predicate = resolved(structure.conditions, parameters_);
  bool inserted = false;
  if (told == CountedRows::logged) {
    inserted = result.affected > 0;
    const std::int64_t limit = integer_in(resolved(structure.fewer_than.value(), parameters_));
    counts_.push_back({attempt_.operations.size(), new_key, limit, inserted});
  }
  for (const auto& row : result.rows) {
    const SeenRow seen{.key = integer_in(row.at(0)),
                       .version = integer_in(row.at(1)),
                       .writer = integer_in(row.at(2))};
    if (seen.key == new_key) {
      inserted = true;
    } else {
      looked.rows.push_back(seen);
    }
  }
  attempt_.operations.push_back(std::move(looked));
  return inserted;
}

void Transaction::learn_from_logs() {
  const auto answer = session_.execute(version_log());
  if (!answer || answer->rows.empty()) return;
  const std::vector<Value>& logs = answer->rows[0];
  if (const auto* text = std::get_if<std::string>(logs.data())) learn_versions(*text);
  if (counts_.empty() || logs.size() < 3) return;
  const auto* text = std::get_if<std::string>(&logs[2]);
  learn_counts(text != nullptr ? *text : "");
}

// Fills in the versions that MySQL could not return: its log has them in the order of the writes.
void Transaction::learn_versions(std::string_view text) {
  const std::vector<LoggedVersion> log = parse_version_log(text);
  auto next = log.begin();
  Operation* looked = nullptr;  // the predicate read whose rows the following writes are
  for (auto operation = attempt_.operations.begin(); operation != attempt_.operations.end();
       ++operation) {
    if (operation->kind == OperationKind::predicate_read) looked = &*operation;
    if (!is_write(*operation) || operation->version != kVersionUnknown) continue;
    if (next == log.end()) return;
    const bool names_its_row = operation->key != 0;
    if (names_its_row && operation->key != next->key) return;  // unknown is better than wrong
    operation->key = next->key;
    operation->version = next->version;
    if (operation != attempt_.operations.begin()) {
      Operation& before = *std::prev(operation);
      if (before.kind == OperationKind::read && before.version == kVersionUnknown) {
        before.version = next->version - 1;
      }
    }
    if (!names_its_row && looked != nullptr && looked->statement == operation->statement) {
      looked->rows.push_back({.key = next->key, .version = next->version - 1});
    }
    ++next;
  }
}

// Fills in the rows that were counted. A count that does not agree with what the statement then did
// is not believed.
void Transaction::learn_counts(std::string_view text) {
  const auto log = parse_count_log(text);
  if (!log) return;
  for (Count& count : counts_) {
    std::map<std::int64_t, SeenRow> rows;  // by key: the server may evaluate an expression twice
    count.learned = std::count_if(counts_.begin(), counts_.end(), [&](const Count& other) {
                      return other.new_key == count.new_key;
                    }) == 1;
    for (const LoggedCount& logged : *log) {
      if (logged.new_key != count.new_key) continue;
      const SeenRow row{.key = logged.key, .version = logged.version, .writer = logged.writer};
      const auto [known, is_new] = rows.try_emplace(logged.key, row);
      if (!is_new && known->second.version != row.version) count.learned = false;
    }
    if ((static_cast<std::int64_t>(rows.size()) < count.limit) != count.inserted) {
      count.learned = false;
    }
    for (const auto& [key, row] : rows) {
      attempt_.operations[count.operation].rows.push_back(row);
    }
  }
}

// A search whose rows were not learned must not look like one that found none. Its writes stay, of
// rows unknown (key 0): somebody may see what they made.
void Transaction::forget_searches_without_rows() {
  std::vector<Operation>& operations = attempt_.operations;
  std::set<std::size_t, std::greater<>> unlearned;  // the last one first
  std::size_t search = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].kind == OperationKind::predicate_read) search = i;
    if (is_write(operations[i]) && operations[i].key == 0) unlearned.insert(search);
  }
  for (const Count& count : counts_) {
    if (!count.learned) unlearned.insert(count.operation);
  }
  counts_.clear();
  for (const std::size_t i : unlearned) {
    operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace hilsa
