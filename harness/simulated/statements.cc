// Statements: which rows they find, lock, watch and write. A statement does nothing before it has
// all its locks; when it must wait, it starts from the beginning afterwards.
#include <algorithm>
#include <utility>

#include "harness/history/comparison.h"
#include "harness/simulated/engine.h"

namespace hilsa::simulated {
namespace {

constexpr std::uint64_t kDirtyReadOnceIn = 2;
constexpr std::uint64_t kMissedPhantomLockOnceIn = 2;

Error changed_since_snapshot() {
  return {ErrorKind::serialization_failure, "40001", 0,
          "another transaction has changed the row since this one's snapshot"};
}
Error dangerous_structure() {
  return {ErrorKind::serialization_failure, "40001", 0,
          "this transaction stands between others that an order of transactions cannot explain"};
}
Error duplicate_key(std::int64_t key) {
  return {ErrorKind::unique_violation, "23505", 0,
          "there is a row with the key " + std::to_string(key) + " already"};
}
Error value_taken(const StoredTable& table, std::uint32_t column, std::int64_t value) {
  return {ErrorKind::unique_violation, "23505", 0,
          "there is a row with the " + std::string(table.shape->columns[column].name) + " " +
              std::to_string(value) + " already"};
}
Error check_violated(const StoredTable& table) {
  return {ErrorKind::check_violation, "23514", 0,
          "the row would break CHECK (" + std::string(table.shape->check) + ")"};
}

bool is_plain_read(const Plan& plan) {
  const bool reads =
      plan.kind() == StatementKind::read_row || plan.kind() == StatementKind::read_rows;
  return reads && plan.lock() == Lock::none;
}

// The tests of _version and _writer, which Predicate::matches() leaves to us.
bool stamps_pass(const Predicate& predicate, const RowVersion& version) {
  return std::all_of(predicate.tests.begin(), predicate.tests.end(), [&](const Test& test) {
    if (test.column == kVersionColumn) return passes(version.number, test.comparator, test.value);
    return test.column != kWriterColumn || passes(version.writer, test.comparator, test.value);
  });
}

bool is_selected(const Predicate& predicate, const RowVersion* version) {
  return alive(version) != nullptr && predicate.matches(version->cells) &&
         stamps_pass(predicate, *version);
}

bool names_one_row(const Predicate& predicate) {
  return std::any_of(predicate.tests.begin(), predicate.tests.end(), [](const Test& test) {
    return test.column == 0 && test.comparator == Comparator::equal;
  });
}

bool touch(const std::vector<Image>& images, const Predicate& predicate) {
  return std::any_of(images.begin(), images.end(),
                     [&](const Image& image) { return image.touches(predicate); });
}

bool touched(const std::vector<Predicate>& predicates, const Image& image) {
  return std::any_of(predicates.begin(), predicates.end(),
                     [&](const Predicate& predicate) { return image.touches(predicate); });
}

}  // namespace

// A statement at work.
struct Engine::Work {
  Connection& connection;
  Txn& txn;
  const Plan& plan;
  std::span<const Value> parameters;
  Predicate predicate;
  bool dirty = false;  // Bug::dirty_read has struck: it sees, and waits for, no lock
  struct Seen {
    Row* row;
    const RowVersion* version;
  };
  std::vector<Seen> found;    // the rows selected
  std::vector<Seen> saw;      // every row looked at; only when somebody wants to know
  std::vector<Image> images;  // of the writes to be made, one for each row found
};

Engine::Outcome Engine::run_statement(Connection& connection, const Statement& statement,
                                      std::span<const Value> parameters) {
  if (statement.kind() == StatementKind::lock) {
    const TableNumber table = store_.number_of(*statement.structure().table);
    return take_named_lock(connection, table, parameters[0]);
  }
  const Plan& plan = plan_of(statement);
  Work work{
      .connection = connection, .txn = *connection.txn_, .plan = plan, .parameters = parameters};
  if (plan.kind() == StatementKind::insert) return insert(work);
  work.predicate = plan.predicate(parameters);
  if (plan.kind() == StatementKind::insert_if_fewer) return insert_if_fewer(work);
  work.dirty = is_plain_read(plan) && others_are_active() &&
               saboteur_.strikes(Bug::dirty_read, kDirtyReadOnceIn);
  find_rows(work);
  const bool reads =
      plan.kind() == StatementKind::read_row || plan.kind() == StatementKind::read_rows;
  return reads ? read(work) : write(work);
}

Engine::Outcome Engine::take_named_lock(Connection& connection, TableNumber table,
                                        const Value& name) {
  const auto* number = std::get_if<std::int64_t>(&name);
  if (number == nullptr) return Error{ErrorKind::other, "22023", 0, "a lock is named by a number"};
  if (!locks_.take(connection.txn_->id, named_lock(table, *number), true)) {
    return wait(connection, {});
  }
  Result granted;
  granted.rows.push_back({std::int64_t{1}});
  return granted;
}

void Engine::find_rows(Work& work) {
  // Those that it will not get the lock of do not count; see lock_enough_rows().
  const std::size_t limit = work.plan.lock() == Lock::none ? work.plan.limit() : 0;
  const auto visit = [&](Row& row) {
    const RowVersion* const version = look(work, row);
    if (is_selected(work.predicate, version)) work.found.push_back({&row, version});
    return limit == 0 || work.found.size() < limit;
  };
  if (notes_what_is_seen()) {
    store_.scan(work.predicate, visit);
  } else {
    store_.scan_by_index(work.predicate, visit);
  }
}

const RowVersion* Engine::look(Work& work, const Row& row) {
  const RowVersion* seen = work.connection.view_.of(row);
  if (work.dirty) {
    const RowVersion* const uncommitted = row.uncommitted_of_others(work.txn.id);
    if (uncommitted != nullptr) seen = uncommitted;
  }
  if (notes_what_is_seen()) work.saw.push_back({const_cast<Row*>(&row), seen});
  return seen;
}

Engine::Outcome Engine::read(Work& work) {
  if (work.plan.lock() != Lock::none && work.plan.may_leave_rows_out()) {
    if (auto outcome = lock_enough_rows(work)) return *outcome;
  } else if (work.plan.lock() != Lock::none) {
    if (auto outcome = lock_rows(work, work.plan.lock() == Lock::update)) return *outcome;
    if (auto outcome = look_again(work)) return *outcome;
  }
  if (auto outcome = read_predicate(work)) return *outcome;
  note_what_it_saw(work);
  Result result;
  result.rows.reserve(work.found.size());
  for (const Work::Seen& seen : work.found) {
    std::vector<Value>& row = result.rows.emplace_back();
    row.reserve(work.plan.columns().size() + 3);
    row.emplace_back(seen.row->key);
    for (const std::uint32_t column : work.plan.columns()) {
      row.push_back(seen.version->cells[column]);
    }
    row.emplace_back(seen.version->number);
    row.emplace_back(seen.version->writer);
  }
  return result;
}

std::optional<Engine::Outcome> Engine::lock_rows(Work& work, bool for_update) {
  for (const Work::Seen& seen : work.found) {
    const LockName name = row_lock(work.plan.table(), seen.row->key);
    if (!locks_.take(work.txn.id, name, for_update)) return wait(work.connection, {});
  }
  return std::nullopt;
}

// Whether the row has changed since the snapshot that the transaction keeps to.
bool Engine::is_stale(const Work& work, const RowVersion* seen, const Row& row) const {
  const bool one_snapshot =
      work.txn.level == Level::snapshot || work.txn.level == Level::serializable_ssi;
  if (!one_snapshot) return false;
  // A stale snapshot does not know that it is one.
  const RowVersion* const expected =
      saboteur_.bug() == Bug::stale_snapshot ? work.connection.right_view_.of(row) : seen;
  return row.newest() != expected;
}

// One row after the other, in the order of their keys, until there are as many as wanted. Rows that
// are no longer what was found stay locked.
std::optional<Engine::Outcome> Engine::lock_enough_rows(Work& work) {
  const Lock lock = work.plan.lock();
  const std::size_t limit = work.plan.limit();
  for (const Work::Seen& seen : std::exchange(work.found, {})) {
    if (limit > 0 && work.found.size() == limit) break;
    const LockName name = row_lock(work.plan.table(), seen.row->key);
    if (lock == Lock::update_skip_locked) {
      if (!locks_.take_if_free(work.txn.id, name, true)) continue;
    } else if (!locks_.take(work.txn.id, name, lock == Lock::update)) {
      return wait(work.connection, {});
    }
    if (is_stale(work, seen.version, *seen.row)) {
      ++truth_.serialization_failures;
      return changed_since_snapshot();
    }
    const RowVersion* const newest = seen.row->newest();
    if (is_selected(work.predicate, newest)) work.found.push_back({seen.row, newest});
  }
  return std::nullopt;
}

// With its rows locked, the statement sees whether they are still what it found.
std::optional<Engine::Outcome> Engine::look_again(Work& work) {
  for (Work::Seen& seen : work.found) {
    const RowVersion* const newest = seen.row->newest();
    if (is_stale(work, seen.version, *seen.row)) {
      ++truth_.serialization_failures;
      return changed_since_snapshot();
    }
    for (Work::Seen& saw : work.saw) {
      if (saw.row == seen.row) saw.version = newest;
    }
    seen.version = newest;
  }
  std::erase_if(work.found,
                [&](const Work::Seen& seen) { return !is_selected(work.predicate, seen.version); });
  return std::nullopt;
}

// What of the predicate is locked or watched: all of it, up to where a search with a limit ended.
// Only the rows found when it skips locked ones, or if a bug has it so.
std::vector<Predicate> Engine::predicates_to_watch(Work& work) {
  std::vector<Predicate> rows;
  for (const Work::Seen& seen : work.found) {
    rows.push_back({work.plan.table(), {{0, Comparator::equal, seen.row->key}}});
  }
  if (work.plan.lock() == Lock::update_skip_locked) return rows;
  Predicate whole = work.predicate;
  if (work.plan.limit() > 0 && work.found.size() == work.plan.limit()) {
    whole.tests.push_back({0, Comparator::at_most, work.found.back().row->key});
  }
  const bool missed = !names_one_row(work.predicate) && others_are_active() &&
                      saboteur_.strikes(Bug::missed_phantom_lock, kMissedPhantomLockOnceIn);
  if (!missed) return {whole};
  work.txn.missed.push_back(whole);
  for (const Txn* const other : active_) {
    if (other == &work.txn || !touch(other->images, whole)) continue;
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const Predicate& row) { return touch(other->images, row); })) {
      saboteur_.bites();
    }
  }
  return rows;
}

