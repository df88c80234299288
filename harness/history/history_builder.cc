#include "harness/history/history_builder.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace hilsa {
namespace {

constexpr std::size_t kPlacesPerObject = 16;

std::size_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 32)) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(value ^ (value >> 29));
}

std::size_t hash_of(const BoundPredicate& predicate) {
  std::uint64_t hash = predicate.table;
  for (const BoundComparison& comparison : predicate.comparisons) {
    hash = mixed(hash + static_cast<std::uint64_t>(comparison.value.bits()) +
                 (std::uint64_t{comparison.column} << 8) +
                 static_cast<std::uint64_t>(comparison.comparator));
  }
  return static_cast<std::size_t>(hash);
}

Op op_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::read:
      return Op::read;
    case OperationKind::write:
      return Op::write;
    case OperationKind::insert:
      return Op::insert;
    case OperationKind::erase:
      return Op::erase;
    case OperationKind::predicate_read:
      break;
  }
  return Op::predicate_read;
}

}  // namespace

std::size_t HistoryBuilder::ObjectNameHash::operator()(const ObjectName& name) const {
  return mixed(static_cast<std::uint64_t>(name.key_bits) * 31 + name.table);
}

HistoryBuilder::HistoryBuilder(Form form) {
  history_.form = form;
  history_.txn_first_op.push_back(0);
}

std::uint32_t HistoryBuilder::table(std::string_view name, std::string_view key,
                                    std::span<const std::string> columns) {
  std::vector<RecordedTable>& tables = history_.header.tables;
  auto found = std::find_if(tables.begin(), tables.end(),
                            [&](const RecordedTable& table) { return table.name == name; });
  if (found == tables.end()) {
    tables.push_back({std::string(name), std::string(key), {}});
    found = std::prev(tables.end());
  }
  const auto number = static_cast<std::uint32_t>(found - tables.begin());
  for (const std::string& name_of_column : columns) column(number, name_of_column);
  return number;
}

std::uint16_t HistoryBuilder::column(std::uint32_t table, std::string_view name) {
  std::vector<std::string>& columns = history_.header.tables[table].columns;
  const auto found = std::find(columns.begin(), columns.end(), name);
  const auto place = static_cast<std::uint16_t>(found - columns.begin());
  if (found == columns.end()) columns.emplace_back(name);
  return place;
}

std::uint32_t HistoryBuilder::statement(std::string_view sql) {
  const auto [at, is_new] = statements_.try_emplace(
      std::string(sql), static_cast<std::uint32_t>(history_.statements.size()));
  if (is_new) history_.statements.emplace_back(sql);
  return at->second;
}

ObjectIndex HistoryBuilder::object(std::uint32_t table, Scalar key) {
  if (table >= dense_objects_.size()) dense_objects_.resize(table + 1);
  std::vector<ObjectIndex>& dense = dense_objects_[table];
  // As a place; of whatever is no small number above 0, beyond all places.
  const auto place = key.kind() == Scalar::Kind::integer
                         ? static_cast<std::uint64_t>(key.bits()) >> 2
                         : std::numeric_limits<std::uint64_t>::max();
  if (place < dense.size() && dense[place] != kNone) return dense[place];
  if (!objects_.empty()) {
    const auto found = objects_.find({table, key.bits()});
    if (found != objects_.end()) return found->second;
  }
  // Places stay in proportion to the objects, however the keys are spread.
  if (place >= kPlacesPerObject * (history_.objects() + kPlacesPerObject)) {
    return objects_[{table, key.bits()}] = new_object(table, key);
  }
  if (place >= dense.capacity()) dense.reserve(std::max<std::size_t>(place + 1, 2 * place));
  if (place >= dense.size()) dense.resize(place + 1, kNone);
  return dense[place] = new_object(table, key);
}

ObjectIndex HistoryBuilder::new_object(std::uint32_t table, Scalar key) {
  const auto number = static_cast<ObjectIndex>(history_.object_key.size());
  history_.object_table.push_back(table);
  history_.object_key.push_back(key);
  if (history_.form == Form::lists) history_.longest_list.emplace_back();
  return number;
}

