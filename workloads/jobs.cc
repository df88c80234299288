// The job queue in a table: many workers look for the next job, and each must be done exactly once,
// also when a worker dies in the middle of one.
//
// A worker takes the first job that waits, works (--think), adds a row to runs and marks the job as
// done. With --follow-ups the job leaves another one behind, so that the queue never runs dry. A
// worker that dies does so when it has worked and before it has said so; nobody rolls back for it.
#include "workloads/jobs.h"

#include <algorithm>
#include <array>
#include <map>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

// Without the state in the index InnoDB would look at, and lock, every job that was ever done.
const Table kJobs{
    .name = "jobs", .columns = {{"id"}, {"queue"}, {"state"}}, .indexed = {"queue, state"}};
const Table kRuns{.name = "runs", .columns = {{"id"}, {"queue"}, {"job"}}, .indexed = {"queue"}};

constexpr std::int64_t kWaiting = 0;
constexpr std::int64_t kTaken = 1;
constexpr std::int64_t kDone = 2;

const Conditions kWaitingIn = {equal("queue", param(0)), equal("state", Value(kWaiting))};
const Statement kFirst = read_first_rows(kJobs, {"state"}, kWaitingIn, 1);
const Statement kFirstForUpdate = read_first_rows(kJobs, {"state"}, kWaitingIn, 1, Lock::update);
const Statement kFirstUnlocked =
    read_first_rows(kJobs, {"state"}, kWaitingIn, 1, Lock::update_skip_locked);
const Statement kMarkTaken = update_row(kJobs, {set("state", Value(kTaken))});
const Statement kMarkDone = update_row(kJobs, {set("state", Value(kDone))});
const Statement kInsertJob = insert_row(kJobs);
const Statement kInsertRun = insert_row(kRuns);

struct Shift {
  explicit Shift(const Task& task)
      : queue(task.arguments[0]),
        crashes(task.arguments[1] != 0),
        follow_ups(task.trial->option("follow-ups")) {}
  std::int64_t queue;
  bool crashes;
  std::int64_t follow_ups;
};

constexpr std::string_view kNothing = "nothing to do";

// The work is done: says so, unless the worker dies now.
TaskResult finish(Transaction& txn, const Shift& shift, std::int64_t job) {
  const std::int64_t run = txn.new_key();
  txn.insert(kInsertRun, {run, shift.queue, job});
  if (shift.crashes) txn.crash();
  txn.update(kMarkDone, {job});
  for (std::int64_t i = 0; i < shift.follow_ups; ++i) {
    txn.insert(kInsertJob, {made_up_key(txn.attempt(), i), shift.queue, kWaiting});
  }
  return done({.about = job, .number = run});
}

TaskResult do_next(Transaction& txn, const Task& task, const Statement& next) {
  const Shift shift(task);
  const std::vector<Row> found = txn.select(next, {shift.queue});
  if (found.empty()) return refused(kNothing);
  txn.think();  // this is the job
  return finish(txn, shift, found.front().key());
}

TaskResult select_then_update(Transaction& txn, const Task& task) {
  return do_next(txn, task, kFirst);
}

TaskResult for_update(Transaction& txn, const Task& task) {
  return do_next(txn, task, kFirstForUpdate);
}

TaskResult skip_locked(Transaction& txn, const Task& task) {
  return do_next(txn, task, kFirstUnlocked);
}

TaskResult claim(Transaction& txn, const Task& task) {
  const std::vector<Row> found = txn.select(kFirstUnlocked, {Shift(task).queue});
  if (found.empty()) return refused(kNothing);
  txn.update(kMarkTaken, {found.front().key()});
  return done({.about = found.front().key()});
}

TaskResult finish_claimed(Transaction& txn, const Task& task) {
  return finish(txn, Shift(task), task.answer.about);
}

constexpr std::array kStrategies = {
    Strategy{.name = "select-then-update",
             .summary = "find the first job that waits, do it, mark it as done",
             .promise = where_lost_updates_fail,
             .body = select_then_update},
    Strategy{.name = "for-update",
             .summary = "lock the job while finding it (FOR UPDATE): workers queue for one job",
             .promise = always,
             .body = for_update,
             .needs = Feature::row_locks},
    Strategy{.name = "skip-locked",
             .summary = "lock the first job that nobody has locked (FOR UPDATE SKIP LOCKED)",
             .promise = always,
             .body = skip_locked,
             .needs = Feature::skip_locked},
    Strategy{.name = "claim-first",
             .summary = "mark it as taken, COMMIT, do it, mark it as done: a crash loses the job",
             .promise = never,
             .body = claim,
             .afterwards = finish_claimed,
             .needs = Feature::skip_locked},
    Strategy{.name = "serializable",
             .summary = "select-then-update at SERIALIZABLE, retried when the database refuses",
             .promise = where_lost_updates_fail,
             .body = select_then_update,
             .isolation = Isolation::serializable},
};