std::optional<Engine::Outcome> Engine::read_predicate(Work& work) {
  Txn& txn = work.txn;
  if (txn.level == Level::serializable_2pl) {
    const std::vector<Predicate> wanted = predicates_to_watch(work);
    std::vector<TxnId> blockers;
    for (const Txn* const other : active_) {
      if (other == &txn || work.dirty) continue;
      if (std::any_of(wanted.begin(), wanted.end(), [&](const Predicate& predicate) {
            return touch(other->images, predicate) || touch(other->intents, predicate);
          })) {
        blockers.push_back(other->id);
      }
    }
    if (!blockers.empty()) return wait(work.connection, std::move(blockers));
    txn.reads.insert(txn.reads.end(), wanted.begin(), wanted.end());
  }
  if (txn.level == Level::serializable_ssi) {
    for (const Predicate& predicate : predicates_to_watch(work)) {
      conflicts_.note_read(txn, predicate);
    }
    if (Conflicts::dangerous(txn)) {
      ++truth_.serialization_failures;
      return dangerous_structure();
    }
  }
  return std::nullopt;
}

Engine::Outcome Engine::write(Work& work) {
  if (auto outcome = lock_rows(work, true)) return *outcome;
  if (auto outcome = look_again(work)) return *outcome;
  if (auto outcome = read_predicate(work)) return *outcome;
  for (const Work::Seen& seen : work.found) {
    Image& image = work.images.emplace_back();
    image.table = work.plan.table();
    image.existed = true;
    image.before = seen.version->cells;
    if (work.plan.kind() == StatementKind::update) {
      image.exists = true;
      image.after = work.plan.changed(image.before, work.parameters);
    }
  }
  if (auto outcome = lock_unique_values(work)) return *outcome;
  if (auto outcome = may_write(work)) return *outcome;
  note_what_it_saw(work);
  if (auto outcome = make_writes(work)) return *outcome;
  Result result;
  for (const Work::Seen& seen : work.found) {
    result.rows.push_back({seen.row->key, seen.row->newest()->number});
  }
  result.affected = static_cast<std::int64_t>(work.found.size());
  return result;
}

