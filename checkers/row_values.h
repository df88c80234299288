// What rows held: the values of a row in one of its versions, from a read of it, or replayed from
// the changes that lead there.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/history/history.h"

namespace hilsa {

class RowValues {
 public:
  // For the rows of these operations, in versions up to the highest that they name, and one more.
  // One pass over the history: O(operations). The history outlives this.
  RowValues(const History& history, std::span<const OpIndex> mentioned);

  // By place of the column; nothing where the history does not tell. O(versions back to the last
  // one that says it).
  std::vector<std::optional<Value>> at(ObjectIndex object, Version version) const;

  // The committed write that made the version, or kNone.
  OpIndex write_of(ObjectIndex object, Version version) const;

 private:
  struct Row {
    Version highest = 0;
    std::vector<std::pair<Version, OpIndex>> writes;  // sorted
    std::vector<std::pair<Version, OpIndex>> reads;   // sorted
  };
  class Replay;

  void collect(OpIndex op, TxnIndex txn);

  const History& history_;
  std::unordered_map<ObjectIndex, Row> rows_;
};

}  // namespace hilsa