constexpr std::array kOptions = {
    Option{.name = "jobs",
           .summary = "jobs that wait at first",
           .in_trials = 20,
           .in_sustained = 100,
           .lowest = 1,
           .highest = kKeysPerAttempt},
    Option{.name = "follow-ups",
           .summary = "jobs that a job enqueues when it is done",
           .in_trials = 0,
           .in_sustained = 1,
           .highest = 10},
    Option{.name = "crash-every",
           .summary = "every so many tasks the worker dies in mid-job; 0: never",
           .in_trials = 5,
           .in_sustained = 50},
};

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("jobs"); ++i) {
    txn.insert(kInsertJob, {made_up_key(trial.first_attempt, i), trial.first_key, kWaiting});
  }
}

Task next_task(const Turn& turn) {
  const std::int64_t every = turn.trial.option("crash-every");
  const std::int64_t number = turn.number * turn.trial.clients + turn.client;  // from 1
  const bool crashes = every > 0 && number % every == 0;
  return {{turn.trial.first_key, crashes ? 1 : 0}, &turn.trial};
}

const Statement kJobsOf = read_rows(kJobs, {"state"}, {equal("queue", param(0))});
const Statement kRunsOf = read_rows(kRuns, {"job"}, {equal("queue", param(0))});

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  std::map<std::int64_t, std::int64_t> runs;  // by job
  std::int64_t all_runs = 0;
  for (const Row& run : state.select(kRunsOf, {trial.first_key})) {
    ++runs[run["job"]];
    ++all_runs;
  }
  const std::int64_t repeated =
      std::count_if(runs.begin(), runs.end(), [](const auto& job) { return job.second > 1; });
  std::int64_t waiting = 0;
  std::int64_t stuck = 0;
  std::int64_t wrong = 0;
  for (const Row& job : state.select(kJobsOf, {trial.first_key})) {
    if (job["state"] == kWaiting) ++waiting;
    if (job["state"] == kTaken) ++stuck;
    if ((job["state"] == kDone) != runs.contains(job.key())) ++wrong;
  }
  const bool claims = trial.strategy->afterwards != nullptr;
  const bool somebody_crashed = tally.count(ErrorKind::connection_lost) > 0;
  return {{"runs", all_runs},
          {"repeated", repeated},
          {"waiting", waiting},
          {"stuck", stuck},
          {"wrong", wrong},
          {"no crash, but needed", claims && !somebody_crashed ? 1 : 0},
          {"acknowledged", static_cast<std::int64_t>(tally.acknowledged.size())},
          {"in doubt", static_cast<std::int64_t>(tally.in_doubt.size())}};
}

std::optional<std::string> done_twice(const Measures& m) {
  if (m.at("repeated") == 0) return std::nullopt;
  return std::to_string(m.at("repeated")) +
         " jobs were done more than once: " + std::to_string(m.at("runs")) + " runs in all";
}

std::optional<std::string> lost(const Measures& m) {
  if (m.at("stuck") == 0) return std::nullopt;
  return std::to_string(m.at("stuck")) + " jobs are taken, and nobody is doing them";
}

std::optional<std::string> wrongly_marked(const Measures& m) {
  if (m.at("wrong") == 0) return std::nullopt;
  return std::to_string(m.at("wrong")) +
         " jobs are marked as done without a run, or have a run and are not";
}

std::optional<std::string> unacknowledged(const Measures& m) {
  const std::int64_t least = m.at("acknowledged");
  if (m.at("runs") >= least && m.at("runs") <= least + m.at("in doubt")) return std::nullopt;
  return std::to_string(m.at("runs")) + " runs, " + std::to_string(least) + " acknowledged";
}

std::optional<std::string_view> untested(const Measures& m) {
  if (m.at("no crash, but needed") == 0) return std::nullopt;
  return "no worker crashed (--crash-every)";
}

constexpr std::array kInvariants = {
    Invariant{"done-twice", "no job is done more than once", done_twice},
    Invariant{"lost", "when all workers have ended, no job is still taken", lost},
    Invariant{"marked", "a job is marked as done exactly if it has been done", wrongly_marked},
    Invariant{"runs-acknowledged", "runs in the database = jobs whose workers were told so",
              unacknowledged},
};

constexpr std::array kShown = {
    Workload::Shown{"repeated", "done twice", "repeated_min", "repeated_max"},
    Workload::Shown{"stuck", "lost", "stuck_min", "stuck_max"},
    Workload::Shown{"waiting", "waiting", "waiting_min", "waiting_max"}};

}  // namespace

const Workload& jobs() {
  static const Workload workload{
      .name = "jobs",
      .summary = "workers take jobs from a table; each job must be done exactly once",
      .story =
          "Workers ask the same table for the next job. Two that look at the same moment find the "
          "same one, and the mail goes out twice. Locking it makes everybody wait for whoever has "
          "the first job; SKIP LOCKED lets each take another. Now and then a worker dies in "
          "mid-job (--crash-every): its connection is cut, and the database takes back what it had "
          "not committed, so the job must be there for the next one. The time of a job is --think. "
          "With --duration or --tasks every job enqueues another (--follow-ups).",
      .clients_called = "workers",
      .clients_in_trials = 20,
      .tables = {&kJobs, &kRuns},
      .options = kOptions,
      .strategies = kStrategies,
      .invariants = kInvariants,
      .set_up = set_up,
      .next_task = next_task,
      .measure = measure,
      .untested = untested,
      .shown = kShown,
      .think_in_sustained = std::chrono::milliseconds(5)};
  return workload;
}

}  // namespace hilsa
