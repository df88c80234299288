#include "tests/harness/simulated/scene.h"

#include "workloads/table/tracked.h"

namespace hilsa::tests {
namespace {

const Table kTest{.name = "test", .columns = {{"id"}, {"value"}}, .check = "value >= 0"};

const Statement kRead = read_row(kTest, {"value"});
const Statement kReadForUpdate = read_row(kTest, {"value"}, Lock::update);
const Statement kReadForShare = read_row(kTest, {"value"}, Lock::share);
const Statement kReadValue = read_rows(kTest, {"value"}, {equal("value", param(0))});
const Statement kReadAll = read_rows(kTest, {"value"}, {at_least("value", Value(std::int64_t{0}))});
const Conditions kAtLeastTen = {at_least("value", Value(std::int64_t{10}))};
const Statement kFirst = read_first_rows(kTest, {"value"}, kAtLeastTen, 1);
const Statement kFirstForUpdate = read_first_rows(kTest, {"value"}, kAtLeastTen, 1, Lock::update);
const Statement kFirstUnlocked =
    read_first_rows(kTest, {"value"}, kAtLeastTen, 1, Lock::update_skip_locked);
const Statement kSet = update_row(kTest, {set("value", param(1))});
const Statement kAdd = update_row(kTest, {add("value", param(1))});
const Statement kMove = update_rows(kTest, {set("value", param(1))}, {equal("value", param(0))});
const Statement kInsert = insert_row(kTest);
const Statement kErase = erase_row(kTest);
const NamedLock kLock = advisory_lock(kTest);
const Statement kInsertIfFewer = insert_row_if_fewer(kTest, {equal("value", param(1))}, param(2));

const Table kOnce{.name = "once", .columns = {{"id"}, {"value"}}, .unique = {"value"}};
const Statement kInsertOnce = insert_row(kOnce);
const Statement kSetOnce = update_row(kOnce, {set("value", param(1))});
const Statement kEraseOnce = erase_row(kOnce);

std::string text_of(const Statement& statement, const Result& result) {
  switch (statement.kind()) {
    case StatementKind::read_row:
      return result.rows.empty() ? "none" : to_text(result.rows[0][1]);
    case StatementKind::read_rows: {
      std::string text;
      for (const auto& row : result.rows) {
        text += (text.empty() ? "" : " ") + to_text(row[0]) + "=" + to_text(row[1]);
      }
      return text.empty() ? "none" : text;
    }
    case StatementKind::update:
    case StatementKind::insert:
    case StatementKind::erase:
      return std::to_string(result.affected) + (result.affected == 1 ? " row" : " rows");
    case StatementKind::insert_if_fewer: {
      const auto counted = static_cast<std::int64_t>(result.rows.size()) - result.affected;
      return std::to_string(result.affected) + (result.affected == 1 ? " row, " : " rows, ") +
             std::to_string(counted) + " counted";
    }
    default:
      return "ok";
  }
}

}  // namespace

Scene::Scene(simulated::Level level, simulated::Bug bug) : engine_({level, bug, true}) {
  constexpr int kSetUp = 0;
  begin(kSetUp);
  insert(kSetUp, 1, 10);
  insert(kSetUp, 2, 20);
  commit(kSetUp);
}

Came Scene::run(int number, const Statement& statement, std::vector<Value> parameters) {
  Session& session = sessions_[number];
  session.statement = &statement;
  session.parameters = std::move(parameters);
  session.parameters.emplace_back(std::int64_t{number});  // as the attempt that writes
  return resume(number);
}

Came Scene::resume(int number) {
  Session& session = sessions_[number];
  if (session.connection.waits()) return "waits";
  const auto answer = engine_.step(session.connection, *session.statement, session.parameters);
  engine_.take_woken();
  if (!answer) return "waits";
  if (!answer->has_value()) return std::string(name_of(answer->error().kind));
  return text_of(*session.statement, **answer);
}

Came Scene::begin(int session, std::optional<Isolation> level) {
  return run(session, begin_at(level));
}
Came Scene::commit(int session) { return run(session, hilsa::commit()); }
Came Scene::rollback(int session) { return run(session, hilsa::rollback()); }
Came Scene::read(int session, std::int64_t key, Lock lock) {
  if (lock == Lock::none) return run(session, kRead, {key});
  return run(session, lock == Lock::update ? kReadForUpdate : kReadForShare, {key});
}
Came Scene::read_value(int session, std::int64_t value) {
  return run(session, kReadValue, {value});
}
Came Scene::read_all(int session) { return run(session, kReadAll); }
Came Scene::first(int session, Lock lock) {
  if (lock == Lock::none) return run(session, kFirst);
  return run(session, lock == Lock::update ? kFirstForUpdate : kFirstUnlocked);
}
Came Scene::set(int session, std::int64_t key, std::int64_t value) {
  return run(session, kSet, {key, value});
}
Came Scene::add(int session, std::int64_t key, std::int64_t by) {
  return run(session, kAdd, {key, by});
}
Came Scene::move(int session, std::int64_t from, std::int64_t to) {
  return run(session, kMove, {from, to});
}
Came Scene::insert(int session, std::int64_t key, std::int64_t value) {
  return run(session, kInsert, {key, value});
}
Came Scene::erase(int session, std::int64_t key) { return run(session, kErase, {key}); }
Came Scene::insert_if_fewer(int session, std::int64_t key, std::int64_t value, std::int64_t limit) {
  return run(session, kInsertIfFewer, {key, value, limit});
}
Came Scene::insert_once(int session, std::int64_t key, std::int64_t value) {
  return run(session, kInsertOnce, {key, value});
}
Came Scene::set_once(int session, std::int64_t key, std::int64_t value) {
  return run(session, kSetOnce, {key, value});
}
Came Scene::erase_once(int session, std::int64_t key) { return run(session, kEraseOnce, {key}); }
Came Scene::lock(int session, std::int64_t name) { return run(session, kLock.take, {name}); }

}  // namespace hilsa::tests
