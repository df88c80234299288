#include "harness/simulated/store.h"

#include <algorithm>

namespace hilsa::simulated {

const RowVersion* Row::newest_committed() const {
  const auto found = std::find_if(versions.rbegin(), versions.rend(),
                                  [](const RowVersion& v) { return v.committed != kNotCommitted; });
  return found == versions.rend() ? nullptr : &*found;
}

const RowVersion* Row::uncommitted_of_others(TxnId self) const {
  if (versions.empty()) return nullptr;
  const RowVersion& last = versions.back();
  return last.committed == kNotCommitted && last.txn != self ? &last : nullptr;
}

const RowVersion* View::of(const Row& row) const {
  if (uncommitted) return row.newest();
  const auto sees = [this](const RowVersion& version) {
    if (version.txn == self) return true;
    return version.committed != kNotCommitted && version.committed <= snapshot &&
           (hidden.empty() || std::find(hidden.begin(), hidden.end(), version.txn) == hidden.end());
  };
  const auto found = std::find_if(row.versions.rbegin(), row.versions.rend(), sees);
  return found == row.versions.rend() ? nullptr : &*found;
}

std::optional<std::int64_t> ColumnIndex::value_in(bool exists, const Cells& cells) const {
  const auto* number = exists ? std::get_if<std::int64_t>(&cells.at(column_)) : nullptr;
  if (number == nullptr) return std::nullopt;
  return *number;
}

const std::set<std::int64_t>& ColumnIndex::keys(std::int64_t value) const {
  static const std::set<std::int64_t> none;
  const auto found = keys_.find(value);
  return found == keys_.end() ? none : found->second;
}

bool ColumnIndex::has_other(const std::map<std::int64_t, Row>& rows, std::int64_t value,
                            std::int64_t key) const {
  const std::set<std::int64_t>& candidates = keys(value);
  return std::any_of(candidates.begin(), candidates.end(), [&](std::int64_t candidate) {
    const auto row = rows.find(candidate);
    if (candidate == key || row == rows.end()) return false;
    const RowVersion* const newest = alive(row->second.newest());
    return newest != nullptr && value_in(true, newest->cells) == value;
  });
}

const std::set<std::int64_t>* Store::keys_by_index(const Predicate& predicate) const {
  for (const ColumnIndex& index : tables_[predicate.table].indexes) {
    for (const Test& test : predicate.tests) {
      const auto* number = std::get_if<std::int64_t>(&test.value);
      const bool helps = test.column == index.column() && test.comparator == Comparator::equal;
      if (helps && number != nullptr) return &index.keys(*number);
    }
  }
  return nullptr;
}

TableNumber Store::number_of(const Table& table) {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].shape->name == table.name) return static_cast<TableNumber>(i);
  }
  StoredTable& stored = tables_.emplace_back();
  stored.shape = &table;
  stored.checks = checks_of(table);
  for (const std::uint32_t column : columns_of(table, table.unique)) {
    stored.indexes.emplace_back(column, true);
  }
  for (const std::uint32_t column : columns_of(table, table.indexed)) {
    stored.indexes.emplace_back(column, false);
  }
  return static_cast<TableNumber>(tables_.size() - 1);
}

void Store::trim(Row& row, CommitNumber oldest) {
  constexpr std::size_t kMany = 256;
  constexpr std::ptrdiff_t kKept = 64;
  if (row.versions.size() < kMany || row.versions.size() % kMany != 0) return;
  const auto needed = std::find_if(row.versions.begin(), row.versions.end(), [&](const auto& v) {
    return v.committed == kNotCommitted || v.committed >= oldest;
  });
  // The last version before `needed` is what a reader at `oldest` sees.
  const std::ptrdiff_t unseen = needed - row.versions.begin() - 1;
  const auto forgotten = std::min(unseen, static_cast<std::ptrdiff_t>(row.versions.size()) - kKept);
  if (forgotten > 0) row.versions.erase(row.versions.begin(), row.versions.begin() + forgotten);
}

}  // namespace hilsa::simulated
