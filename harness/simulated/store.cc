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

TableNumber Store::number_of(const Table& table) {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].shape->name == table.name) return static_cast<TableNumber>(i);
  }
  tables_.push_back({&table, checks_of(table), {}});
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
