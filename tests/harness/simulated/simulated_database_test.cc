// Whole experiments on simulated databases: clients, pool, recorder and all.
#include "harness/simulated/simulated_database.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <sstream>
#include <string>
#include <thread>

#include "harness/database/usage_error.h"
#include "harness/history/deadlock_report.h"
#include "harness/run/experiment.h"
#include "harness/simulated/true_graph.h"
#include "tests/harness/history/temporary_file.h"
#include "workloads/table/tracked.h"

namespace hilsa::tests {
namespace {

using simulated::Level;

const Workload& oversell() { return *all_workloads().front(); }

const Strategy& strategy_named(std::string_view name) {
  for (const Strategy& strategy : oversell().strategies) {
    if (strategy.name == name) return strategy;
  }
  throw std::logic_error("no such strategy");
}

ExperimentPlan plan_of(std::string_view strategy) {
  ExperimentPlan plan;
  plan.workload = &oversell();
  plan.rows = {{&strategy_named(strategy), std::nullopt, ""}};
  plan.options = {{"stock", 1}};
  plan.clients = plan.pool = 8;
  plan.trials = 3;
  plan.think = std::chrono::milliseconds(5);
  plan.seed = 7;
  return plan;
}

RowResult run_on(Database& database, const ExperimentPlan& plan) {
  std::stop_source source;
  Experiment experiment(database, plan, source.get_token());
  return experiment.run([](const Experiment::Progress&) {}).front();
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string history_of(ExperimentPlan plan, Level level) {
  const TemporaryFile file;
  SimulatedDatabase database("sim:", {.level = level});
  plan.rows.front().history_file = file.path();
  run_on(database, plan);
  return text_of(file.path());
}

TEST(SimulatedDatabase, OneSeedGivesOneHistoryByteForByte) {
  for (const Level level : {Level::read_uncommitted, Level::read_committed, Level::snapshot,
                            Level::serializable_2pl, Level::serializable_ssi}) {
    ExperimentPlan plan = plan_of("read-then-write");
    const std::string history = history_of(plan, level);
    EXPECT_EQ(history_of(plan, level), history) << name_of(level);
    EXPECT_NE(history.find("\"started_at\":\"1970-01-01T00:00:00Z\""), std::string::npos);
    plan.seed = 8;
    EXPECT_NE(history_of(plan, level), history) << name_of(level);
  }
}

TEST(SimulatedDatabase, APoolSmallerThanTheClientsIsAsDeterministic) {
  ExperimentPlan plan = plan_of("for-update");
  plan.pool = 2;
  plan.tasks = 200;
  plan.rate = 1000;
  EXPECT_EQ(history_of(plan, Level::read_committed), history_of(plan, Level::read_committed));
}

TEST(SimulatedDatabase, WaitingForThePoolCostsTheClientsTimeOnly) {
  SimulatedDatabase database("sim:", {.level = Level::read_committed});
  ExperimentPlan plan = plan_of("atomic");
  plan.pool = 1;
  plan.options["stock"] = 100;
  plan.think = std::chrono::minutes(1);
  plan.pool_wait = std::chrono::minutes(2);
  const RowResult result = run_on(database, plan);
  EXPECT_GT(result.tally.count(ErrorKind::pool_timeout), 0);
  EXPECT_GT(result.running, std::chrono::minutes(2));
}

// As `hilsa compare` would run it.
ExperimentPlan default_plan_of(const Workload& workload, const Strategy& strategy) {
  ExperimentPlan plan;
  plan.workload = &workload;
  plan.rows = {{&strategy, std::nullopt, ""}};
  for (const Option& option : workload.options) plan.options[option.name] = option.in_trials;
  plan.clients = plan.pool = workload.clients_in_trials;
  plan.trials = workload.trials;
  plan.think = workload.think_in_trials;
  plan.seed = 7;
  return plan;
}

TEST(SimulatedDatabase, StrategiesOfEveryWorkloadDoAsTheyPromise) {
  for (const Level level : {Level::read_uncommitted, Level::read_committed, Level::snapshot,
                            Level::serializable_2pl, Level::serializable_ssi}) {
    for (const Workload* const workload : all_workloads()) {
      if (workload->history_decides) continue;
      for (const Strategy& strategy : workload->strategies) {
        SimulatedDatabase database("sim:", {.level = level});
        const RowResult result = run_on(database, default_plan_of(*workload, strategy));
        const bool safe = result.promised == Promise::safe;
        EXPECT_EQ(result.measured(), safe ? Measured::safe : Measured::unsafe)
            << workload->name << ", " << strategy.name << " at " << name_of(level) << ": "
            << result.first_violation;
      }
    }
  }
}

TEST(SimulatedDatabase, RunsAtTheLevelInItsUrl) {
  SimulatedDatabase database("sim:snapshot", {.level = Level::snapshot});
  EXPECT_EQ(database.traits().default_isolation, Isolation::repeatable_read);
  ExperimentPlan plan = plan_of("atomic");
  plan.rows.front().isolation = Isolation::read_committed;
  try {
    run_on(database, plan);
    FAIL() << "it took another level";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "a simulated database runs at the level in its URL, here sim:snapshot; leave out "
                 "--isolation");
  }
}

TEST(SimulatedDatabase, AFreeScheduleIsThreadSafeAndKeepsItsLevel) {
  SimulatedDatabase database("sim:", {.free_schedule = true, .keep_log = true});
  EXPECT_EQ(database.schedule(), nullptr);
  ExperimentPlan plan = plan_of("read-then-write");
  plan.think = std::chrono::microseconds(100);
  plan.retry.backoff_unit = std::chrono::milliseconds(1);
  plan.tasks = 150;
  plan.trials = 1;
  plan.options["stock"] = 100;
  EXPECT_EQ(run_on(database, plan).trials_violated, 0);
  EXPECT_TRUE(anomalies_of(database.truth(), database.store()).serializable());
}

const Table kItems{.name = "items", .columns = {{"id"}, {"value"}}};
const Statement kInsert = insert_row(kItems);
const Statement kSet = update_row(kItems, {set("value", param(1))});

class TwoSessions : public ::testing::Test {
 protected:
  explicit TwoSessions(std::chrono::milliseconds timeout = std::chrono::seconds(30))
      : database_("sim:", {.level = Level::read_committed, .free_schedule = true},
                  {.statement_timeout = timeout}),
        first_(*database_.open_session()),
        second_(*database_.open_session()) {
    run(*second_, kInsert, {1, 0, 1});
    first_->execute(begin_at(std::nullopt));
    run(*first_, kSet, {1, 1, 1});
  }
  static Expected<Result> run(Session& session, const Statement& statement,
                              const std::vector<std::int64_t>& numbers) {
    const std::vector<Value> parameters(numbers.begin(), numbers.end());
    return session.execute(statement, parameters);
  }
  // Blocks: the row is locked.
  std::future<Expected<Result>> second_sets() {
    return std::async(std::launch::async, [this] { return run(*second_, kSet, {1, 2, 2}); });
  }

