// How a trial ended, as the database has it: tracked reads in one snapshot, unrecorded. A commit
// that is still on its way cannot come between two of them.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "workloads/table/transaction.h"

namespace hilsa {

class FinalState {
 public:
  // Begins a transaction on the session, which outlives this; the destructor ends it. Everything
  // here throws DatabaseUnusable when the database does not answer.
  explicit FinalState(Session& session);
  ~FinalState();
  FinalState(const FinalState&) = delete;
  FinalState& operator=(const FinalState&) = delete;

  std::vector<Row> select(const Statement& statement, std::initializer_list<Value> parameters);
  // The row with this key, which must exist.
  Row read(const Statement& statement, std::initializer_list<Value> parameters);

 private:
  Session& session_;
};

// Σ of a whole-number column.
std::int64_t sum_of(const std::vector<Row>& rows, std::string_view column);

}  // namespace hilsa
