#include "cli/minimize.h"

#include <fmt/format.h>

#include "cli/explored.h"
#include "cli/watch.h"

namespace hilsa {
namespace {

constexpr std::size_t kClientsMax = 6;

std::string why_hopeless(const ReportRow& row) {
  if (!row.check.not_checked.empty()) return "the history was not checked";
  if (row.check.culprits.empty()) return "no anomaly was found";
  if (row.check.culprits.size() < 2) return "the anomaly is of one transaction alone";
  if (row.check.culprits.size() > kClientsMax) {
    return fmt::format("its cycle has {} transactions, more than {}", row.check.culprits.size(),
                       kClientsMax);
  }
  return "";
}

ExplorationPlan plan_for(const ExperimentPlan& run, const ReportRow& row) {
  ExplorationPlan plan{.workload = run.workload, .options = run.options};
  plan.clients = static_cast<int>(row.check.culprits.size());
  plan.clients_of_run = run.clients;
  plan.seed = run.seed;
  for (const HistoryCheck::Culprit& culprit : row.check.culprits) {
    plan.tasks.push_back({culprit.client, culprit.trial, culprit.task});
  }
  return plan;
}

}  // namespace

RunReport::Minimized minimize(const Parsed& parsed, const ExperimentPlan& plan,
                              const ReportRow& row, Database& database,
                              const std::stop_token& stop) {
  RunReport::Minimized minimized{.why_not = why_hopeless(row)};
  if (!minimized.why_not.empty()) return minimized;
  const auto watch = watch_of(parsed, database);
  // Ends at the first that breaks, or when the user stops it.
  std::stop_source found;
  const std::stop_callback stops(stop, [&found] { found.request_stop(); });
  Exploration exploration(database, *watch, plan_for(plan, row), found.get_token());
  const RowPlan& planned = plan.rows.front();
  bool broke = false;
  const ExploredStrategy explored = exploration.explore(
      *planned.strategy, planned.isolation,
      [&](const History& history, const ExploredStrategy& so_far) {
        auto findings = find_anomalies(*plan.workload, database.traits(), history, so_far);
        broke = !findings.anomalies.empty();
        return findings;
      },
      [&](const Exploration::Progress&) {
        if (broke) found.request_stop();
      });
  minimized.schedules = explored.run;
  const auto& shortest =
      explored.shortest_violating ? explored.shortest_violating : explored.shortest_anomalous;
  if (!shortest) {
    minimized.why_not = fmt::format(
        "its {} transactions alone did not break in {} schedules{}; what others had done before "
        "may matter",
        row.check.culprits.size(), explored.run, explored.exhaustive ? ", which are all" : "");
    return minimized;
  }
  std::string level(name_of(explored.isolation));
  const std::string command =
      fmt::format("hilsa run {} --strategy {} --seed {} --minimize, at {}", plan.workload->name,
                  planned.strategy->name, plan.seed, level);
  const ShownSchedule shown =
      to_shown(*shortest, database.product(), "no invariant breaks", command);
  minimized.what = shown.what;
  minimized.picture = to_picture(shown, static_cast<int>(row.check.culprits.size()));
  minimized.script = shown.script;
  return minimized;
}

}  // namespace hilsa
