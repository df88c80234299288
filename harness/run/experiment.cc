#include "harness/run/experiment.h"

#include <algorithm>
#include <limits>
#include <system_error>

#include "harness/database/usage_error.h"
#include "harness/history/history_collector.h"
#include "harness/run/trial.h"
#include "workloads/table/pause.h"

namespace hilsa {
std::string_view name_of(Measured measured) {
  switch (measured) {
    case Measured::safe:
      return "safe";
    case Measured::unsafe:
      return "unsafe";
    case Measured::unknown:
      break;
  }
  return "unknown";
}

bool RowResult::is_proven_unsafe() const {
  return trials_violated > 0 || (history_decides && history_says == Measured::unsafe);
}

Measured RowResult::measured() const {
  if (is_proven_unsafe()) return Measured::unsafe;
  return why_unknown().empty() ? Measured::safe : Measured::unknown;
}

std::string RowResult::why_unknown() const {
  if (is_proven_unsafe()) return "";
  if (trials == 0) return "no trial was finished";
  if (tally.committed == 0) return "nothing committed";
  if (tally.count(TaskEnd::done) == 0) return "no task was done";
  if (overlap < 2) return "no two attempts ran at the same time";
  if (history_decides) {
    return history_says ? why_history_unknown : "the history decides, and it was not checked";
  }
  // To call it safe against its promise takes more than that.
  if (promised == Promise::unsafe) return untested;
  return "";
}

struct Experiment::RowState {
  RowResult result;
  std::int64_t first_id = 0;
  std::atomic<AttemptId> next_attempt{1};
  SplitSink history;
  HistoryCollector* collector = nullptr;  // one of the sinks
  bool records = false;                   // there is a sink

  void add(std::unique_ptr<HistorySink> sink) {
    history.add(std::move(sink));
    records = true;
  }
};

namespace {

// Where a trial's attempts go: to its row's history, and, if asked for, to one of the trial alone.
class TrialHistory : public HistorySink {
 public:
  TrialHistory(HistorySink& row, HistoryHeader header, bool wanted) : row_(row) {
    constexpr std::int64_t kAttemptsMax = 200'000;  // a first look, not the whole truth
    if (wanted) alone_.emplace(std::move(header), kAttemptsMax);
  }
  void write(const Attempt& attempt) override {
    row_.write(attempt);
    if (alone_) alone_->write(attempt);
  }
  void write_final(int table, std::span<const SeenRow> rows) override {
    row_.write_final(table, rows);
  }
  void write_end(bool interrupted) override { row_.write_end(interrupted); }
  void flush() override { row_.flush(); }
  bool failed() const override { return row_.failed(); }

  // The trial's; empty if it was too long for a first look.
  History take() { return alone_ && !alone_->is_overfull() ? alone_->take() : History(); }

