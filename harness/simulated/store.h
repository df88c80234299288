// Tables of rows with all their versions, and which version a reader sees.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/attempt.h"
#include "harness/simulated/plan.h"

namespace hilsa::simulated {

// Transactions are numbered from 1 in the order of their first statement.
using TxnId = std::uint32_t;
// Commits are numbered from 1; 0: not committed.
using CommitNumber = std::int64_t;
inline constexpr CommitNumber kNotCommitted = 0;

struct RowVersion {
  Version number = 1;    // _version
  AttemptId writer = 0;  // _writer
  TxnId txn = 0;         // who made it
  CommitNumber committed = kNotCommitted;
  bool erased = false;  // the row is gone; `cells` are those it had last
  Cells cells;
};

struct Row {
  std::int64_t key = 0;
  // Oldest first. Those of the one transaction that has not committed yet, if any, come last.
  std::vector<RowVersion> versions;

  const RowVersion* newest() const { return versions.empty() ? nullptr : &versions.back(); }
  const RowVersion* newest_committed() const;
  // Somebody else's, not committed.
  const RowVersion* uncommitted_of_others(TxnId self) const;
};

// Who sees what. Everybody sees their own versions.
struct View {
  TxnId self = 0;
  // The newest version, committed or not; `snapshot` says nothing then.
  bool uncommitted = false;
  CommitNumber snapshot = 0;  // what was committed up to here …
  std::vector<TxnId> hidden;  // … but not by these

  // Null: no such row yet.
  const RowVersion* of(const Row& row) const;
};

// Null for a version that says that the row is gone.
inline const RowVersion* alive(const RowVersion* version) {
  return version == nullptr || version->erased ? nullptr : version;
}

// An index over one column, of its whole numbers.
class ColumnIndex {
 public:
  ColumnIndex(std::uint32_t column, bool unique) : column_(column), unique_(unique) {}

  std::uint32_t column() const { return column_; }
  bool unique() const { return unique_; }
  // The value that the row has there; nothing if it is no whole number, or the row is not there.
  std::optional<std::int64_t> value_in(bool exists, const Cells& cells) const;
  // The rows that have or had the value in some version, in order, and some that are not there.
  const std::set<std::int64_t>& keys(std::int64_t value) const;
  // Whether another row than this one has the value now, committed or not.
  bool has_other(const std::map<std::int64_t, Row>& rows, std::int64_t value,
                 std::int64_t key) const;
  void add(std::int64_t value, std::int64_t key) { keys_[value].insert(key); }

 private:
  std::uint32_t column_;
  bool unique_;
  std::unordered_map<std::int64_t, std::set<std::int64_t>> keys_;
};

struct StoredTable {
  const Table* shape = nullptr;
  std::vector<RowCheck> checks;
  std::vector<ColumnIndex> indexes;
  std::map<std::int64_t, Row> rows;  // by key; rows never move
};

class Store {
 public:
  // Tables come into being when they are first named; tables of one name are one table.
  TableNumber number_of(const Table& table);
  StoredTable& table(TableNumber number) { return tables_[number]; }
  const StoredTable& table(TableNumber number) const { return tables_[number]; }
  std::size_t tables() const { return tables_.size(); }

  // Calls `visit(row)` for the rows whose key can pass, by key, until it returns false.
  template <typename Visit>
  void scan(const Predicate& predicate, Visit visit) {
    std::map<std::int64_t, Row>& rows = tables_[predicate.table].rows;
    const Predicate::KeyRange range = predicate.keys();
    for (auto at = rows.lower_bound(range.first); at != rows.end() && at->first <= range.last;
         ++at) {
      if (!visit(at->second)) return;
    }
  }
  // The same, but leaves out what an index says cannot pass in any version.
  template <typename Visit>
  void scan_by_index(const Predicate& predicate, Visit visit) {
    const std::set<std::int64_t>* const keys = keys_by_index(predicate);
    if (keys == nullptr) return scan(predicate, visit);
    std::map<std::int64_t, Row>& rows = tables_[predicate.table].rows;
    for (const std::int64_t key : *keys) {
      const auto row = rows.find(key);
      if (row != rows.end() && !visit(row->second)) return;
    }
  }

  // Forgets versions that no snapshot from `oldest` on can see, except for the last few. Only when
  // the row has many, so that it costs O(1) a version made.
  static void trim(Row& row, CommitNumber oldest);

 private:
  // Null: no index helps.
  const std::set<std::int64_t>* keys_by_index(const Predicate& predicate) const;

  std::deque<StoredTable> tables_;
};

}  // namespace hilsa::simulated
