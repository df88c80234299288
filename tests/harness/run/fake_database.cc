#include "tests/harness/run/fake_database.h"

#include "harness/history/comparison.h"
#include "workloads/table/tracked.h"

namespace hilsa::tests {
namespace {

Value resolved(const Operand& operand, std::span<const Value> parameters) {
  if (const auto* parameter = std::get_if<Parameter>(&operand)) {
    return parameters[static_cast<std::size_t>(parameter->index)];
  }
  return std::get<Value>(operand);
}

}  // namespace

class FakeSession final : public Session {
 public:
  explicit FakeSession(FakeDatabase& database) : database_(database) { ++database_.sessions_open; }
  ~FakeSession() override { --database_.sessions_open; }

  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters) override {
    if (interrupted_) return tl::unexpected(Error{ErrorKind::interrupted, "", 0, ""});
    auto result = database_.execute(statement, parameters);
    if (!result && (result.error().kind == ErrorKind::connection_lost ||
                    result.error().kind == ErrorKind::commit_unknown)) {
      usable_ = false;
    }
    return result;
  }
  bool usable() const override { return usable_; }
  void interrupt() noexcept override { interrupted_ = true; }

 private:
  FakeDatabase& database_;
  bool usable_ = true;
  std::atomic<bool> interrupted_{false};
};

FakeDatabase::FakeDatabase(Fault fault) : Database("fake:"), fault_(std::move(fault)) {
  traits_ = {.product = Product::sqlite, .version = "1"};
}

Expected<std::unique_ptr<Session>> FakeDatabase::open_session() {
  if (sessions_open >= sessions_refused_after) {
    return tl::unexpected(Error{ErrorKind::connection_lost, "53300", 0, "too many clients"});
  }
  ++sessions_opened;
  return std::make_unique<FakeSession>(*this);
}

Expected<Result> FakeDatabase::execute(const Statement& statement,
                                       std::span<const Value> parameters) {
  if (fault_) {
    if (auto error = fault_(statement)) return tl::unexpected(*error);
  }
  const std::lock_guard lock(mutex_);
  switch (statement.kind()) {
    case StatementKind::read_row:
    case StatementKind::read_rows:
      return read(statement.structure(), parameters);
    case StatementKind::update:
      return update(statement.structure(), parameters);
    case StatementKind::insert:
      return insert(statement.structure(), parameters);
    default:
      return Result();
  }
}

Result FakeDatabase::read(const Structure& read, std::span<const Value> parameters) {
  Result result;
  for (const auto& [key, cells] : tables_[read.table]) {
    bool wanted = true;
    for (const Condition& c : read.conditions) {
      wanted = wanted && passes(cells.at(c.column), c.comparator, resolved(c.operand, parameters));
    }
    if (!wanted) continue;
    std::vector<Value>& row = result.rows.emplace_back();
    row.emplace_back(key);
    for (const std::string_view column : read.columns) row.push_back(cells.at(column));
    row.push_back(cells.at("_version"));
    row.push_back(cells.at("_writer"));
  }
  return result;
}

Result FakeDatabase::update(const Structure& update, std::span<const Value> parameters) {
  Result result;
  for (auto& [key, cells] : tables_[update.table]) {
    bool wanted = true;
    for (const Condition& c : update.conditions) {
      wanted = wanted && passes(cells.at(c.column), c.comparator, resolved(c.operand, parameters));
    }
    if (!wanted) continue;
    for (const Assignment& a : update.assignments) {
      Value& cell = cells.at(a.column);
      const Value value = resolved(a.operand, parameters);
      if (a.change == ChangeKind::set) {
        cell = value;
      } else {
        const auto by = std::get<std::int64_t>(value);
        cell = std::get<std::int64_t>(cell) + (a.change == ChangeKind::add ? by : -by);
      }
    }
    const std::int64_t version = std::get<std::int64_t>(cells.at("_version")) + 1;
    cells["_version"] = version;
    cells["_writer"] = parameters[static_cast<std::size_t>(attempt_parameter(update))];
    result.rows.push_back({key, version});
    ++result.affected;
  }
  return result;
}

Result FakeDatabase::insert(const Structure& insert, std::span<const Value> parameters) {
  Cells cells;
  for (std::size_t i = 0; i < insert.columns.size(); ++i) cells[insert.columns[i]] = parameters[i];
  cells["_version"] = std::int64_t{1};
  cells["_writer"] = parameters[insert.columns.size()];
  tables_[insert.table][std::get<std::int64_t>(parameters[0])] = std::move(cells);
  Result result;
  result.affected = 1;
  return result;
}

std::optional<std::int64_t> FakeDatabase::value(const Table& table, std::int64_t key,
                                                std::string_view column) {
  const std::lock_guard lock(mutex_);
  const auto row = tables_[&table].find(key);
  if (row == tables_[&table].end()) return std::nullopt;
  return std::get<std::int64_t>(row->second.at(column));
}

std::int64_t FakeDatabase::rows(const Table& table) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(tables_[&table].size());
}

}  // namespace hilsa::tests