Engine::Outcome Engine::insert(Work& work) {
  Image image{
      .table = work.plan.table(), .exists = true, .after = work.plan.inserted(work.parameters)};
  const auto* key = std::get_if<std::int64_t>(&image.after[0]);
  if (key == nullptr) return Error{ErrorKind::other, "23502", 0, "a row's key is a number"};
  if (!locks_.take(work.txn.id, row_lock(work.plan.table(), *key), true)) {
    return wait(work.connection, {});
  }
  std::map<std::int64_t, Row>& rows = store_.table(work.plan.table()).rows;
  const auto found = rows.find(*key);
  if (found != rows.end() && alive(found->second.newest()) != nullptr) return duplicate_key(*key);
  work.images.push_back(std::move(image));
  if (auto outcome = lock_unique_values(work)) return *outcome;
  if (auto outcome = may_write(work)) return *outcome;
  Row& row = rows[*key];
  row.key = *key;
  work.found.push_back({&row, row.newest()});
  if (auto outcome = make_writes(work)) {
    if (row.versions.empty()) rows.erase(*key);
    return *outcome;
  }
  Result result;
  result.affected = 1;
  return result;
}

// Counts as the statement sees the table, and inserts; that somebody else inserts meanwhile is seen
// at no level below serializable. Gives the rows counted, and the new one.
Engine::Outcome Engine::insert_if_fewer(Work& work) {
  find_rows(work);
  if (auto outcome = read_predicate(work)) return *outcome;
  Result result;
  for (const Work::Seen& seen : work.found) {
    result.rows.push_back({seen.row->key, seen.version->number, seen.version->writer});
  }
  if (static_cast<std::int64_t>(work.found.size()) < work.plan.fewer_than(work.parameters)) {
    Work made{.connection = work.connection,
              .txn = work.txn,
              .plan = work.plan,
              .parameters = work.parameters};
    Outcome outcome = insert(made);
    if (!std::holds_alternative<Result>(outcome)) return outcome;
    const Row& row = *made.found.front().row;
    result.rows.push_back({row.key, row.newest()->number, row.newest()->writer});
    result.affected = 1;
  }
  note_what_it_saw(work);
  return result;
}

