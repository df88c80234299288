#include "harness/schedule/scripted.h"

#include <algorithm>
#include <deque>

#include "harness/database/usage_error.h"
#include "harness/history/history_collector.h"
#include "harness/history/recorder.h"
#include "harness/run/trial.h"
#include "harness/schedule/cut_short.h"

namespace hilsa {
namespace {

HistoryHeader header_of(const Database& database, std::optional<Isolation> isolation) {
  const Traits& traits = database.traits();
  HistoryHeader header{
      .workload = "matrix",
      .strategy = "scripted",
      .isolation = std::string(name_of(isolation.value_or(traits.default_isolation))),
      .product = std::string(name_of(traits.product)),
      .version = traits.version,
      .url = database.shown_url()};
  RecordedTable table{std::string(scenario_table().name), std::string(scenario_table().key()), {}};
  for (const Column& column : scenario_table().columns) table.columns.emplace_back(column.name);
  header.tables.push_back(std::move(table));
  return header;
}

}  // namespace

bool ScriptedRun::aborted() const {
  return std::any_of(errors.begin(), errors.end(),
                     [](const auto& error) { return error.has_value(); });
}

ScriptedRunner::ScriptedRunner(Database& database, BlockWatch& watch)
    : database_(database), turnstile_(kClients, watch), tables_{&scenario_table()} {
  workspace_ = std::make_unique<Workspace>(database_, tables_);
  control_ = connect(database_);
  for (int i = 0; i < kClients; ++i) sessions_.push_back(connect(database_));
  threads_ = std::make_unique<ClientThreads>(kClients + 1);  // and one that lets them through
}

ScriptedRunner::~ScriptedRunner() = default;

void ScriptedRunner::set_up(std::int64_t first, Attempt& attempt) {
  const Transaction::Setting setting{.product = database_.product(), .tables = &tables_};
  Transaction txn(*control_, setting, attempt);
  attempt.begin_ns = now_ns();
  try {
    txn.run(begin_at(std::nullopt));
    set_up_scenario(txn, first);
    txn.run(commit());
  } catch (const AttemptFailed& failed) {
    throw DatabaseUnusable("cannot set up a scenario: " + to_text(failed.error));
  }
  attempt.outcome = AttemptOutcome::committed;
  txn.settle(false);
}

void ScriptedRunner::run_client(const Scenario& scenario, std::optional<Isolation> isolation,
                                int client, std::int64_t first, Attempt& attempt) {
  const Turnstile::Client passes(turnstile_, client);
  const Transaction::Setting setting{.product = database_.product(), .tables = &tables_};
  Transaction txn(*sessions_[static_cast<std::size_t>(client - 1)], setting, attempt);
  attempt.begin_ns = now_ns();
  bool open = false;
  try {
    for (const ScenarioStep& step : scenario.steps) {
      if (step.client != client) continue;
      switch (step.kind) {
        case ScenarioStep::Kind::begin:
          txn.run(begin_at(isolation));
          open = true;
          break;
        case ScenarioStep::Kind::commit:
          txn.run(commit());
          open = false;
          attempt.outcome = AttemptOutcome::committed;
          break;
        case ScenarioStep::Kind::rollback:
          break;  // below
        case ScenarioStep::Kind::act:
          step.act(txn, first);
          break;
      }
    }
  } catch (const AttemptFailed& failed) {
    attempt.error = failed.error;
  }
  txn.settle(open);
}

ScriptedRun ScriptedRunner::run(const Scenario& scenario, std::optional<Isolation> isolation) {
  const std::int64_t number = runs_++;
  const std::int64_t first = (number + 1) * 100;
  const AttemptId first_attempt = number * (kClients + 1) + 1;
  std::vector<Attempt> attempts;
  for (int client = 0; client <= kClients; ++client) {
    attempts.push_back({.id = first_attempt + client, .client = client});
  }
  std::deque<int> rest;
  for (const ScenarioStep& step : scenario.steps) rest.push_back(step.client);
  // The next of those who can go on; who has failed and rolls back comes at once.
  const auto choose = [&rest](const std::vector<Turnstile::Waiting>& waiting) {
    const auto waits = [&waiting](int client) {
      return std::any_of(waiting.begin(), waiting.end(),
                         [client](const auto& one) { return one.client == client; });
    };
    const auto next = std::find_if(rest.begin(), rest.end(), waits);
    if (next == rest.end()) return std::optional(waiting.front().client);
    const int client = *next;
    rest.erase(next);
    return std::optional(client);
  };
  HistoryCollector collector(header_of(database_, isolation), 1'000);
  Recorder recorder(collector, kClients);
  set_up(first, attempts[0]);
  recorder.record(Attempt(attempts[0]));
  ScriptedRun run;
  threads_->run(
      [&](int client) {
        if (client > kClients) {
          run.steps = turnstile_.run(choose);
          return;
        }
        Attempt& attempt = attempts[static_cast<std::size_t>(client)];
        run_client(scenario, isolation, client, first, attempt);
        if (!attempt.operations.empty()) recorder.record(Attempt(attempt));
      },
      [] {});
  recorder.finish();
  throw_if_cut_short(run.steps, database_.product());
  for (int client = 1; client <= kClients; ++client) {
    run.errors.push_back(attempts[static_cast<std::size_t>(client)].error);
  }
  if (const auto error =
          final_rows_.write(*control_, first_attempt, first_attempt + kClients, collector)) {
    throw DatabaseUnusable("cannot read the final state: " + to_text(*error));
  }
  collector.write_end(false);
  run.history = collector.take();
  run.blocked = std::any_of(run.steps.begin(), run.steps.end(),
                            [](const TakenStep& step) { return step.waited; });
  return run;
}

}  // namespace hilsa