  SimulatedDatabase database_;
  std::unique_ptr<Session> first_;
  std::unique_ptr<Session> second_;
};

TEST_F(TwoSessions, WhoWaitsGoesOnWhenTheLockIsFree) {
  auto set = second_sets();
  EXPECT_TRUE(first_->execute(commit()));
  EXPECT_EQ(set.get()->affected, 1);
}

TEST_F(TwoSessions, ASessionThatIsClosedRollsBack) {
  auto set = second_sets();
  first_ = nullptr;
  EXPECT_EQ(set.get()->affected, 1);
}

TEST_F(TwoSessions, AnInterruptEndsAWait) {
  auto set = second_sets();
  second_->interrupt();
  const auto result = set.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::interrupted);
  EXPECT_TRUE(second_->execute(rollback()));
}

class ShortPatience : public TwoSessions {
 protected:
  ShortPatience() : TwoSessions(std::chrono::milliseconds(20)) {}
};

TEST_F(ShortPatience, AStatementWaitsForItsTimeoutAndNoLonger) {
  const auto result = second_sets().get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::statement_timeout);
  EXPECT_TRUE(first_->execute(commit()));
  EXPECT_EQ(run(*second_, kSet, {1, 2, 2})->affected, 1);
}

TEST(SimulatedDatabaseSession, SqlTextIsRefused) {
  SimulatedDatabase database("sim:", {});
  const auto result = (*database.open_session())->execute(raw_sql("SELECT 1"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sqlstate, "0A000");
}

const Table kOddlyChecked{.name = "odd", .columns = {{"id"}, {"value"}}, .check = "value <> 3"};

TEST(SimulatedDatabaseSession, AnUnknownCheckIsRefusedInWords) {
  const Statement insert = insert_row(kOddlyChecked);
  SimulatedDatabase database("sim:", {});
  const std::vector<Value> parameters = {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}};
  EXPECT_THROW((*database.open_session())->execute(insert, parameters), DatabaseUnusable);
}

