#include "workloads/table/final_state.h"

#include <utility>

#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

DatabaseUnusable unreadable(Session& session, const Error& error) {
  if (session.usable()) session.execute(rollback());
  return DatabaseUnusable("cannot read the final state: " + to_text(error));
}

}  // namespace

FinalState::FinalState(Session& session) : session_(session) {
  // The level that gives one snapshot on every product.
  const auto begun = session_.execute(begin_at(Isolation::repeatable_read));
  if (!begun) throw unreadable(session_, begun.error());
}

FinalState::~FinalState() {
  if (session_.usable()) session_.execute(commit());
}

std::vector<Row> FinalState::select(const Statement& statement,
                                    std::initializer_list<Value> parameters) {
  const auto result = session_.execute(statement, {parameters.begin(), parameters.size()});
  if (!result) throw unreadable(session_, result.error());
  std::vector<Row> rows;
  for (const std::vector<Value>& values : result->rows) {
    SeenRow seen = seen_row(statement.structure(), values);
    rows.emplace_back(seen.key, std::move(seen.values), seen.version);
  }
  return rows;
}

Row FinalState::read(const Statement& statement, std::initializer_list<Value> parameters) {
  std::vector<Row> rows = select(statement, parameters);
  if (rows.empty()) throw DatabaseUnusable("a row that a trial began with is gone");
  return std::move(rows.front());
}

std::int64_t sum_of(const std::vector<Row>& rows, std::string_view column) {
  std::int64_t sum = 0;
  for (const Row& row : rows) sum += row[column];
  return sum;
}

}  // namespace hilsa
