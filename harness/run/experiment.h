// An experiment: one workload, one or more rows (a strategy at a level), and for each row a number
// of trials. The rows take turns trial by trial, so that a machine that is busy for a while is busy
// for all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/history/history.h"
#include "harness/history/history_writer.h"
#include "harness/run/attempts.h"
#include "harness/run/client_threads.h"
#include "harness/run/pool.h"
#include "harness/run/trial.h"
#include "harness/run/workspace.h"
#include "workloads/table/workload.h"

namespace hilsa {

struct RowPlan {
  const Strategy* strategy = nullptr;
  std::optional<Isolation> isolation;  // asked for; none: the strategy's own, or the default
  std::string history_file;            // where its history goes; empty: nowhere
};

struct ExperimentPlan {
  const Workload* workload = nullptr;
  std::vector<RowPlan> rows;
  OptionValues options;  // one for each of the workload's options
  int clients = 1;       // 1 … 1000
  int pool = 1;          // connections, 1 … clients
  std::chrono::nanoseconds pool_wait = std::chrono::seconds(30);
  int trials = 1;
  // With neither, every client does one task a trial. Otherwise clients go on until `tasks` of a
  // row, or `duration` of a row, are used up; both are for all of its trials together.
  std::optional<std::int64_t> tasks;
  std::optional<std::chrono::nanoseconds> duration;
  std::optional<double> rate;  // tasks a second of all clients together; none: as fast as they can
  RetryPolicy retry;
  std::chrono::nanoseconds think{0};
  std::uint64_t seed = 1;
  // Gets the history of each trial alone when that is over, for a first look while others still
  // run; empty: not wanted. Called on the experiment's thread.
  std::function<void(const History&)> on_trial;
  // Each row's history is also kept in memory, unless it has more attempts than this. 0: none is.
  std::int64_t collected_attempts_max = 0;

  bool sustained() const { return tasks.has_value() || duration.has_value(); }
};

enum class Measured { safe, unsafe, unknown };
std::string_view name_of(Measured measured);

struct RowResult {
  RowPlan plan;
  Isolation isolation = Isolation::serializable;  // in effect
  Promise promised = Promise::unsafe;
  int trials = 0;                              // finished
  int trials_violated = 0;                     // in which at least one invariant broke
  std::map<std::string_view, int> violations;  // invariant → trials in which it broke
  std::string first_violation;                 // `trial 1: oversold: 7 sold of 1`
  Tally tally;
  std::chrono::nanoseconds running{0};  // from letting the clients go to the last one's end
  std::vector<Round> rounds;            // of a sustained run: each trial's figures
  TimeSeries series;                    // over its running time, trial after trial
  std::map<std::string_view, std::int64_t> lowest;   // over the trials, by measure
  std::map<std::string_view, std::int64_t> highest;  // likewise
  int overlap = 0;                                   // the most attempts that ever ran at once

  // What none of the trials put to the test (Workload::untested); empty: one of them tested all.
  std::string untested;
  // What the server said of the deadlock that it found last, asked when the first trial with a
  // victim was over: that trial's last one, unless somebody else had one since.
  struct DeadlockAccount {
    std::string words;     // empty: the product keeps none
    std::string why_none;  // it would, but could not be asked
    Nanoseconds asked_ns = 0;
  };
  std::optional<DeadlockAccount> deadlock;
  bool history_incomplete = false;  // it could not be written to its end
  std::optional<History> history;   // if it was to be collected, and was not too long for that
  bool history_decides = false;     // Workload::history_decides
  // Then: what it says, by whoever has checked it; none: nobody did.
  std::optional<Measured> history_says;
  std::string why_history_unknown;

  // An invariant broke, or the history shows that a promised level was not kept.
  bool is_proven_unsafe() const;
  Measured measured() const;
  // Why `measured` is unknown; empty otherwise.
  std::string why_unknown() const;
};

class Experiment {
 public:
  struct Progress {
    int trials_finished = 0;  // of all rows
    int trials = 0;
    int trials_violated = 0;
    std::string_view strategy;  // at work now
    std::int64_t done = 0;      // tasks, by all rows so far
    std::int64_t aborted = 0;   // attempts that an error or a version conflict ended
  };

  // Makes the workspace, connects the pool and starts the clients. Throws UsageError or
  // DatabaseUnusable. The database and the workload outlive this; one thread uses it.
  Experiment(Database& database, ExperimentPlan plan, std::stop_token stop);
  ~Experiment();

  // Runs everything, or what there is time for until a stop is asked for, or until the database can
  // be used no more: then broken_off() says why, and the results are of what was finished.
  // `progress` is called on this thread several times a second.
  std::vector<RowResult> run(const std::function<void(const Progress&)>& progress);
  const std::string& broken_off() const { return broken_off_; }

 private:
  struct RowState;

  void check_plan() const;
  void open_histories();
  void connect_pool();
  void run_trials(const std::function<void(const Progress&)>& progress);
  Session& control();
  void run_trial(RowState& row, int number, const std::function<void()>& meanwhile);
  void take_figures(RowResult& result, const Tally& tally, ClientThreads::Span span) const;
  void set_up(RowState& row, const Trial& trial, Recorder* recorder);
  void run_client(const TrialContext& context, int client, Tally& tally);
  void ask_about_deadlock(RowResult& result);
  void judge(RowState& row, const Trial& trial, const Tally& tally);
  void write_final_state(RowState& row);
  void interrupt_when_stopped();
  HistoryHeader header_for(const RowState& row) const;

  Database& database_;
  ExperimentPlan plan_;
  FinalRows final_rows_{plan_.workload->tables};
  std::stop_token stop_;
  // In this order: sessions close before the tables are dropped.
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Session> control_;  // set-up and inspection; not of the pool. See control()
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<ClientThreads> clients_;
  std::vector<std::unique_ptr<RowState>> rows_;
  std::vector<ClientMeter> meters_;  // of the trial that runs now, by client
  Nanoseconds origin_ns_ = 0;
  std::string broken_off_;
  Nanoseconds stopped_ns_ = 0;  // when a stop was first noticed
};

}  // namespace hilsa
