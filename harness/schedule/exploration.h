// One strategy of a workload, a few clients with one task each, and every order in which the
// database can be given their statements: set up, run one order, see what became of it, and again
// with the next, on new keys each time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/history/history.h"
#include "harness/run/attempts.h"
#include "harness/run/client_threads.h"
#include "harness/run/pool.h"
#include "harness/run/trial.h"
#include "harness/run/workspace.h"
#include "harness/schedule/controlled_database.h"
#include "harness/schedule/schedule_search.h"
#include "harness/schedule/turnstile.h"

namespace hilsa {

struct ExplorationPlan {
  const Workload* workload = nullptr;
  OptionValues options;
  int clients = 2;       // 1 … 6
  int max_attempts = 1;  // at a task; a further one takes more steps
  std::int64_t schedules_max = 5'000;
  std::int64_t samples_max = 500;  // at random, when those were not all
  std::uint64_t seed = 1;          // of the tasks' choices and of the samples
  // Whose tasks the clients do, of a run with this seed: each is some client's task of some trial.
  // Empty: the first task of clients 1, 2 …
  struct TaskOf {
    int client = 1;
    int trial = 0;
    std::int64_t number = 0;  // of the client's in that trial, from 0
    friend bool operator==(const TaskOf&, const TaskOf&) = default;
  };
  std::vector<TaskOf> tasks;  // one for each client
  int clients_of_run = 0;     // Trial::clients, where that run had more; 0: as many as here
  // Also run what differs only by swapping steps that cannot affect each other: to see that they
  // cannot.
  bool skips_nothing = false;
};

// How a client's task ended.
struct ClientEnd {
  TaskEnd end = TaskEnd::done;
  std::optional<ErrorKind> error;  // of its last attempt
  std::string reply;               // what the business logic said last
};

// One schedule that was run to its end.
struct RunSchedule {
  std::vector<Call> set_up;  // the rows that it started from: inserts
  std::vector<TakenStep> steps;
  std::vector<ClientEnd> ends;                                   // by client
  std::vector<std::pair<std::string_view, std::string>> broken;  // invariants, and what is wrong
  std::vector<std::pair<const Table*, SeenRow>> final_rows;      // with their values
  History history;
  int switches = 0;
  // How many schedules differ from it only by swaps that go unnoticed, itself included; 1 for a
  // sample.
  double stands_for = 1;
};

// What came of all of them.
struct ExploredStrategy {
  const Strategy* strategy = nullptr;
  Isolation isolation = Isolation::serializable;  // in effect
  Promise promised = Promise::unsafe;

  std::chrono::nanoseconds running{0};
  std::int64_t run = 0;      // schedules run to their ends
  std::int64_t sampled = 0;  // of them, at random
  double all = 0;            // schedules that there are: exact when exhaustive, else estimated
  double stood_for = 0;      // schedules that the systematic ones stand for, themselves included
  bool exhaustive = false;
  int complete_switches = -1;  // not exhaustive: all with at most so many switches were covered

  // Each counts schedules, those stood for included.
  double violating = 0;                    // an invariant broke
  double deadlocks = 0;                    // somebody was the victim of a deadlock
  double refused_by_database = 0;          // somebody's last attempt ended with another error
  double waiting = 0;                      // somebody waited for a lock
  std::map<std::string, double> outcomes;  // how the clients ended: `done, refused`
  std::map<std::string_view, double> violations;  // by invariant
  std::map<std::string, double> anomalies;        // by class
  // With the fewest switches: the first that violates; the first with a deadlock.
  std::optional<RunSchedule> shortest_violating;
  std::optional<RunSchedule> shortest_deadlock;
  // The first in whose history an anomaly was found, when none violates.
  std::optional<RunSchedule> shortest_anomalous;
};

class Exploration {
 public:
  // What a checker has to say of a schedule's history.
  struct Findings {
    std::vector<std::string> anomalies;  // their classes
    std::string broken;  // how it breaks what the database promises; empty: it does not
  };
  using FindAnomalies = std::function<Findings(const History&, const ExploredStrategy&)>;
  struct Progress {
    std::string_view strategy;
    std::int64_t run = 0;
  };

  // Makes the workspace and connects the clients. Throws UsageError or DatabaseUnusable. The
  // database, the watch and the workload outlive this; one thread uses it.
  Exploration(Database& database, BlockWatch& watch, ExplorationPlan plan, std::stop_token stop);
  ~Exploration();

  // Throws UsageError where the product does not offer it, DatabaseUnusable. A stop ends it early,
  // as if the bounds had been reached.
  ExploredStrategy explore(const Strategy& strategy, std::optional<Isolation> isolation,
                           const FindAnomalies& find_anomalies,
                           const std::function<void(const Progress&)>& progress);

 private:
  struct Row;

  Session& control();
  Task task_of(const Trial& trial, int client) const;
  std::optional<RunSchedule> run_one(Row& row, ScheduleSearch& search);
  std::vector<TakenStep> run_clients(const TrialContext& context, ScheduleSearch& search,
                                     std::vector<Tally>& tallies);

  ControlledDatabase database_;
  ExplorationPlan plan_;
  FinalRows final_rows_{plan_.workload->tables};
  std::stop_token stop_;
  Turnstile turnstile_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Session> control_;
  std::unique_ptr<Pool> pool_;
  // The clients, and one more thread that lets them through.
  std::unique_ptr<ClientThreads> threads_;
  std::int64_t rows_ = 0;
};

}  // namespace hilsa
