#include "cli/experiment_report.h"

#include <fmt/format.h>

#include <utility>

#include "cli/progress_line.h"
#include "cli/progress_of_run.h"
#include "harness/database/usage_error.h"
#include "harness/run/trial.h"

namespace hilsa {
namespace {

ReportRow to_report_row(const RowResult& result, const ExperimentPlan& plan, const Traits& traits) {
  const Workload& workload = *plan.workload;
  ReportRow row{.strategy = std::string(result.plan.strategy->name),
                .isolation = std::string(name_of(result.isolation)),
                .promised = std::string(name_of(result.promised)),
                .measured = std::string(name_of(result.measured())),
                .why_unknown = result.why_unknown(),
                .untested = result.untested,
                .trials = result.trials,
                .trials_violated = result.trials_violated,
                .first_violation = result.first_violation,
                .tally = result.tally,
                .running = result.running,
                .rounds = result.rounds,
                .series = result.series,
                .history_file = result.plan.history_file,
                .history_incomplete = result.history_incomplete};
  for (const auto& [invariant, trials] : result.violations) {
    row.violations[std::string(invariant)] = trials;
  }
  if (workload.remark != nullptr && result.trials > 0) {
    row.remark = workload.remark({.traits = traits,
                                  .strategy = *result.plan.strategy,
                                  .options = plan.options,
                                  .clients = plan.clients,
                                  .pool = plan.pool,
                                  .trials = result.trials,
                                  .think = plan.think,
                                  .running = result.running,
                                  .tally = result.tally});
  }
  for (const Workload::Shown& shown_measure : workload.shown) {
    ReportRow::Measure measure{std::string(shown_measure.title), std::string(shown_measure.lowest),
                               std::string(shown_measure.highest), std::nullopt, std::nullopt};
    if (const auto found = result.lowest.find(shown_measure.measure);
        found != result.lowest.end()) {
      measure.lowest = found->second;
      measure.highest = result.highest.at(shown_measure.measure);
    }
    row.measures.push_back(std::move(measure));
  }
  return row;
}

RunReport make_report(const std::vector<RowResult>& results, std::vector<HistoryCheck> checks,
                      const ExperimentPlan& plan, const Database& database, bool interrupted) {
  RunReport report{.workload = std::string(plan.workload->name),
                   .product = std::string(name_of(database.product())),
                   .product_title = std::string(title_of(database.product())),
                   .version = database.traits().version,
                   .url = database.shown_url(),
                   .seed = plan.seed,
                   .clients = plan.clients,
                   .pool = plan.pool,
                   .think = plan.think,
                   .sustained = plan.sustained(),
                   .interrupted = interrupted};
  for (std::size_t i = 0; i < results.size(); ++i) {
    report.rows.push_back(to_report_row(results[i], plan, database.traits()));
    report.rows.back().check = std::move(checks[i]);
  }
  return report;
}

}  // namespace

std::vector<Origin::Setting> settings_of(Database& database) {
  std::vector<Origin::Setting> settings;
  try {
    for (Setting& setting : database.settings()) {
      settings.push_back(
          {std::move(setting.name), std::move(setting.value), std::move(setting.meaning)});
    }
  } catch (const DatabaseUnusable&) {
    settings.clear();
  }
  return settings;
}

RunReport run_experiment(ExperimentPlan plan, Database& database, const ExperimentWishes& wishes,
                         const std::stop_token& stop) {
  const Nanoseconds begun_ns = monotonic_ns();
  const std::string started_at = utc_now();
  plan.collected_attempts_max = collected_attempts_max(wishes.check, plan.rows.size());
  ProgressLine line(wishes.quiet);
  ProgressOfRun progress(
      wishes.progress_title.empty() ? std::string(plan.workload->name) : wishes.progress_title,
      plan.sustained());
  // A first look costs time between trials: only for somebody who looks.
  if (line.is_shown() && wishes.check.wanted) {
    plan.on_trial = [&progress](const History& history) { progress.add_trial(history); };
  }
  Experiment experiment(database, plan, stop);
  auto results = experiment.run(
      [&](const Experiment::Progress& now) { line.show([&] { return progress.line(now); }); });
  const bool interrupted = stop.stop_requested();
  auto checks = check_rows(wishes.check, results, database.traits(), interrupted, line);
  RunReport report = make_report(results, std::move(checks), plan, database, interrupted);
  report.broken_off = experiment.broken_off();
  report.origin.started_at = started_at;
  report.origin.took_s = static_cast<double>(monotonic_ns() - begun_ns) / 1e9;
  if (report.broken_off.empty() && !interrupted) report.origin.settings = settings_of(database);
  return report;
}

}  // namespace hilsa
