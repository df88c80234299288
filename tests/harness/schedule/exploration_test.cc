// Whole explorations on simulated databases: what each strategy comes to over all schedules is
// exact, so it is tested to the number.
#include "harness/schedule/exploration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/database/usage_error.h"
#include "harness/simulated/simulated_database.h"

namespace hilsa::tests {
namespace {

using simulated::Bug;
using simulated::Level;

const Workload& workload_named(std::string_view name) {
  for (const Workload* const workload : all_workloads()) {
    if (workload->name == name) return *workload;
  }
  throw std::logic_error("no such workload");
}

const Strategy& strategy_of(const Workload& workload, std::string_view name) {
  for (const Strategy& strategy : workload.strategies) {
    if (strategy.name == name) return strategy;
  }
  throw std::logic_error("no such strategy");
}

ExplorationPlan plan_of(const Workload& workload, int clients = 2) {
  ExplorationPlan plan{.workload = &workload, .clients = clients};
  for (const Option& option : workload.options) plan.options[option.name] = option.in_trials;
  return plan;
}

ExploredStrategy explore(Database& database, const ExplorationPlan& plan,
                         std::string_view strategy) {
  const auto watch = database.watch_blocking();
  std::stop_source never;
  Exploration exploration(database, **watch, plan, never.get_token());
  return exploration.explore(
      strategy_of(*plan.workload, strategy), std::nullopt,
      [](const History&, const ExploredStrategy&) { return Exploration::Findings(); },
      [](const Exploration::Progress&) {});
}

ExploredStrategy explore_at(Level level, const Workload& workload, std::string_view strategy,
                            int clients = 2, Bug bug = Bug::none) {
  SimulatedDatabase database("sim:", {.level = level, .bug = bug, .free_schedule = true});
  return explore(database, plan_of(workload, clients), strategy);
}

// Both read before either COMMIT: of the 92 orders, the 12 in which one is through before the other
// reads are all that is safe.
TEST(Exploration, CountsTheSchedulesThatSellTheLastPieceTwice) {
  const Workload& oversell = workload_named("oversell");
  const ExploredStrategy explored = explore_at(Level::read_committed, oversell, "read-then-write");
  EXPECT_TRUE(explored.exhaustive);
  EXPECT_EQ(explored.all, 92);
  EXPECT_EQ(explored.violating, 80);
  EXPECT_LT(explored.run, 30);
  EXPECT_EQ(explored.outcomes.at("done, refused"), 6);
  EXPECT_EQ(explored.outcomes.at("refused, done"), 6);
  ASSERT_TRUE(explored.shortest_violating);
  EXPECT_EQ(explored.shortest_violating->switches, 2);
  EXPECT_EQ(explored.shortest_violating->broken[0].first, "oversold");
}

// Who waits for its turn has not sent anything yet.
TEST(Exploration, StatementsBeginWhenTheyAreSentAndNotWhenTheyAreHeldBack) {
  const ExploredStrategy explored =
      explore_at(Level::read_committed, workload_named("oversell"), "read-then-write");
  ASSERT_TRUE(explored.shortest_violating);
  const RunSchedule& schedule = *explored.shortest_violating;
  for (const TakenStep& step : schedule.steps) ASSERT_FALSE(step.waited);
  std::vector<std::pair<Nanoseconds, Nanoseconds>> spans;
  const History& history = schedule.history;
  for (std::size_t txn = 0; txn < history.txn_id.size(); ++txn) {
    if (history.txn_client[txn] == 0) continue;  // set-up
    for (OpIndex op = history.txn_first_op[txn]; op < history.txn_first_op[txn + 1]; ++op) {
      EXPECT_LE(history.txn_begin[txn], history.op_begin[op]);
      spans.emplace_back(history.op_begin[op], history.op_end[op]);
    }
  }
  ASSERT_GE(spans.size(), 4U);
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) {
    EXPECT_LE(spans[i - 1].second, spans[i].first) << "two at once, where one ran at a time";
  }
}

TEST(Exploration, NoScheduleBreaksASafeStrategyAtAnyLevel) {
  for (const Level level :
       {Level::read_committed, Level::snapshot, Level::serializable_2pl, Level::serializable_ssi}) {
    SimulatedDatabase database("sim:", {.level = level, .free_schedule = true});
    const Traits& traits = database.traits();
    for (const Workload* const workload : all_workloads()) {
      if (workload->history_decides) continue;
      for (const Strategy& strategy : workload->strategies) {
        if (strategy.promise(traits, strategy.isolation.value_or(traits.default_isolation)) !=
            Promise::safe) {
          continue;
        }
        ExplorationPlan plan = plan_of(*workload);
        plan.schedules_max = 300;
        plan.samples_max = 20;
        const ExploredStrategy explored = explore(database, plan, strategy.name);
        EXPECT_EQ(explored.violating, 0)
            << workload->name << ", " << strategy.name << " at " << name_of(level);
        EXPECT_GT(explored.run, 0);
      }
    }
  }
}

TEST(Exploration, AWriteSkewNeedsBothToHaveCountedBeforeEitherLeaves) {
  const Workload& doctors = workload_named("doctors");
  EXPECT_GT(explore_at(Level::snapshot, doctors, "count-then-leave").violating, 0);
  EXPECT_EQ(explore_at(Level::serializable_ssi, doctors, "count-then-leave").violating, 0);
  EXPECT_EQ(explore_at(Level::serializable_2pl, doctors, "count-then-leave").violating, 0);
  EXPECT_GT(explore_at(Level::serializable_2pl, doctors, "count-then-leave").deadlocks, 0);
}

// The alarm works: a database that loses writes breaks what cannot break.
TEST(Exploration, APlantedBugIsFound) {
  const Workload& wallet = workload_named("wallet");
  SimulatedDatabase database(
      "sim:", {.level = Level::read_committed, .bug = Bug::lost_write, .free_schedule = true});
  ExplorationPlan plan = plan_of(wallet, 3);
  plan.schedules_max = 500;
  EXPECT_GT(explore(database, plan, "atomic").violating, 0);
}

// What is skipped would have shown nothing else: with and without, every count is the same.
TEST(Exploration, WhatIsSkippedIsLikeWhatIsRun) {
  for (const Level level :
       {Level::read_committed, Level::snapshot, Level::serializable_2pl, Level::serializable_ssi}) {
    SimulatedDatabase database("sim:", {.level = level, .free_schedule = true});
    for (const char* const name : {"oversell", "wallet", "doctors", "seats", "report"}) {
      const Workload& workload = workload_named(name);
      for (const Strategy& strategy : workload.strategies) {
        ExploredStrategy explored[2];
        for (const bool skips_nothing : {false, true}) {
          ExplorationPlan plan = plan_of(workload);
          plan.skips_nothing = skips_nothing;
          explored[skips_nothing ? 1 : 0] = explore(database, plan, strategy.name);
        }
        SCOPED_TRACE(std::string(name) + ", " + std::string(strategy.name) + " at " +
                     std::string(name_of(level)));
        EXPECT_EQ(explored[0].all, explored[1].all);
        EXPECT_EQ(explored[0].violating, explored[1].violating);
        EXPECT_EQ(explored[0].outcomes, explored[1].outcomes);
        EXPECT_EQ(explored[0].deadlocks, explored[1].deadlocks);
        EXPECT_EQ(static_cast<double>(explored[1].run), explored[1].all);
      }
    }
  }
}

TEST(Exploration, PastItsBoundItSaysWhatIsCovered) {
  const Workload& oversell = workload_named("oversell");
  SimulatedDatabase database("sim:", {.level = Level::read_committed, .free_schedule = true});
  ExplorationPlan plan = plan_of(oversell, 3);
  plan.schedules_max = 60;
  plan.samples_max = 40;
  const ExploredStrategy explored = explore(database, plan, "read-then-write");
  EXPECT_FALSE(explored.exhaustive);
  EXPECT_EQ(explored.sampled, 40);
  EXPECT_GE(explored.complete_switches, 2);
  EXPECT_GT(explored.all, explored.stood_for);
  EXPECT_GT(explored.violating, 0);
}

TEST(Exploration, AStopEndsIt) {
  const Workload& oversell = workload_named("oversell");
  SimulatedDatabase database("sim:", {.level = Level::read_committed, .free_schedule = true});
  const auto watch = database.watch_blocking();
  std::stop_source stop;
  Exploration exploration(database, **watch, plan_of(oversell, 3), stop.get_token());
  const ExploredStrategy explored = exploration.explore(
      strategy_of(oversell, "read-then-write"), std::nullopt,
      [](const History&, const ExploredStrategy&) { return Exploration::Findings(); },
      [&stop](const Exploration::Progress& now) {
        if (now.run == 5) stop.request_stop();
      });
  EXPECT_EQ(explored.run, 5);
  EXPECT_FALSE(explored.exhaustive);
}

}  // namespace
}  // namespace hilsa::tests