 private:
  HistorySink& row_;
  std::optional<HistoryCollector> alone_;
};

}  // namespace

Experiment::Experiment(Database& database, ExperimentPlan plan, std::stop_token stop)
    : database_(database), plan_(std::move(plan)), stop_(std::move(stop)) {
  check_plan();
  const ClientSchedule::Observer clients_time(database_.schedule());
  origin_ns_ = now_ns();
  database_.seed(plan_.seed);
  open_histories();
  try {
    clients_ = std::make_unique<ClientThreads>(plan_.clients);
  } catch (const std::system_error&) {
    throw UsageError("the system does not allow " + std::to_string(plan_.clients) +
                     " threads; lower --clients");
  }
  if (stop_.stop_requested()) throw Interrupted();
  workspace_ = std::make_unique<Workspace>(database_, plan_.workload->tables);
  control();
  connect_pool();
}

void Experiment::open_histories() {
  for (const RowPlan& planned : plan_.rows) {
    auto row = std::make_unique<RowState>();
    row->result.plan = planned;
    const auto asked = planned.isolation ? planned.isolation : planned.strategy->isolation;
    row->result.plan.isolation = asked;
    const Traits& traits = database_.traits();
    row->result.isolation = isolation_in_effect(traits, asked);
    row->result.promised = planned.strategy->promise(traits, row->result.isolation);
    row->result.history_decides = plan_.workload->history_decides;
    row->first_id = static_cast<std::int64_t>(rows_.size()) * kIdsPerRow + 1;
    row->next_attempt = row->first_id;
    if (!planned.history_file.empty()) {
      try {
        row->add(
            std::make_unique<HistoryWriter>(planned.history_file, header_for(*row), origin_ns_));
      } catch (const std::system_error& error) {
        throw UsageError("cannot write the history: " + std::string(error.what()) +
                         "; choose another folder with --out");
      }
    }
    if (plan_.collected_attempts_max > 0) {
      auto collector =
          std::make_unique<HistoryCollector>(header_for(*row), plan_.collected_attempts_max);
      row->collector = collector.get();
      row->add(std::move(collector));
    }
    rows_.push_back(std::move(row));
  }
}

Experiment::~Experiment() = default;

void Experiment::check_plan() const {
  for (const RowPlan& row : plan_.rows) {
    check_strategy(database_, *row.strategy);
    if (row.isolation) check_level(database_, *row.isolation);
  }
}

void Experiment::connect_pool() {
  // More at once would only queue up in the server, and run out of their time there.
  constexpr int kAtOnce = 16;
  pool_ = std::make_unique<Pool>(database_, static_cast<std::size_t>(plan_.pool));
  std::mutex mutex;
  std::optional<Error> first_error;
  int connected = 0;
  // Where a seed decides everything, nothing may depend on who connects first.
  const int connectors = database_.schedule() != nullptr ? 1 : std::min(kAtOnce, plan_.clients);
  const auto connect = [&](int client) {
    if (client > connectors) return;
    for (int place = client - 1; place < plan_.pool; place += connectors) {
      if (stop_.stop_requested()) return;
      const auto error = pool_->connect(static_cast<std::size_t>(place));
      const std::lock_guard lock(mutex);
      if (!error) ++connected;
      if (error && !first_error) first_error = error;
      if (first_error) return;
    }
  };
  clients_->run(connect, [] {});
  if (stop_.stop_requested()) throw Interrupted();
  if (!first_error) return;
  const bool full = is_connection_limit(*first_error);
  throw DatabaseUnusable(
      (full ? "the server takes no more connections: " : "not every connection could be opened: ") +
      std::to_string(connected) + " of " + std::to_string(plan_.pool) +
      " were opened; lower --clients, set --pool to fewer, or raise " +
      (full ? "its limit (" : "the limit that stood in the way (") + first_error->server_text +
      ")");
}

// A connection that idles while clients work for an hour may have been cut.
Session& Experiment::control() {
  if (!control_ || !control_->usable()) control_ = connect(database_);
  return *control_;
}

HistoryHeader Experiment::header_for(const RowState& row) const {
  HistoryHeader header = header_of(*plan_.workload, *row.result.plan.strategy, row.result.isolation,
                                   database_, plan_.clients, plan_.seed);
  // One seed, one history: whenever it runs.
  if (database_.schedule() != nullptr) header.started_at = "1970-01-01T00:00:00Z";
  return header;
}

std::vector<RowResult> Experiment::run(const std::function<void(const Progress&)>& progress) {
  try {
    run_trials(progress);
  } catch (const DatabaseUnusable& error) {
    broken_off_ = error.what();
  }
  std::vector<RowResult> results;
  for (const auto& row : rows_) {
    if (row->records) write_final_state(*row);
    if (row->collector != nullptr && !row->collector->is_overfull()) {
      row->result.history = row->collector->take();
    }
    results.push_back(std::move(row->result));
  }
  return results;
}

void Experiment::run_trials(const std::function<void(const Progress&)>& progress) {
  Progress now{.trials = plan_.trials * static_cast<int>(rows_.size())};
  Progress before;  // this trial
  const auto count = [&] {
    now.done = before.done;
    now.aborted = before.aborted;
    for (const ClientMeter& meter : meters_) {
      now.done += meter.done();
      now.aborted += meter.aborted();
    }
  };
  const auto meanwhile = [&] {
    count();
    progress(now);
  };
  for (int trial = 0; trial < plan_.trials; ++trial) {
    for (const auto& row : rows_) {
      if (stop_.stop_requested()) return;
      now.strategy = row->result.plan.strategy->name;
      meters_ = std::vector<ClientMeter>(static_cast<std::size_t>(plan_.clients));
      meanwhile();
      const int violated = row->result.trials_violated;
      run_trial(*row, trial, meanwhile);
      ++now.trials_finished;
      now.trials_violated += row->result.trials_violated - violated;
      count();
      before = now;
    }
  }
}

void Experiment::run_trial(RowState& row, int number, const std::function<void()>& meanwhile) {
  const Trial trial{.number = number,
                    .first_key = row.first_id + number * kKeysPerTrial,
                    .first_attempt = row.next_attempt.load(),
                    .clients = plan_.clients,
                    .strategy = row.result.plan.strategy,
                    .options = &plan_.options};
  ClientSchedule* const schedule = database_.schedule();
  TrialHistory sink(row.history, plan_.on_trial ? header_for(row) : HistoryHeader(),
                    plan_.on_trial != nullptr);
  std::unique_ptr<Recorder> recorder;  // writes to the sink until it is gone
  const bool records = row.records || plan_.on_trial;
  if (records) recorder = std::make_unique<Recorder>(sink, plan_.clients, schedule);
  set_up(row, trial, recorder.get());
  Overlap overlap;
  const TrialContext context{.strategy = *trial.strategy,
                             .isolation = row.result.plan.isolation,
                             .trial = trial,
                             .transaction = {.product = database_.product(),
                                             .tables = &plan_.workload->tables,
                                             .think = plan_.think,
                                             .stop = stop_},
                             .retry = plan_.retry,
                             .pool_wait = plan_.pool_wait,
                             .pool = *pool_,
                             .recorder = recorder.get(),
                             .next_attempt = row.next_attempt,
                             .overlap = overlap,
                             .stop = stop_};
  std::vector<Tally> tallies(static_cast<std::size_t>(plan_.clients));
  if (schedule != nullptr) schedule->expect(plan_.clients);
  const Nanoseconds begin_ns = schedule != nullptr ? schedule->now_ns() : 0;
  auto span = clients_->run(
      [&](int client) {
        const ClientSchedule::Member turns(schedule, client);
        run_client(context, client, tallies[static_cast<std::size_t>(client - 1)]);
      },
      [&] {
        interrupt_when_stopped();
        meanwhile();
      });
  if (schedule != nullptr) span = {begin_ns, schedule->now_ns()};
  if (recorder) recorder->finish();
  Tally tally;
  for (const Tally& of_client : tallies) tally.merge(of_client);
  take_figures(row.result, tally, span);
  row.result.overlap = std::max(row.result.overlap, overlap.most());
  if (tally.count(ErrorKind::deadlock) > 0 && !row.result.deadlock) ask_about_deadlock(row.result);
  // Tasks of several parts that a stop has cut between them prove nothing.
  const bool has_parts = !trial.strategy->one_transaction || trial.strategy->afterwards != nullptr;
  if (stop_.stop_requested() && has_parts) return;
  judge(row, trial, tally);
  if (plan_.on_trial && !stop_.stop_requested()) plan_.on_trial(sink.take());
}

void Experiment::take_figures(RowResult& result, const Tally& tally,
                              ClientThreads::Span span) const {
  for (const ClientMeter& meter : meters_) {
    result.series.merge(meter.series(), result.running.count());
  }
  const std::chrono::nanoseconds running(span.end_ns - span.begin_ns);
  result.tally.merge(tally);
  result.running += running;
  if (!plan_.sustained()) return;
  result.rounds.push_back({.running = running,
                           .done = tally.count(TaskEnd::done),
                           .attempts = tally.attempts,
                           .p99 = tally.latency.percentile(99)});
}

void Experiment::set_up(RowState& row, const Trial& trial, Recorder* recorder) {
  const ClientSchedule::Observer clients_time(database_.schedule());
  const Transaction::Setting setting{.product = database_.product(),
                                     .tables = &plan_.workload->tables};
  const auto error =
      set_up_trial(control(), setting, *plan_.workload, trial, row.next_attempt, recorder);
  if (error) throw DatabaseUnusable("cannot set up a trial: " + to_text(*error));
}

void Experiment::run_client(const TrialContext& context, int client, Tally& tally) {
  ClientRngs rngs(plan_.seed, client, context.trial.number);
  Rng& rng = rngs.pauses;
  ClientMeter& meter = meters_[static_cast<std::size_t>(client - 1)];
  meter.start();
  TaskRunner runner(context, client, rng, tally, &meter);
  const Nanoseconds begin = now_ns();
  const Nanoseconds end =
      plan_.duration ? begin + plan_.duration->count() / plan_.trials : std::int64_t{0};
  std::int64_t left = 1;
  if (plan_.sustained()) left = std::numeric_limits<std::int64_t>::max();
  if (plan_.tasks) {
    // Shared out evenly, the remainder to the first trials and clients.
    const std::int64_t of_trial =
        (*plan_.tasks + plan_.trials - 1 - context.trial.number) / plan_.trials;
    left = (of_trial + plan_.clients - client) / plan_.clients;
  }
  Nanoseconds wished = begin;
  std::int64_t number = 0;
  for (; left > 0 && !context.stop.stop_requested(); --left) {
    if (plan_.rate) {
      wished += static_cast<Nanoseconds>(rng.exponential(1e9 * plan_.clients / *plan_.rate));
      if (plan_.duration && wished >= end) break;
      pause_for(std::chrono::nanoseconds(wished - now_ns()), context.stop);
    } else {
      wished = now_ns();
    }
    if (plan_.duration && now_ns() >= end) break;
    const Turn turn{.trial = context.trial, .client = client, .number = number, .rng = rngs.tasks};
    runner.run(plan_.workload->next_task(turn), wished);
    ++number;
  }
}

// Now that all clients have ended: to ask in the middle would be a load of its own.
void Experiment::ask_about_deadlock(RowResult& result) {
  const auto words = database_.latest_deadlock(control());
  result.deadlock = {.words = words ? *words : "",
                     .why_none = words ? "" : to_text(words.error()),
                     .asked_ns = now_ns()};
}

void Experiment::judge(RowState& row, const Trial& trial, const Tally& tally) {
  RowResult& result = row.result;
  Judgement judgement;
  try {
    judgement = judge_trial(control(), *plan_.workload, trial, tally);
  } catch (const DatabaseUnusable&) {
    if (control_->usable()) throw;
    judgement = judge_trial(control(), *plan_.workload, trial, tally);  // on a new connection
  }
  for (const auto& [name, value] : judgement.measures) {
    const auto [low, first] = result.lowest.try_emplace(name, value);
    low->second = std::min(low->second, value);
    const auto [high, also_first] = result.highest.try_emplace(name, value);
    high->second = std::max(high->second, value);
  }
  const bool first_trial = result.trials == 0;
  if (plan_.workload->untested != nullptr && (first_trial || !result.untested.empty())) {
    result.untested = plan_.workload->untested(judgement.measures).value_or("");
  }
  ++result.trials;
  for (const auto& [invariant, what] : judgement.broken) {
    ++result.violations[invariant->name];
    if (result.first_violation.empty()) {
      result.first_violation = "trial " + std::to_string(trial.number + 1) + ": " +
                               std::string(invariant->name) + ": " + what;
    }
  }
  if (!judgement.broken.empty()) ++result.trials_violated;
}

void Experiment::write_final_state(RowState& row) {
  const auto error =
      final_rows_.write(*control_, row.first_id, row.next_attempt.load() - 1, row.history);
  if (error) {  // without its end line, the file says itself that it is incomplete
    row.result.history_incomplete = true;
    return;
  }
  row.history.write_end(stop_.stop_requested());
  row.result.history_incomplete = row.history.failed();
}

// A stop lets statements in flight end by themselves for a moment, then cuts them short.
void Experiment::interrupt_when_stopped() {
  constexpr Nanoseconds kPatience = 500'000'000;
  if (!stop_.stop_requested()) return;
  if (stopped_ns_ == 0) stopped_ns_ = now_ns();
  if (now_ns() - stopped_ns_ > kPatience) pool_->interrupt_loans();
}

}  // namespace hilsa