TEST(SimulatedDatabase, TheVictimOfADeadlockIsToldTheCircle) {
  SimulatedDatabase database("sim:", {.level = Level::read_committed, .free_schedule = true});
  const Table table{.name = "rows", .columns = {{"id"}, {"value"}}};
  const Statement insert = insert_row(table);
  const Statement set_value = update_row(table, {set("value", param(1))});
  const auto first = *database.open_session();
  const auto second = *database.open_session();
  const Value one = std::int64_t{1};
  const Value two = std::int64_t{2};
  for (const Value& key : {one, two}) {
    ASSERT_TRUE(first->execute(insert, std::vector<Value>{key, one, one}));
  }
  ASSERT_TRUE(first->execute(begin_at(std::nullopt)));
  ASSERT_TRUE(second->execute(begin_at(std::nullopt)));
  ASSERT_TRUE(first->execute(set_value, std::vector<Value>{one, one, one}));
  ASSERT_TRUE(second->execute(set_value, std::vector<Value>{two, one, one}));
  // Whoever comes second closes the circle; the other then goes on.
  Expected<Result> of_first;
  std::thread client([&] {
    of_first = first->execute(set_value, std::vector<Value>{two, one, one});
  });
  const auto of_second = second->execute(set_value, std::vector<Value>{one, one, one});
  if (!of_second) second->execute(rollback());
  if (of_second) second->execute(commit());
  client.join();
  ASSERT_NE(of_first.has_value(), of_second.has_value());
  const Error& error = of_first ? of_second.error() : of_first.error();
  const auto report = deadlock_in_error(error.server_text);
  ASSERT_TRUE(report) << error.server_text;
  ASSERT_EQ(report->waits.size(), 2U);
  EXPECT_EQ(report->waits[0].session, (of_first ? second : first)->server_id());
  EXPECT_EQ(report->waits[0].blocked_by, report->waits[1].session);
  EXPECT_EQ(report->waits[1].blocked_by, report->waits[0].session);
}

// A run's tables have the names that the last run's had.
TEST(SimulatedDatabase, ATableThatIsMadeAgainIsEmpty) {
  const Table table{.name = "again", .columns = {{"id"}, {"value"}}, .unique = {"value"}};
  const Statement insert = insert_row(table);
  const Statement read = read_row(table, {"value"});
  SimulatedDatabase database("sim:", {.free_schedule = true});
  const auto session = *database.open_session();
  const Value one = std::int64_t{1};
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(session->execute(create_table(table).front()));
    EXPECT_TRUE(session->execute(read, std::vector<Value>{one})->rows.empty());
    EXPECT_TRUE(session->execute(insert, std::vector<Value>{one, one, one}));
    EXPECT_TRUE(session->execute(drop_table(table)));
  }
  ASSERT_TRUE(session->execute(begin_at(std::nullopt)));
  EXPECT_FALSE(session->execute(read, std::vector<Value>{one})->rows.empty());
  const auto other = *database.open_session();
  EXPECT_FALSE(other->execute(create_table(table).front())) << "somebody is at work in it";
}

}  // namespace
}  // namespace hilsa::tests