std::int64_t HistoryBuilder::predicate(BoundPredicate predicate) {
  const std::size_t hash = hash_of(predicate);
  const auto [first, last] = predicates_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (history_.predicates[static_cast<std::size_t>(at->second)] == predicate) return at->second;
  }
  const auto number = static_cast<std::int64_t>(history_.predicates.size());
  history_.predicates.push_back(std::move(predicate));
  predicates_.emplace(hash, number);
  return number;
}

TxnIndex HistoryBuilder::begin_txn(const Txn& txn) {
  const auto index = static_cast<TxnIndex>(history_.txn_id.size());
  history_.txn_id.push_back(txn.id);
  history_.txn_client.push_back(txn.client);
  history_.txn_flags.push_back(txn.flags);
  if (txn.begin != 0 || txn.end != 0) {
    history_.txn_begin.resize(index);
    history_.txn_end.resize(index);
    history_.txn_begin.push_back(txn.begin);
    history_.txn_end.push_back(txn.end);
  }
  if (txn.task) {
    history_.txn_task.resize(index);
    history_.txn_task.push_back(*txn.task);
  }
  if (!txn.reply.empty()) {
    history_.txn_reply.resize(index, static_cast<std::uint32_t>(scalars().text("").bits() >> 2));
    history_.txn_reply.push_back(static_cast<std::uint32_t>(scalars().text(txn.reply).bits() >> 2));
  }
  if (txn.session != 0) {
    history_.txn_session.resize(index);
    history_.txn_session.push_back(txn.session);
  }
  if (txn.failure) history_.failed.push_back({index, *txn.failure});
  return index;
}

void HistoryBuilder::add_bare(Op op, std::uint32_t object, std::int64_t number) {
  history_.op_kind.push_back(op);
  history_.op_object.push_back(object);
  history_.op_number.push_back(number);
}

void HistoryBuilder::add(Op op, std::uint32_t object, std::int64_t number, const Stamp& stamp) {
  add_bare(op, object, number);
  history_.op_writer.push_back(stamp.writer);
  history_.op_statement.push_back(stamp.statement);
  history_.op_begin.push_back(stamp.begin);
  history_.op_end.push_back(stamp.end);
  if (history_.op_first_cell.empty()) history_.op_first_cell.push_back(0);
  history_.op_first_cell.push_back(static_cast<std::uint32_t>(history_.cells.size()));
}

void HistoryBuilder::add_cell(std::uint16_t column, ChangeKind change, Scalar value) {
  history_.cells.push_back({column, change, value});
}

void HistoryBuilder::add_append(ObjectIndex object, Scalar element) {
  add_bare(Op::append, object, element.bits());
}

void HistoryBuilder::add_read_list(ObjectIndex object, std::span<const Scalar> elements,
                                   bool committed) {
  std::vector<Scalar>& longest = history_.longest_list[object];
  const std::size_t common = std::min(longest.size(), elements.size());
  const bool agrees =
      std::equal(elements.begin(), elements.begin() + static_cast<long>(common), longest.begin());
  if (!agrees || (!committed && elements.size() > longest.size())) {
    history_.deviant_lists.emplace_back(elements.begin(), elements.end());
    add_bare(Op::read_list, object, -static_cast<std::int64_t>(history_.deviant_lists.size()));
    return;
  }
  longest.insert(longest.end(), elements.begin() + static_cast<long>(common), elements.end());
  add_bare(Op::read_list, object, static_cast<std::int64_t>(elements.size()));
}

void HistoryBuilder::add_write_register(ObjectIndex object, Scalar value) {
  add_bare(Op::write_register, object, value.bits());
}

void HistoryBuilder::add_read_register(ObjectIndex object, Scalar value) {
  add_bare(Op::read_register, object, value.bits());
}

void HistoryBuilder::end_txn() {
  if (history_.op_kind.size() >= kNone) {
    throw std::length_error("a history of more than 4,294,967,294 operations");
  }
  history_.txn_first_op.push_back(static_cast<OpIndex>(history_.op_kind.size()));
}

