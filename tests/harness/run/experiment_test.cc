// Clients, retries, trials and recording together, on a database that isolates nothing and breaks
// when told to.
#include "harness/run/experiment.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/database/usage_error.h"
#include "tests/harness/history/temporary_file.h"
#include "tests/harness/run/fake_database.h"

namespace hilsa {
namespace {

using namespace std::chrono_literals;
using tests::FakeDatabase;

const Table kCounter{.name = "counter", .columns = {{"id"}, {"value"}}};
const Statement kRead = read_row(kCounter, {"value"});
const Statement kWrite = update_row(kCounter, {set("value", param(1))});
const Statement kAdd = update_row(kCounter, {add("value", param(1))});
const Statement kInsert = insert_row(kCounter);

TaskResult read_then_write(Transaction& txn, const Task& task) {
  const std::int64_t value = txn.read(kRead, {task.arguments[0]})["value"];
  txn.think();
  txn.update(kWrite, {task.arguments[0], value + 1});
  return done();
}
TaskResult atomic_add(Transaction& txn, const Task& task) {
  txn.update(kAdd, {task.arguments[0], std::int64_t{1}});
  txn.think();
  return done();
}
// Two writes that commit by themselves.
TaskResult add_twice(Transaction& txn, const Task& task) {
  atomic_add(txn, task);
  return atomic_add(txn, task);
}
TaskResult always_conflict(Transaction&, const Task&) { return conflict("never mind"); }
TaskResult always_refuse(Transaction& txn, const Task& task) {
  txn.read(kRead, {task.arguments[0]});
  return refused("no");
}

// Dies between its write and its COMMIT.
TaskResult crash(Transaction& txn, const Task& task) {
  atomic_add(txn, task);
  txn.crash();
}
// Says done, and then cannot commit; says no the second time. See failing_commits().
TaskResult change_its_mind(Transaction& txn, const Task& task) {
  const std::int64_t value = txn.read(kRead, {task.arguments[0]})["value"];
  txn.update(kAdd, {task.arguments[0], std::int64_t{1}});
  return value == 0 ? done({.about = 1, .number = 1}) : refused("no");
}
TaskResult refuse_with_an_answer(Transaction&, const Task&) {
  return refused("no", {.about = 7, .number = 8});
}

Promise safe(const Traits&, Isolation) { return Promise::safe; }
Promise unsafe(const Traits&, Isolation) { return Promise::unsafe; }

constexpr std::array kStrategies = {
    Strategy{.name = "read-then-write", .promise = unsafe, .body = read_then_write},
    Strategy{.name = "atomic", .promise = safe, .body = atomic_add},
    Strategy{.name = "liar", .promise = safe, .body = read_then_write},
    Strategy{.name = "lucky", .promise = unsafe, .body = atomic_add},
    Strategy{.name = "conflict", .promise = safe, .body = always_conflict},
    Strategy{.name = "refuse", .promise = safe, .body = always_refuse},
    Strategy{.name = "autocommit", .promise = unsafe, .body = add_twice, .one_transaction = false},
    Strategy{.name = "crash", .promise = safe, .body = crash},
    Strategy{.name = "change-its-mind", .promise = safe, .body = change_its_mind},
    Strategy{.name = "refuse-with-an-answer", .promise = safe, .body = refuse_with_an_answer},
    Strategy{.name = "locks", .promise = safe, .body = atomic_add, .needs = Feature::row_locks},
};

// The workload asks the fake database itself: measure() gets no SQL answered.
FakeDatabase* asked = nullptr;

Measures measure(Session&, const Trial& trial, const Tally& tally) {
  return {{"value", asked->value(kCounter, trial.first_key, "value").value_or(-1)},
          {"done", tally.count(TaskEnd::done)}};
}
std::optional<std::string> lost(const Measures& m) {
  if (m.at("value") == m.at("done")) return std::nullopt;
  return std::to_string(m.at("value")) + " of " + std::to_string(m.at("done"));
}
constexpr std::array kInvariants = {Invariant{"lost", "value = done", lost}};

const Workload kWorkload{.name = "counter",
                         .clients_called = "counters",
                         .tables = {&kCounter},
                         .strategies = kStrategies,
                         .invariants = kInvariants,
                         .set_up =
                             [](Transaction& txn, const Trial& t) {
                               txn.insert(kInsert, {t.first_key, std::int64_t{0}});
                             },
                         .next_task = [](const Turn& turn) { return Task{{turn.trial.first_key}}; },
                         .measure = measure};

const Strategy& strategy(std::string_view name) {
  for (const Strategy& strategy : kStrategies) {
    if (strategy.name == name) return strategy;
  }
  throw std::logic_error("no such strategy");
}

ExperimentPlan plan_of(std::string_view name, int clients, int trials) {
  ExperimentPlan plan;
  plan.workload = &kWorkload;
  plan.rows = {{&strategy(name), std::nullopt, ""}};
  plan.clients = plan.pool = clients;
  plan.trials = trials;
  plan.retry.backoff_unit = 0ms;
  return plan;
}

RowResult run_one(FakeDatabase& database, const ExperimentPlan& plan, std::stop_token stop = {}) {
  asked = &database;
  Experiment experiment(database, plan, std::move(stop));
  return experiment.run([](const auto&) {}).at(0);
}

TEST(Experiment, ARaceOnADatabaseWithoutIsolationIsSeen) {
  FakeDatabase database;
  ExperimentPlan plan = plan_of("read-then-write", 8, 10);
  plan.think = 1ms;
  const RowResult result = run_one(database, plan);
  EXPECT_EQ(result.trials, 10);
  EXPECT_GT(result.trials_violated, 0);
  EXPECT_EQ(result.measured(), Measured::unsafe);
  EXPECT_EQ(result.violations.at("lost"), result.trials_violated);
}

TEST(Experiment, ABrokenPromiseIsSeen) {
  FakeDatabase database;
  ExperimentPlan plan = plan_of("liar", 8, 5);
  plan.think = 1ms;
  const RowResult result = run_one(database, plan);
  EXPECT_EQ(result.promised, Promise::safe);
  EXPECT_EQ(result.measured(), Measured::unsafe);
}

TEST(Experiment, WhatIsAtomicStaysSafe) {
  FakeDatabase database;
  ExperimentPlan plan = plan_of("atomic", 8, 1);
  plan.tasks = 5000;
  const RowResult result = run_one(database, plan);
  EXPECT_EQ(result.trials_violated, 0);
  EXPECT_EQ(result.tally.count(TaskEnd::done), 5000);
  EXPECT_EQ(result.tally.latency.count(), 5000U);
}

TEST(Experiment, TasksAreSharedOutExactly) {
  for (const std::int64_t tasks : {1, 7, 8, 9, 100}) {
    FakeDatabase database;
    ExperimentPlan plan = plan_of("atomic", 8, 3);
    plan.tasks = tasks;
    EXPECT_EQ(run_one(database, plan).tally.count(TaskEnd::done), tasks) << tasks;
  }
}

TEST(Experiment, OneClientAloneProvesNothing) {
  FakeDatabase database;
  const RowResult result = run_one(database, plan_of("atomic", 1, 3));
  EXPECT_EQ(result.measured(), Measured::unknown);
  EXPECT_EQ(result.why_unknown(), "no two attempts ran at the same time");
}

TEST(Experiment, NothingCommittedProvesNothing) {
  FakeDatabase database;
  const RowResult result = run_one(database, plan_of("conflict", 4, 2));
  EXPECT_EQ(result.measured(), Measured::unknown);
  EXPECT_EQ(result.why_unknown(), "nothing committed");
  EXPECT_EQ(result.tally.count(TaskEnd::gave_up), 8);
  EXPECT_EQ(result.tally.attempts, 8 * 4);
  EXPECT_EQ(result.tally.conflicts, 8 * 4);
}

TEST(Experiment, ARefusalIsAnAnswer) {
  FakeDatabase database;
  const RowResult result = run_one(database, plan_of("refuse", 4, 2));
  EXPECT_EQ(result.tally.count(TaskEnd::refused), 8);
  EXPECT_EQ(result.tally.attempts, 8);
}

// Fails the first `times` COMMITs with this kind, after the set-up of the trial.
FakeDatabase::Fault failing_commits(ErrorKind kind, int times) {
  auto left = std::make_shared<std::atomic<int>>(times);
  auto seen = std::make_shared<std::atomic<int>>(0);
  return [=](const Statement& statement) -> std::optional<Error> {
    if (statement.kind() != StatementKind::commit) return std::nullopt;
    if ((*seen)++ == 0) return std::nullopt;
    if ((*left)-- <= 0) return std::nullopt;
    return Error{kind, "40001", 0, "made up"};
  };
}

TEST(Experiment, ARefusedCommitIsRepeatedAsAWhole) {
  FakeDatabase database(failing_commits(ErrorKind::serialization_failure, 3));
  const RowResult result = run_one(database, plan_of("refuse", 2, 1));
  EXPECT_EQ(result.tally.count(TaskEnd::refused), 2);
  EXPECT_EQ(result.tally.count(ErrorKind::serialization_failure), 3);
  EXPECT_EQ(result.tally.retries, 3);
  EXPECT_EQ(result.tally.attempts, 5);
}

TEST(Experiment, AfterTheLastAttemptTheTaskGivesUp) {
  FakeDatabase database(failing_commits(ErrorKind::deadlock, 1000));
  const RowResult result = run_one(database, plan_of("refuse", 2, 1));
  EXPECT_EQ(result.tally.count(TaskEnd::gave_up), 2);
  EXPECT_EQ(result.tally.attempts, 8);
}

TEST(Experiment, ACommitWithoutAnAnswerIsUnknownAndNeverRepeated) {
  FakeDatabase database(failing_commits(ErrorKind::commit_unknown, 1));
  const RowResult result = run_one(database, plan_of("refuse", 2, 1));
  EXPECT_EQ(result.tally.count(TaskEnd::unknown), 1);
  EXPECT_EQ(result.tally.count(TaskEnd::refused), 1);
  EXPECT_EQ(result.tally.attempts, 2);
}

TEST(Experiment, WhatNoRetryHelpsFailsAtOnce) {
  FakeDatabase database(failing_commits(ErrorKind::other, 1));
  const RowResult result = run_one(database, plan_of("refuse", 2, 1));
  EXPECT_EQ(result.tally.count(TaskEnd::failed), 1);
  EXPECT_EQ(result.tally.attempts, 2);
}

// Lets the updates before the n-th through, and fails that one.
FakeDatabase::Fault failing_update(int n) {
  auto seen = std::make_shared<std::atomic<int>>(0);
  return [=](const Statement& statement) -> std::optional<Error> {
    if (statement.kind() != StatementKind::update || ++*seen != n) return std::nullopt;
    return Error{ErrorKind::busy, "", 5, "made up"};
  };
}

TEST(Experiment, StatementsThatCommittedByThemselvesAreNotRepeated) {
  FakeDatabase database(failing_update(2));
  const RowResult result = run_one(database, plan_of("autocommit", 1, 1));
  EXPECT_EQ(result.tally.count(TaskEnd::failed), 1);
  EXPECT_EQ(result.tally.attempts, 1);
  EXPECT_EQ(result.highest.at("value"), 1);
}

TEST(Experiment, BeforeTheFirstOfThemAnErrorMayBeRepeated) {
  FakeDatabase database(failing_update(1));
  const RowResult result = run_one(database, plan_of("autocommit", 1, 1));
  EXPECT_EQ(result.tally.count(TaskEnd::done), 1);
  EXPECT_EQ(result.tally.attempts, 2);
  EXPECT_EQ(result.highest.at("value"), 2);
}

TEST(Experiment, ACrashedWorkersTaskIsNotRepeatedAndItsConnectionIsReplaced) {
  std::atomic<int> rollbacks{0};
  FakeDatabase database([&](const Statement& statement) -> std::optional<Error> {
    if (statement.kind() == StatementKind::rollback) ++rollbacks;
    return std::nullopt;
  });
  ExperimentPlan plan = plan_of("crash", 1, 1);
  plan.tasks = 3;
  plan.collected_attempts_max = 100;
  const RowResult result = run_one(database, plan);
  EXPECT_EQ(result.tally.count(TaskEnd::failed), 3);
  EXPECT_EQ(result.tally.attempts, 3);
  EXPECT_EQ(result.tally.count(ErrorKind::connection_lost), 3);
  EXPECT_NE(result.tally.error_texts[static_cast<std::size_t>(ErrorKind::connection_lost)].find(
                "crashed on purpose"),
            std::string::npos);
  EXPECT_EQ(result.tally.committed, 0);
  // Those that worked nobody uses again. One more makes the tables, one sets up and looks, and one
  // removes the tables.
  EXPECT_EQ(database.sessions_opened, 3 + 3);
  EXPECT_EQ(rollbacks, 0);
  ASSERT_EQ(result.history->transactions(), 4U);
  for (TxnIndex txn = 1; txn < 4; ++txn) {
    EXPECT_EQ(result.history->txn_flags[txn].outcome, AttemptOutcome::aborted);
  }
}

TEST(Experiment, AnAnswerCountsWithTheEndThatItWasGivenWith) {
  FakeDatabase database;
  const RowResult result = run_one(database, plan_of("refuse-with-an-answer", 2, 1));
  ASSERT_EQ(result.tally.refused.size(), 2U);
  EXPECT_EQ(result.tally.refused[0].number, 8);
  EXPECT_TRUE(result.tally.acknowledged.empty());
}

// The fake database keeps what was not committed: the second attempt sees it.
TEST(Experiment, WhatWasSaidBeforeACommitThatFailedDoesNotCount) {
  FakeDatabase database(failing_commits(ErrorKind::serialization_failure, 1));
  const RowResult result = run_one(database, plan_of("change-its-mind", 1, 1));
  EXPECT_EQ(result.tally.count(TaskEnd::refused), 1);
  EXPECT_TRUE(result.tally.refused.empty());
  EXPECT_TRUE(result.tally.acknowledged.empty());
}

TEST(Experiment, TooFewConnectionsEndInPoolTimeouts) {
  FakeDatabase database;
  ExperimentPlan plan = plan_of("read-then-write", 4, 1);
  plan.pool = 1;
  plan.pool_wait = 1ms;
  plan.think = 200ms;
  const RowResult result = run_one(database, plan);
  EXPECT_EQ(result.tally.count(TaskEnd::done), 1);
  EXPECT_EQ(result.tally.count(ErrorKind::pool_timeout), 3);
  EXPECT_EQ(result.tally.count(TaskEnd::failed), 3);
}

TEST(Experiment, OneConnectionForAllSerializesEverything) {
  FakeDatabase database;
  ExperimentPlan plan = plan_of("read-then-write", 8, 3);
  plan.pool = 1;
  plan.think = 1ms;
  const RowResult result = run_one(database, plan);
  EXPECT_EQ(result.trials_violated, 0);
  EXPECT_EQ(result.overlap, 1);
}

TEST(Experiment, MoreClientsThanTheServerTakesSaysWhatToDo) {
  FakeDatabase database;
  database.sessions_refused_after = 5;
  try {
    run_one(database, plan_of("atomic", 8, 1));
    FAIL() << "was let in";
  } catch (const DatabaseUnusable& error) {
    EXPECT_NE(std::string(error.what()).find("of 8 were opened; lower --clients"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(database.sessions_open, 0);
}

TEST(Experiment, WhatTheProductLacksIsAClearError) {
  FakeDatabase database;
  EXPECT_THROW(run_one(database, plan_of("locks", 2, 1)), UsageError);
  ExperimentPlan plan = plan_of("atomic", 2, 1);
  plan.rows[0].isolation = Isolation::read_committed;
  try {
    run_one(database, plan);
    FAIL() << "was accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "SQLite has no isolation level 'read committed'; it has serializable");
  }
}

TEST(Experiment, AStopEndsItSoonWithWhatWasDone) {
  std::atomic<bool> at_work{false};
  FakeDatabase database([&](const Statement& statement) -> std::optional<Error> {
    if (statement.kind() == StatementKind::read_row) at_work = true;
    return std::nullopt;
  });
  std::stop_source source;
  ExperimentPlan plan = plan_of("read-then-write", 4, 1);
  plan.duration = 1h;
  plan.think = 1h;
  std::jthread stopper([&] {
    while (!at_work) std::this_thread::yield();
    source.request_stop();
  });
  const RowResult result = run_one(database, plan, source.get_token());
  EXPECT_LE(result.tally.tasks(), 4);
  EXPECT_EQ(database.sessions_open, 0);
}

TEST(Experiment, AStopBeforeItBeginsLeavesNothing) {
  FakeDatabase database;
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(run_one(database, plan_of("atomic", 4, 1), source.get_token()), Interrupted);
  EXPECT_EQ(database.sessions_open, 0);
}

TEST(Experiment, AStopInMidTaskOfStatementsWithoutATransactionProvesNothing) {
  std::stop_source source;
  FakeDatabase database([&](const Statement& statement) -> std::optional<Error> {
    // Between the two writes of a task.
    if (statement.kind() == StatementKind::update) source.request_stop();
    return std::nullopt;
  });
  const RowResult result = run_one(database, plan_of("autocommit", 2, 1), source.get_token());
  EXPECT_EQ(result.trials, 0);
  EXPECT_EQ(result.measured(), Measured::unknown);
}

TEST(Experiment, ALostControlConnectionIsReplaced) {
  // The first statement that is not a client's, the set-up's BEGIN, finds the connection cut.
  std::atomic<bool> cut{false};
  FakeDatabase database([&](const Statement& statement) -> std::optional<Error> {
    if (statement.kind() != StatementKind::begin || cut.exchange(true)) return std::nullopt;
    return Error{ErrorKind::connection_lost, "", 0, "made up"};
  });
  const RowResult result = run_one(database, plan_of("atomic", 2, 1));
  EXPECT_EQ(result.trials, 1);
  EXPECT_EQ(result.tally.count(TaskEnd::done), 2);
}

TEST(Experiment, WhatWasFinishedIsKeptWhenTheDatabaseGoes) {
  std::atomic<int> begins{0};
  FakeDatabase database([&](const Statement& statement) -> std::optional<Error> {
    // The first trial has three transactions: its set-up and two tasks.
    if (statement.kind() != StatementKind::begin || ++begins <= 3) return std::nullopt;
    return Error{ErrorKind::other, "", 0, "made up"};
  });
  asked = &database;
  Experiment experiment(database, plan_of("atomic", 2, 5), {});
  const RowResult result = experiment.run([](const auto&) {}).at(0);
  EXPECT_EQ(result.trials, 1);
  EXPECT_EQ(experiment.broken_off(), "cannot set up a trial: error: made up");
}

TEST(Experiment, RefusalsAloneProveNothing) {
  FakeDatabase database;
  const RowResult result = run_one(database, plan_of("refuse", 8, 5));
  EXPECT_EQ(result.measured(), Measured::unknown);
  EXPECT_EQ(result.why_unknown(), "no task was done");
}

TEST(Experiment, WhatWasNotPutToTheTestIsNotCalledSafeAgainstItsPromise) {
  Workload workload = kWorkload;
  workload.untested = [](const Measures&) -> std::optional<std::string_view> { return "luck"; };
  const auto result_of = [&](std::string_view name) {
    FakeDatabase database;
    ExperimentPlan plan = plan_of(name, 8, 1);
    plan.workload = &workload;
    plan.think = 5ms;  // so that attempts meet
    return run_one(database, plan);
  };
  const RowResult promised = result_of("atomic");
  EXPECT_EQ(promised.untested, "luck");
  EXPECT_EQ(promised.measured(), Measured::safe);
  const RowResult not_promised = result_of("lucky");
  EXPECT_EQ(not_promised.measured(), Measured::unknown);
  EXPECT_EQ(not_promised.why_unknown(), "luck");
}

TEST(Experiment, AHistoryThatCannotBeWrittenIsAUsageError) {
  FakeDatabase database;
  ExperimentPlan plan = plan_of("atomic", 2, 1);
  plan.rows[0].history_file = "/nowhere/history.jsonl";
  EXPECT_THROW(run_one(database, plan), UsageError);
  EXPECT_EQ(database.sessions_opened, 0) << "before the database is touched";
}

TEST(Experiment, OneSeedFixesEveryClientsChoices) {
  static std::mutex mutex;
  static std::multiset<std::uint64_t> chosen;
  Workload workload = kWorkload;
  workload.next_task = [](const Turn& turn) {
    const std::lock_guard lock(mutex);
    chosen.insert(turn.rng.next());
    return Task{{turn.trial.first_key}};
  };
  const auto choices_with = [&](std::uint64_t seed) {
    FakeDatabase database;
    ExperimentPlan plan = plan_of("atomic", 4, 2);
    plan.workload = &workload;
    plan.tasks = 100;
    plan.seed = seed;
    chosen.clear();
    run_one(database, plan);
    return chosen;
  };
  const auto first = choices_with(1);
  EXPECT_EQ(first, choices_with(1));
  EXPECT_NE(first, choices_with(2));
}

TEST(Experiment, RowsTakeTurnsTrialByTrial) {
  FakeDatabase database;
  asked = &database;
  ExperimentPlan plan = plan_of("atomic", 2, 3);
  plan.rows.push_back({&strategy("refuse"), std::nullopt, ""});
  Experiment experiment(database, plan, {});
  std::vector<std::string> order;
  experiment.run([&](const Experiment::Progress& now) {
    const std::string name(now.strategy);
    if (order.size() <= static_cast<std::size_t>(now.trials_finished)) order.push_back(name);
  });
  EXPECT_EQ(order,
            (std::vector<std::string>{"atomic", "refuse", "atomic", "refuse", "atomic", "refuse"}));
}

TEST(Experiment, TheHistoryHoldsEveryAttempt) {
  const TemporaryFile file;
  FakeDatabase database(failing_commits(ErrorKind::serialization_failure, 5));
  ExperimentPlan plan = plan_of("read-then-write", 4, 2);
  plan.rows[0].history_file = file.path().string();
  plan.collected_attempts_max = 10'000;  // in memory as well
  plan.tasks = 200;
  const RowResult result = run_one(database, plan);
  std::ifstream lines(file.path());
  std::string line;
  std::int64_t attempts = 0;
  std::int64_t aborted = 0;
  std::int64_t set_ups = 0;
  bool ended = false;
  while (std::getline(lines, line)) {
    const auto json = nlohmann::json::parse(line);
    if (json.contains("attempt")) {
      ++attempts;
      if (json["outcome"] == "aborted") ++aborted;
      if (json["client"] == 0) ++set_ups;
    }
    ended = json.contains("end") && json["end"].is_object();
  }
  EXPECT_EQ(attempts, result.tally.attempts + 2);
  ASSERT_TRUE(result.history.has_value());
  EXPECT_EQ(static_cast<std::int64_t>(result.history->transactions()), attempts);
  EXPECT_EQ(set_ups, 2);
  EXPECT_EQ(aborted, 5);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace hilsa
