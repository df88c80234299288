// The replay goes backwards from the version wanted: a column's value is the last one that was set,
// inserted or read, and the changes by an amount that came after it.
#include "checkers/row_values.h"

#include <algorithm>

namespace hilsa {
namespace {

// Reads of one version tell the same; a few cover the columns that are ever asked for.
constexpr int kReadsMax = 100;

bool names_a_row(Op op) { return is_stamped_write(op) || op == Op::read || op == Op::seen_row; }

// The value after a change; nothing when the two do not fit together.
std::optional<Value> changed(const Value& before, ChangeKind change, const Value& by) {
  if (change == ChangeKind::append) {
    const auto* const text = std::get_if<std::string>(&before);
    const auto* const more = std::get_if<std::string>(&by);
    if (text == nullptr || more == nullptr) return std::nullopt;
    return Value(text->empty() ? *more : *text + "," + *more);
  }
  const auto* const number = std::get_if<std::int64_t>(&before);
  const auto* const amount = std::get_if<std::int64_t>(&by);
  if (number == nullptr || amount == nullptr) return std::nullopt;
  std::int64_t result = 0;
  const bool overflows = change == ChangeKind::add
                             ? __builtin_add_overflow(*number, *amount, &result)
                             : __builtin_sub_overflow(*number, *amount, &result);
  if (overflows) return std::nullopt;
  return Value(result);
}

OpIndex find_version(const std::vector<std::pair<Version, OpIndex>>& entries, Version version) {
  const auto found = std::lower_bound(entries.begin(), entries.end(), std::pair(version, 0U));
  return found != entries.end() && found->first == version ? found->second : kNone;
}

}  // namespace

class RowValues::Replay {
 public:
  Replay(const History& history, std::size_t columns)
      : history_(history), columns_(columns), open_(columns) {}

  bool is_finished() const { return open_ == 0; }

  void see_read(OpIndex op) {
    for (const Cell& cell : history_.cells_of(op)) settle(cell);
  }
  void see_write(OpIndex op) {
    for (const Cell& cell : history_.cells_of(op)) {
      if (cell.change == ChangeKind::set) {
        settle(cell);
      } else if (cell.column < columns_.size() && !columns_[cell.column].settled) {
        columns_[cell.column].later.push_back(cell);
      }
    }
  }
  std::vector<std::optional<Value>> values() const {
    std::vector<std::optional<Value>> values;
    for (const Column& column : columns_) values.push_back(column.value);
    return values;
  }

 private:
  struct Column {
    bool settled = false;
    std::optional<Value> value;
    std::vector<Cell> later;  // changes on top of it, the last one first
  };

  void settle(const Cell& cell) {
    if (cell.column >= columns_.size()) return;
    Column& column = columns_[cell.column];
    if (column.settled) return;
    column.settled = true;
    --open_;
    column.value = history_.scalars.value_of(cell.value);
    for (auto change = column.later.rbegin(); change != column.later.rend(); ++change) {
      if (!column.value) return;
      column.value =
          changed(*column.value, change->change, history_.scalars.value_of(change->value));
    }
  }

  const History& history_;
  std::vector<Column> columns_;
  std::size_t open_;
};

RowValues::RowValues(const History& history, std::span<const OpIndex> mentioned)
    : history_(history) {
  if (history.form != Form::stamped) return;
  for (const OpIndex op : mentioned) {
    if (op >= history.operations() || !names_a_row(history.op_kind[op])) continue;
    Row& row = rows_[history.op_object[op]];
    row.highest = std::max(row.highest, history.op_number[op] + 1);
  }
  if (rows_.empty()) return;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    for (OpIndex op = history.first_op(txn); op < history.end_op(txn); ++op) collect(op, txn);
  }
  for (auto& [object, row] : rows_) {
    std::sort(row.writes.begin(), row.writes.end());
    std::sort(row.reads.begin(), row.reads.end());
  }
}

void RowValues::collect(OpIndex op, TxnIndex txn) {
  const Op kind = history_.op_kind[op];
  const Version version = history_.op_number[op];
  if (!names_a_row(kind) || version <= kUnborn) return;
  const auto found = rows_.find(history_.op_object[op]);
  if (found == rows_.end() || version > found->second.highest) return;
  Row& row = found->second;
  if (is_stamped_write(kind)) {
    // An aborted attempt's number is used again by the next.
    if (history_.txn_flags[txn].outcome != AttemptOutcome::aborted) {
      row.writes.emplace_back(version, op);
    }
  } else if (version + 2 >= row.highest && !history_.cells_of(op).empty()) {
    // Reads of older versions add nothing that writes do not tell, and are many.
    row.reads.emplace_back(version, op);
  }
}

OpIndex RowValues::write_of(ObjectIndex object, Version version) const {
  const auto found = rows_.find(object);
  return found == rows_.end() ? kNone : find_version(found->second.writes, version);
}

std::vector<std::optional<Value>> RowValues::at(ObjectIndex object, Version version) const {
  const auto found = rows_.find(object);
  if (found == rows_.end()) return {};
  const Row& row = found->second;
  const auto& table = history_.header.tables[history_.object_table[object]];
  Replay replay(history_, table.columns.size());
  for (Version at = version; at > kUnborn && !replay.is_finished(); --at) {
    const OpIndex write = find_version(row.writes, at);
    auto read = std::lower_bound(row.reads.begin(), row.reads.end(), std::pair(at, 0U));
    for (int i = 0; i < kReadsMax && read != row.reads.end() && read->first == at; ++i, ++read) {
      // Not the version of that number that an aborted attempt made.
      const AttemptId writer = history_.op_writer.empty() ? 0 : history_.op_writer[read->second];
      const bool same =
          write == kNone || writer == 0 || writer == history_.txn_id[history_.txn_of(write)];
      if (same) replay.see_read(read->second);
    }
    if (write == kNone) break;
    replay.see_write(write);
  }
  return replay.values();
}

}  // namespace hilsa
