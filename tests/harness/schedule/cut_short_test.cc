// What goes wrong in mid-schedule ends the exploration with a sentence: on simulated databases,
// whose clients get the answers that a server would give. The same on real ones is in products/.
#include "harness/schedule/cut_short.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "harness/database/usage_error.h"
#include "harness/schedule/exploration.h"
#include "harness/schedule/scripted.h"
#include "harness/simulated/simulated_database.h"
#include "tests/harness/schedule/meddled_database.h"
#include "workloads/oversell.h"

namespace hilsa::tests {
namespace {

using simulated::Level;
using ::testing::AllOf;
using ::testing::HasSubstr;

Error error_of(ErrorKind kind) { return {kind, "", 0, "in the server's words"}; }

// The `nth` statement of that kind, counted over all clients and schedules, gets this answer.
MeddledDatabase::Meddle answer(ErrorKind error, StatementKind kind, int nth) {
  auto seen = std::make_shared<std::atomic<int>>(0);
  return [=](const Statement& statement, Session&) -> std::optional<Error> {
    if (statement.kind() != kind || ++*seen != nth) return std::nullopt;
    return error_of(error);
  };
}

// What an exploration on a simulated database ends with; empty: it came to its end.
std::string end_of(const MeddledDatabase::Meddle& meddle, int max_attempts = 1) {
  SimulatedDatabase inner("sim:", {.level = Level::read_committed, .free_schedule = true});
  MeddledDatabase database(inner, meddle);
  const Workload& workload = oversell();
  ExplorationPlan plan{.workload = &workload, .max_attempts = max_attempts};
  for (const Option& option : workload.options) plan.options[option.name] = option.in_trials;
  const auto watch = database.watch_blocking();
  try {
    Exploration exploration(database, **watch, plan, {});
    exploration.explore(
        workload.strategies[1], std::nullopt,
        [](const History&, const ExploredStrategy&) { return Exploration::Findings(); },
        [](const Exploration::Progress&) {});
  } catch (const DatabaseUnusable& error) {
    return error.what();
  }
  return "";
}

TEST(CutShort, AClientThatDiesEndsTheExploration) {
  EXPECT_THAT(end_of(answer(ErrorKind::connection_lost, StatementKind::update, 7)),
              AllOf(HasSubstr("of client "), HasSubstr("lost its connection"),
                    HasSubstr("in the server's words")));
}

// A retry would go on as if nothing had been, with more steps than the schedule has.
TEST(CutShort, AlsoWhereTheClientMayTryAgain) {
  EXPECT_THAT(end_of(answer(ErrorKind::connection_lost, StatementKind::update, 7), 3),
              HasSubstr("lost its connection"));
}

TEST(CutShort, ACommitThatMayHaveHappenedEndsTheExploration) {
  EXPECT_THAT(end_of(answer(ErrorKind::commit_unknown, StatementKind::commit, 5)),
              HasSubstr("may have been done or not"));
}

TEST(CutShort, AStatementThatNeverReturnsEndsTheExploration) {
  EXPECT_THAT(end_of(answer(ErrorKind::statement_timeout, StatementKind::insert, 5)),
              AllOf(HasSubstr("did not return in time"), HasSubstr("--statement-timeout")));
}

TEST(CutShort, WhatADatabaseRefusesIsAnOutcome) {
  EXPECT_EQ(end_of(answer(ErrorKind::serialization_failure, StatementKind::update, 7)), "");
  EXPECT_EQ(end_of(answer(ErrorKind::lock_timeout, StatementKind::update, 7)), "");
}

// A scenario whose victim lost its connection has not been prevented.
TEST(CutShort, AScenarioWithoutItsClientEndsTheMatrix) {
  SimulatedDatabase inner("sim:", {.level = Level::read_committed, .free_schedule = true});
  MeddledDatabase database(inner, answer(ErrorKind::connection_lost, StatementKind::update, 2));
  const auto watch = database.watch_blocking();
  ScriptedRunner runner(database, **watch);
  EXPECT_THROW(runner.run(all_scenarios()[0], std::nullopt), DatabaseUnusable);
}

TEST(CutShort, WhoWaitedInVainIsLockedOutAndWhoDidNotWaitIsNot) {
  const Statement update = raw_sql("UPDATE t SET a = 1");
  std::vector<TakenStep> steps = {{.client = 2, .call = {&update, {}}}};
  steps[0].answer = tl::unexpected(error_of(ErrorKind::lock_timeout));
  EXPECT_NO_THROW(throw_if_locked_out(steps, Product::mysql));
  steps[0].waited = true;
  try {
    throw_if_locked_out(steps, Product::mysql);
    FAIL() << "it must throw";
  } catch (const DatabaseUnusable& error) {
    EXPECT_THAT(error.what(), HasSubstr("the UPDATE of client 2 waited for a lock"));
  }
}

}  // namespace
}  // namespace hilsa::tests
