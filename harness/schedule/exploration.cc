#include "harness/schedule/exploration.h"

#include <algorithm>

#include "harness/database/usage_error.h"
#include "harness/history/history_collector.h"
#include "harness/run/attempts.h"
#include "harness/schedule/cut_short.h"

namespace hilsa {
namespace {

Effect effect_of(const Statement& statement) {
  const Structure& structure = statement.structure();
  switch (structure.kind) {
    case StatementKind::begin:
      return Effect::nothing;
    case StatementKind::read_row:
    case StatementKind::read_rows:
      return structure.lock == Lock::none ? Effect::reads : Effect::acts;
    default:
      break;
  }
  return Effect::acts;
}

std::string label_of(const std::vector<ClientEnd>& ends) {
  std::string label;
  for (const ClientEnd& end : ends) {
    if (!label.empty()) label += ", ";
    label += name_of(end.end);
    if (end.error) label += " (" + std::string(name_of(*end.error)) + ")";
  }
  return label;
}

// Keeps how each client ended and the final rows, beside handing all on.
class Ends final : public HistorySink {
 public:
  Ends(HistorySink& next, int clients) : next_(next), ends_(static_cast<std::size_t>(clients)) {}
  void write(const Attempt& attempt) override {
    if (attempt.client > 0) {
      ClientEnd& end = ends_[static_cast<std::size_t>(attempt.client - 1)];
      end.error = attempt.error ? std::optional(attempt.error->kind) : std::nullopt;
      end.reply = attempt.reply;
    }
    next_.write(attempt);
  }
  void write_final(int table, std::span<const SeenRow> rows) override {
    for (const SeenRow& row : rows) final_rows_.emplace_back(table, row);
    next_.write_final(table, rows);
  }
  void write_end(bool interrupted) override { next_.write_end(interrupted); }
  std::vector<ClientEnd>& ends() { return ends_; }
  const std::vector<std::pair<int, SeenRow>>& final_rows() const { return final_rows_; }

 private:
  HistorySink& next_;
  std::vector<ClientEnd> ends_;
  std::vector<std::pair<int, SeenRow>> final_rows_;
};

// Notes what rows a trial starts from.
class NotesInserts final : public Session {
 public:
  NotesInserts(Session& inner, std::vector<Call>& notes) : inner_(inner), notes_(notes) {}
  using Session::execute;
  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters) override {
    if (statement.kind() == StatementKind::begin) notes_.clear();  // perhaps the second try
    if (statement.kind() == StatementKind::insert) {
      notes_.push_back({&statement, {parameters.begin(), parameters.end()}});
    }
    return inner_.execute(statement, parameters);
  }
  bool usable() const override { return inner_.usable(); }
  void interrupt() noexcept override { inner_.interrupt(); }

 private:
  Session& inner_;
  std::vector<Call>& notes_;
};

// Adds a schedule, and those that it stands for, and keeps the first of each kind.
void count(RunSchedule run, Exploration::Findings findings, ExploredStrategy& explored) {
  const double weight = run.stands_for;
  const auto some = [&run](auto is) { return std::any_of(run.ends.begin(), run.ends.end(), is); };
  const bool deadlock = some([](const ClientEnd& end) { return end.error == ErrorKind::deadlock; });
  const bool refused = some([](const ClientEnd& end) {
    return end.error.has_value() && end.error != ErrorKind::deadlock && end.end != TaskEnd::refused;
  });
  const bool waits = std::any_of(run.steps.begin(), run.steps.end(),
                                 [](const TakenStep& step) { return step.waited; });
  explored.outcomes[label_of(run.ends)] += weight;
  if (deadlock) explored.deadlocks += weight;
  if (refused) explored.refused_by_database += weight;
  if (waits) explored.waiting += weight;
  for (const std::string& anomaly : findings.anomalies) explored.anomalies[anomaly] += weight;
  if (!findings.broken.empty()) run.broken.emplace_back("isolation", std::move(findings.broken));
  for (const auto& [name, what] : run.broken) explored.violations[name] += weight;
  if (!run.broken.empty()) explored.violating += weight;
  if (!run.broken.empty() && !explored.shortest_violating) {
    explored.shortest_violating = std::move(run);
  } else if (deadlock && !explored.shortest_deadlock) {
    explored.shortest_deadlock = std::move(run);
  } else if (!findings.anomalies.empty() && !explored.shortest_anomalous) {
    explored.shortest_anomalous = std::move(run);
  }
}

// A client whose last connection was cut, and for which there is no other.
void throw_if_without_connection(const Tally& tally, std::size_t client) {
  if (tally.attempts > 0) return;
  for (const std::string& text : tally.error_texts) {
    if (text.empty()) continue;
    throw DatabaseUnusable("client " + std::to_string(client) + " cannot connect: " + text);
  }
}

TaskEnd end_of(const Tally& tally) {
  for (std::size_t i = 0; i < kTaskEndCount; ++i) {
    if (tally.ends[i] > 0) return static_cast<TaskEnd>(i);
  }
  return TaskEnd::unknown;  // cut short
}

}  // namespace