void HistoryBuilder::use_tables(std::span<const RecordedTable> tables) {
  used_tables_.clear();
  for (const RecordedTable& recorded : tables) {
    used_tables_.push_back(table(recorded.name, recorded.key, recorded.columns));
  }
}

void HistoryBuilder::add(const Attempt& attempt) {
  begin_txn({.id = attempt.id,
             .client = attempt.client,
             .flags = {attempt.outcome, attempt.one_transaction},
             .begin = attempt.begin_ns,
             .end = attempt.end_ns,
             .task = History::TaskNumber{attempt.trial, static_cast<std::int32_t>(attempt.task),
                                         attempt.try_number},
             .reply = attempt.error ? to_text(*attempt.error) : attempt.reply,
             .session = attempt.session,
             .failure = failure_of(attempt)});
  for (const Operation& operation : attempt.operations) add_operation(operation);
  end_txn();
}

std::uint32_t HistoryBuilder::known_statement(int number, std::string_view sql) {
  if (number < 0) return kNone;
  const auto id = static_cast<std::size_t>(number);
  if (id >= known_statements_.size()) known_statements_.resize(id + 1, kNone);
  if (known_statements_[id] == kNone) known_statements_[id] = statement(sql);
  return known_statements_[id];
}

std::optional<Failure> HistoryBuilder::failure_of(const Attempt& attempt) {
  if (!attempt.error) return std::nullopt;
  Failure failure{.kind = attempt.error->kind};
  if (!attempt.failed) return failure;
  const FailedStatement& failed = *attempt.failed;
  failure.statement = known_statement(failed.statement, failed.sql);
  failure.begin = failed.begin_ns;
  failure.end = failed.end_ns;
  if (failed.table >= 0 && failed.key) {
    const std::uint32_t table = used_tables_[static_cast<std::size_t>(failed.table)];
    failure.object = object(table, scalars().integer(*failed.key));
  }
  return failure;
}

void HistoryBuilder::add_operation(const Operation& operation) {
  const std::uint32_t table = used_tables_[static_cast<std::size_t>(operation.table)];
  Stamp stamp{.writer = operation.writer,
              .statement = known_statement(operation.statement, operation.sql),
              .begin = operation.begin_ns,
              .end = operation.end_ns};
  if (operation.kind != OperationKind::predicate_read) {
    add_cells(table, operation.values);
    for (const Change& change : operation.changes) {
      add_cell(column(table, change.column), change.kind, scalars().value(change.value));
    }
    add(op_of(operation.kind), object(table, scalars().integer(operation.key)), operation.version,
        stamp);
    return;
  }
  BoundPredicate bound{.table = table};
  for (const Comparison& comparison : operation.predicate) {
    bound.comparisons.push_back({column(table, comparison.column), comparison.comparator,
                                 scalars().value(comparison.value)});
  }
  add(Op::predicate_read, table, predicate(std::move(bound)), stamp);
  for (const SeenRow& row : operation.rows) {
    add_cells(table, row.values);
    stamp.writer = row.writer;
    add(Op::seen_row, object(table, scalars().integer(row.key)), row.version, stamp);
  }
}

void HistoryBuilder::add_cells(std::uint32_t table, std::span<const NamedValue> values) {
  for (const NamedValue& named : values) {
    add_cell(column(table, named.column), ChangeKind::set, scalars().value(named.value));
  }
}

void HistoryBuilder::add_final_row(std::uint32_t table, Scalar key, Version version,
                                   AttemptId writer) {
  history_.final_rows.push_back({object(table, key), version, writer});
  history_.has_final_state = true;
}

History HistoryBuilder::finish() {
  const std::size_t count = history_.txn_id.size();
  if (!history_.txn_begin.empty()) {
    history_.txn_begin.resize(count);
    history_.txn_end.resize(count);
  }
  if (!history_.txn_task.empty()) history_.txn_task.resize(count);
  if (!history_.txn_session.empty()) history_.txn_session.resize(count);
  if (!history_.txn_reply.empty()) {
    history_.txn_reply.resize(count, static_cast<std::uint32_t>(scalars().text("").bits() >> 2));
  }
  History finished = std::move(history_);
  *this = HistoryBuilder(finished.form);
  return finished;
}

}  // namespace hilsa