// Whoever takes or gives up a value that may be there once only keeps others from it to the
// transaction's end: before that nobody can say whether it is free.
std::optional<Engine::Outcome> Engine::lock_unique_values(Work& work) {
  const TableNumber table = work.plan.table();
  for (const Image& image : work.images) {
    for (const ColumnIndex& index : store_.table(table).indexes) {
      if (!index.unique()) continue;
      const auto before = index.value_in(image.existed, image.before);
      const auto after = index.value_in(image.exists, image.after);
      if (before == after) continue;
      for (const auto& value : {before, after}) {
        if (value && !locks_.take(work.txn.id, value_lock(table, index.column(), *value), true)) {
          return wait(work.connection, {});
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Error> Engine::put_in_indexes(const Image& image, std::int64_t key) {
  StoredTable& table = store_.table(image.table);
  for (ColumnIndex& index : table.indexes) {
    const auto value = index.value_in(image.exists, image.after);
    if (!value || value == index.value_in(image.existed, image.before)) continue;
    if (index.unique() && index.has_other(table.rows, *value, key)) {
      return value_taken(table, index.column(), *value);
    }
    index.add(*value, key);
  }
  return std::nullopt;
}

// Waits for those who have locked a predicate that one of the writes touches.
std::optional<Engine::Outcome> Engine::may_write(Work& work) {
  std::vector<TxnId> blockers;
  for (const Txn* const other : active_) {
    if (other == &work.txn || other->level != Level::serializable_2pl) continue;
    if (std::any_of(work.images.begin(), work.images.end(),
                    [&](const Image& image) { return touched(other->reads, image); })) {
      blockers.push_back(other->id);
    }
  }
  if (blockers.empty()) return std::nullopt;
  work.txn.intents = std::move(work.images);
  return wait(work.connection, std::move(blockers));
}

std::optional<Engine::Outcome> Engine::make_writes(Work& work) {
  Txn& txn = work.txn;
  const StoredTable& table = store_.table(work.plan.table());
  for (const Image& image : work.images) {
    for (const RowCheck& check : table.checks) {
      if (image.exists && !passes(image.after[check.column], Comparator::at_least, check.lowest)) {
        return check_violated(table);
      }
    }
  }
  txn.writer = work.plan.writer(work.parameters);
  for (std::size_t i = 0; i < work.images.size(); ++i) {
    Image& image = work.images[i];
    Row& row = *work.found[i].row;
    if (auto taken = put_in_indexes(image, row.key)) return *taken;
    const RowVersion* const before = image.existed ? row.newest() : nullptr;
    RowVersion version{.number = before != nullptr ? before->number + 1 : 1,
                       .writer = txn.writer,
                       .txn = txn.id,
                       .erased = !image.exists,
                       .cells = image.exists ? image.after : image.before};
    const bool first = row.versions.empty() || row.versions.back().txn != txn.id;
    row.versions.push_back(std::move(version));
    if (first) txn.written.push_back({work.plan.table(), &row});
    note_missed_phantoms(txn, image);
    if (txn.level == Level::serializable_ssi) conflicts_.note_write(txn, image);
    txn.images.push_back(std::move(image));
  }
  if (txn.level == Level::serializable_ssi && Conflicts::dangerous(txn)) {
    ++truth_.serialization_failures;
    return dangerous_structure();
  }
  return std::nullopt;
}

void Engine::note_missed_phantoms(const Txn& writer, const Image& image) {
  if (saboteur_.bug() != Bug::missed_phantom_lock) return;
  for (const Txn* const other : active_) {
    if (other == &writer) continue;
    if (touched(other->missed, image) && !touched(other->reads, image)) saboteur_.bites();
  }
}

void Engine::note_what_it_saw(const Work& work) {
  Txn& txn = work.txn;
  for (const Work::Seen& seen : work.found) {
    const Txn::LastRead now{seen.version->txn, seen.version->number};
    if (!work.plan.overwrites()) {
      txn.last_reads.insert_or_assign(seen.row, now);
      continue;
    }
    const auto last = txn.last_reads.find(seen.row);
    const bool knows = last != txn.last_reads.end();
    if (knows && last->second != now && now.made_by != txn.id) ++txn.lost_updates;
  }
  if (saboteur_.bug() != Bug::none) {
    for (const Work::Seen& saw : work.saw) {
      const RowVersion* const right = work.connection.right_view_.of(*saw.row);
      const bool matters =
          is_selected(work.predicate, right) || is_selected(work.predicate, saw.version);
      if (matters && right != saw.version && is_plain_read(work.plan)) saboteur_.bites();
    }
  }
  if (!options_.keep_log) return;
  if (work.plan.may_leave_rows_out()) {
    log_rows_alone(work);
    return;
  }
  TrueRead& read = truth_.txns[txn.id - 1].reads.emplace_back();
  read.predicate = work.predicate;
  read.by_key = work.plan.kind() == StatementKind::read_row;
  read.only_to_overwrite = work.plan.overwrites();
  for (const Work::Seen& saw : work.saw) {
    TrueVersion version{.table = work.plan.table(), .key = saw.row->key};
    if (saw.version != nullptr) {
      version.txn = saw.version->txn;
      version.number = saw.version->number;
      version.selected = is_selected(work.predicate, saw.version);
    }
    read.saw.push_back(version);
  }
}

// As it is recorded: reads of the rows that it returned.
void Engine::log_rows_alone(const Work& work) {
  for (const Work::Seen& seen : work.found) {
    TrueRead& read = truth_.txns[work.txn.id - 1].reads.emplace_back();
    read.predicate = {work.plan.table(), {{0, Comparator::equal, seen.row->key}}};
    read.by_key = true;
    read.saw.push_back({.table = work.plan.table(),
                        .key = seen.row->key,
                        .txn = seen.version->txn,
                        .number = seen.version->number,
                        .selected = true});
  }
}

}  // namespace hilsa::simulated