// A strategy at a level, at work.
struct Exploration::Row {
  const Strategy& strategy;
  std::optional<Isolation> isolation;  // asked for
  Isolation in_effect;
  std::int64_t first_id;
  std::atomic<AttemptId> next_attempt;
  std::int64_t schedules = 0;
};

Exploration::Exploration(Database& database, BlockWatch& watch, ExplorationPlan plan,
                         std::stop_token stop)
    : database_(database),
      plan_(std::move(plan)),
      stop_(std::move(stop)),
      turnstile_(plan_.clients, watch) {
  database_.seed(plan_.seed);
  workspace_ = std::make_unique<Workspace>(database_, plan_.workload->tables);
  control();
  pool_ = std::make_unique<Pool>(database_, static_cast<std::size_t>(plan_.clients));
  for (int place = 0; place < plan_.clients; ++place) {
    if (const auto error = pool_->connect(static_cast<std::size_t>(place))) {
      throw DatabaseUnusable("cannot connect to " + database_.shown_url() + ": " + to_text(*error));
    }
  }
  threads_ = std::make_unique<ClientThreads>(plan_.clients + 1);
}

Exploration::~Exploration() = default;

Session& Exploration::control() {
  if (!control_ || !control_->usable()) control_ = connect(database_);
  return *control_;
}

ExploredStrategy Exploration::explore(const Strategy& strategy, std::optional<Isolation> isolation,
                                      const FindAnomalies& find_anomalies,
                                      const std::function<void(const Progress&)>& progress) {
  const Traits& traits = database_.traits();
  const auto asked = isolation ? isolation : strategy.isolation;
  ExploredStrategy explored{.strategy = &strategy};
  explored.isolation = isolation_in_effect(traits, asked);
  explored.promised = strategy.promise(traits, explored.isolation);
  const std::int64_t first_id = rows_++ * kIdsPerRow + 1;
  Row row{strategy, asked, explored.isolation, first_id, {first_id}};
  ScheduleSearch search(plan_.schedules_max, plan_.samples_max, plan_.seed);
  const Nanoseconds begun_ns = monotonic_ns();
  while (!stop_.stop_requested() && search.begin()) {
    std::optional<RunSchedule> run = run_one(row, search);
    if (run) {
      run->stands_for = search.sampled() ? 1 : ScheduleSearch::equivalents_of(search.choices());
      run->switches = search.switches();
    }
    search.end();
    if (!run) continue;
    Findings findings = find_anomalies(run->history, explored);
    count(*std::move(run), std::move(findings), explored);
    ++explored.run;
    if (search.sampled()) ++explored.sampled;
    progress({strategy.name, explored.run});
  }
  explored.running = std::chrono::nanoseconds(monotonic_ns() - begun_ns);
  explored.stood_for = search.represented();
  explored.exhaustive = search.exhausted() && !stop_.stop_requested();
  explored.all = search.estimated_total();
  explored.complete_switches = search.complete_switches();
  return explored;
}

// The choices that Experiment's clients make, on the keys of this trial.
Task Exploration::task_of(const Trial& trial, int client) const {
  ExplorationPlan::TaskOf of{.client = client};
  if (!plan_.tasks.empty()) of = plan_.tasks[static_cast<std::size_t>(client - 1)];
  ClientRngs rngs(plan_.seed, of.client, of.trial);
  Task task;
  for (std::int64_t number = 0; number <= of.number; ++number) {
    task = plan_.workload->next_task(
        {.trial = trial, .client = of.client, .number = number, .rng = rngs.tasks});
  }
  return task;
}

