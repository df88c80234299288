// What goes wrong in mid-schedule on a real server, at an exact point of an exploration: it ends
// with a sentence, and what it had made is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "harness/database/usage_error.h"
#include "harness/run/trial.h"
#include "harness/schedule/exploration.h"
#include "harness/servers/temp_server.h"
#include "tests/harness/database/servers_for_tests.h"
#include "tests/harness/schedule/meddled_database.h"
#include "workloads/oversell.h"

namespace hilsa::tests {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

ExplorationPlan plan_of(const Workload& workload) {
  ExplorationPlan plan{.workload = &workload};
  for (const Option& option : workload.options) plan.options[option.name] = option.in_trials;
  return plan;
}

// One exploration, of `read-then-write`: a read, an update, an insert.
class Explored {
 public:
  explicit Explored(Database& database)
      : watch_(*database.watch_blocking()),
        exploration_(database, *watch_, plan_of(oversell()), {}) {}

  // What it ends with; empty: it came to its end.
  std::string end() {
    try {
      exploration_.explore(
          oversell().strategies[1], std::nullopt,
          [](const History&, const ExploredStrategy&) { return Exploration::Findings(); },
          [](const Exploration::Progress&) {});
    } catch (const DatabaseUnusable& error) {
      return error.what();
    }
    return "";
  }

 private:
  std::unique_ptr<BlockWatch> watch_;
  Exploration exploration_;
};

// The `nth` statement of that kind, over all clients and schedules.
std::function<bool(const Statement&)> nth_of(StatementKind kind, int nth) {
  auto seen = std::make_shared<std::atomic<int>>(0);
  return [=](const Statement& statement) { return statement.kind() == kind && ++*seen == nth; };
}

class CutShortOnProduct : public ::testing::TestWithParam<std::string> {
 protected:
  static bool is(std::string_view product) { return GetParam() == product; }

  static std::string left_behind(Database& database) {
    const auto session = connect(database);
    const auto names = session->execute(
        raw_sql(is("sqlite") ? "SELECT name FROM sqlite_master WHERE name LIKE 'hilsa%'"
                             : "SELECT table_name FROM information_schema.tables WHERE "
                               "table_schema LIKE 'hilsa%' OR table_name LIKE 'hilsa%'"));
    if (!names) return to_text(names.error());
    std::string found;
    for (const auto& name : names->rows) found += to_text(name[0]) + " ";
    return found;
  }
};

INSTANTIATE_TEST_SUITE_P(Products, CutShortOnProduct,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(CutShortOnProduct, AClientThatDies) {
  if (is("sqlite")) GTEST_SKIP() << "no server, no connection to lose";
  const auto real = open_for_test(GetParam());
  const auto outside = connect(*real);
  const auto now = nth_of(StatementKind::update, 7);
  MeddledDatabase database(*real, [&](const Statement& statement, Session& client) {
    if (now(statement)) {
      const std::string number = std::to_string(client.server_id());
      const auto ended =
          outside->execute(is("postgres") ? raw_sql("SELECT pg_terminate_backend(" + number + ")")
                                          : definition_sql("KILL " + number));
      EXPECT_TRUE(ended) << to_text(ended.error());
    }
    return std::nullopt;
  });
  EXPECT_THAT(Explored(database).end(),
              AllOf(HasSubstr("the UPDATE of client "), HasSubstr("lost its connection")));
  EXPECT_EQ(left_behind(*real), "");
}

// Somebody outside has locked the rows and sits there.
TEST_P(CutShortOnProduct, AStatementThatNeverReturns) {
  const auto real =
      open_for_test(GetParam(), {.statement_timeout = std::chrono::milliseconds(500)});
  const auto outside = connect(*real);
  const auto now = nth_of(StatementKind::begin, 3);  // of the second schedule: nobody has locks
  MeddledDatabase database(*real, [&](const Statement& statement, Session&) {
    if (now(statement)) {
      EXPECT_TRUE(outside->execute(begin_at(std::nullopt)));
      const std::string table = real->table_prefix() + "products";
      const auto locked = outside->execute(raw_sql("UPDATE " + table + " SET stock = stock"));
      EXPECT_TRUE(locked) << to_text(locked.error());
    }
    return std::nullopt;
  });
  {
    Explored explored(database);
    const std::string end = explored.end();
    if (is("sqlite")) {
      // It refuses a reader who wants to write at once; who begins with a write waits.
      EXPECT_THAT(end, HasSubstr("database is locked"));
    } else {
      EXPECT_THAT(end, AllOf(HasSubstr("the UPDATE of client "),
                             HasSubstr("does somebody else hold a lock")));
    }
    EXPECT_TRUE(outside->execute(rollback()));
  }
  EXPECT_EQ(left_behind(*real), "");
}

TEST_P(CutShortOnProduct, AServerThatGoesAway) {
  if (is("sqlite")) GTEST_SKIP() << "no server";
  auto server = std::make_unique<TempServer>(parse_url("temp:" + GetParam()));
  const auto real = open_database(server->url(), {});
  const auto now = nth_of(StatementKind::update, 7);
  MeddledDatabase database(*real, [&](const Statement& statement, Session&) {
    if (now(statement)) server.reset();
    return std::nullopt;
  });
  EXPECT_THAT(Explored(database).end(),
              AnyOf(HasSubstr("lost its connection"), HasSubstr("cannot see who waits for whom")));
}

}  // namespace
}  // namespace hilsa::tests
