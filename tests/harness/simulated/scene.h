// Sessions on a simulated database that take steps in the order in which a test tells them to, as
// in Hermitage's tables (github.com/ept/hermitage): table `test` with rows 1 (value 10) and 2
// (value 20).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/simulated/engine.h"
#include "harness/simulated/true_graph.h"

namespace hilsa::tests {

// What a step came to, as text: `10`, `none`, `1=10 2=20`, `1 row`, `ok`, `waits`, or the error's
// kind: `deadlock`.
using Came = std::string;

class Scene {
 public:
  explicit Scene(simulated::Level level, simulated::Bug bug = simulated::Bug::none);

  Came begin(int session, std::optional<Isolation> level = std::nullopt);
  Came commit(int session);
  Came rollback(int session);

  Came read(int session, std::int64_t key, Lock lock = Lock::none);
  Came read_value(int session, std::int64_t value);  // rows with this value
  Came read_all(int session);
  Came first(int session, Lock lock = Lock::none);  // the row of the lowest key with value >= 10
  Came set(int session, std::int64_t key, std::int64_t value);
  Came add(int session, std::int64_t key, std::int64_t by);
  // UPDATE … SET value = to WHERE value = from
  Came move(int session, std::int64_t from, std::int64_t to);
  Came insert(int session, std::int64_t key, std::int64_t value);
  Came erase(int session, std::int64_t key);
  Came lock(int session, std::int64_t name);
  // The row, if fewer than `limit` rows have its value: `1 row`, and how many were counted.
  Came insert_if_fewer(int session, std::int64_t key, std::int64_t value, std::int64_t limit);
  // In a table `once` whose values are unique, and which begins empty.
  Came insert_once(int session, std::int64_t key, std::int64_t value);
  Came set_once(int session, std::int64_t key, std::int64_t value);
  Came erase_once(int session, std::int64_t key);

  // The statement that the session waits with, tried again: what it came to, or `waits`.
  Came resume(int session);

  simulated::Truth truth() const { return engine_.truth(); }
  const simulated::Store& store() const { return engine_.store(); }

 private:
  struct Session {
    simulated::Connection connection;
    const Statement* statement = nullptr;
    std::vector<Value> parameters;
  };
  Came run(int session, const Statement& statement, std::vector<Value> parameters = {});

  simulated::Engine engine_;
  std::map<int, Session> sessions_;
};

}  // namespace hilsa::tests