// Nothing when the search gave it up.
std::optional<RunSchedule> Exploration::run_one(Row& row, ScheduleSearch& search) {
  const Trial trial{.number = static_cast<int>(row.schedules),
                    .first_key = row.first_id + row.schedules * kKeysPerTrial,
                    .first_attempt = row.next_attempt.load(),
                    .clients = std::max(plan_.clients, plan_.clients_of_run),
                    .strategy = &row.strategy,
                    .options = &plan_.options};
  ++row.schedules;
  HistoryCollector collector(
      header_of(*plan_.workload, row.strategy, row.in_effect, database_, plan_.clients, plan_.seed),
      1'000'000);
  Ends sink(collector, plan_.clients);
  Recorder recorder(sink, plan_.clients);
  const Transaction::Setting setting{
      .product = database_.product(), .tables = &plan_.workload->tables, .stop = stop_};
  RunSchedule run;
  NotesInserts noting(control(), run.set_up);
  if (const auto error =
          set_up_trial(noting, setting, *plan_.workload, trial, row.next_attempt, &recorder)) {
    throw DatabaseUnusable("cannot set up a schedule: " + to_text(*error));
  }
  Overlap overlap;
  const TrialContext context{
      .strategy = row.strategy,
      .isolation = row.isolation,
      .trial = trial,
      .transaction = setting,
      .retry = {.max_attempts = plan_.max_attempts, .backoff_unit = std::chrono::milliseconds(0)},
      .pool_wait = std::chrono::seconds(30),
      .pool = *pool_,
      .recorder = &recorder,
      .next_attempt = row.next_attempt,
      .overlap = overlap,
      .stop = stop_};
  std::vector<Tally> tallies(static_cast<std::size_t>(plan_.clients));
  run.steps = run_clients(context, search, tallies);
  recorder.finish();
  if (stop_.stop_requested()) return std::nullopt;
  throw_if_cut_short(run.steps, database_.product());
  for (std::size_t i = 0; i < tallies.size(); ++i) throw_if_without_connection(tallies[i], i + 1);
  Tally tally;
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    sink.ends()[i].end = end_of(tallies[i]);
    tally.merge(tallies[i]);
  }
  const bool nobody_answered = tally.count(TaskEnd::done) + tally.count(TaskEnd::refused) == 0;
  if (nobody_answered) throw_if_locked_out(run.steps, database_.product());
  if (search.given_up()) return std::nullopt;
  run.ends = std::move(sink.ends());
  for (auto& [invariant, what] : judge_trial(control(), *plan_.workload, trial, tally).broken) {
    run.broken.emplace_back(invariant->name, std::move(what));
  }
  if (const auto error =
          final_rows_.write(control(), trial.first_attempt, row.next_attempt.load() - 1, sink)) {
    throw DatabaseUnusable("cannot read the final state: " + to_text(*error));
  }
  collector.write_end(false);
  for (const auto& [table, row_seen] : sink.final_rows()) {
    run.final_rows.emplace_back(plan_.workload->tables[static_cast<std::size_t>(table)], row_seen);
  }
  run.history = collector.take();
  return run;
}

std::vector<TakenStep> Exploration::run_clients(const TrialContext& context, ScheduleSearch& search,
                                                std::vector<Tally>& tallies) {
  std::vector<TakenStep> steps;
  const auto choose = [&](const std::vector<Turnstile::Waiting>& waiting) -> std::optional<int> {
    if (stop_.stop_requested()) return std::nullopt;
    std::vector<Choice> choices;
    for (const Turnstile::Waiting& one : waiting) {
      const Effect effect = plan_.skips_nothing ? Effect::acts : effect_of(*one.call->statement);
      choices.push_back({one.client, effect, one.call->statement->id()});
    }
    return search.choose(choices);
  };
  threads_->run(
      [&](int client) {
        if (client > plan_.clients) {
          steps = turnstile_.run(choose);
          return;
        }
        const Turnstile::Client passes(turnstile_, client);
        Rng rng = Rng::for_stream(plan_.seed, static_cast<std::uint64_t>(client), 0);
        const Task task = task_of(context.trial, client);
        TaskRunner runner(context, client, rng, tallies[static_cast<std::size_t>(client - 1)]);
        runner.run(task, now_ns());
      },
      [this] {
        if (stop_.stop_requested()) pool_->interrupt_loans();
      });
  return steps;
}

}  // namespace hilsa
