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

std::optional<std::int64_t> UniqueIndex::value_in(bool exists, const Cells& cells) const {
  const auto* number = exists ? std::get_if<std::int64_t>(&cells.at(column_)) : nullptr;
  if (number == nullptr) return std::nullopt;
  return *number;
}

bool UniqueIndex::has_other(const std::map<std::int64_t, Row>& rows, std::int64_t value,
                            std::int64_t key) {
  const auto found = keys_.find(value);
  if (found == keys_.end()) return false;
  // Rows of transactions that were rolled back.
  std::erase_if(found->second, [&](std::int64_t other) { return !rows.contains(other); });
  return std::any_of(found->second.begin(), found->second.end(), [&](std::int64_t other) {
    const RowVersion* const newest = alive(rows.at(other).newest());
    return other != key && newest != nullptr && value_in(true, newest->cells) == value;
  });
}

TableNumber Store::number_of(const Table& table) {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].shape->name == table.name) return static_cast<TableNumber>(i);
  }
  StoredTable& stored = tables_.emplace_back();
  stored.shape = &table;
  stored.checks = checks_of(table);
  for (const std::uint32_t column : unique_columns_of(table)) stored.unique.emplace_back(column);
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
