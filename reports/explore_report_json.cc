#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/explore_report.h"

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

// Counts of schedules are whole as long as nothing was estimated.
Json count(double number) { return static_cast<std::int64_t>(std::llround(number)); }

Json counts(const std::map<std::string, double>& numbers) {
  Json json = Json::object();
  for (const auto& [name, number] : numbers) json[name] = count(number);
  return json;
}

Json to_json(const ShownSchedule& schedule) {
  Json json = {{"switches", schedule.switches}, {"what", schedule.what}, {"ends", schedule.ends}};
  json["steps"] = Json::array();
  for (const ExploredStep& step : schedule.steps) {
    Json one = {{"client", step.client}, {"sql", step.sql}, {"answer", step.answer}};
    if (step.waited) {
      one["waited"] = true;
      one["answered_after"] = step.answered_after;
    }
    if (step.failed) one["failed"] = true;
    json["steps"].push_back(std::move(one));
  }
  if (!schedule.story.empty()) json["story"] = schedule.story;
  json["script"] = schedule.script;
  return json;
}

Json to_json(const ExploreRow& row, const std::string& product) {
  Json json = {{"strategy", row.strategy},
               {"isolation", row.isolation},
               {"product", product},
               {"promised", row.promised},
               {"measured", row.measured},
               {"schedules", count(row.schedules)},
               {"run", row.run},
               {"running_s", static_cast<double>(row.running.count()) / 1e9},
               {"skipped", count(row.covered - static_cast<double>(row.run - row.sampled))},
               {"sampled", row.sampled},
               {"exhaustive", row.exhaustive}};
  if (!row.exhaustive) {
    json["covered_share"] = row.schedules > 0 ? row.covered / row.schedules : 0.0;
    json["complete_switches"] = row.complete_switches;
  }
  json["violating"] = count(row.violating);
  json["deadlocks"] = count(row.deadlocks);
  json["refused_by_database"] = count(row.refused_by_database);
  json["waiting"] = count(row.waiting);
  json["outcomes"] = counts(row.outcomes);
  json["violations"] = counts(row.violations);
  json["anomalies"] = counts(row.anomalies);
  if (row.shortest) json["shortest"] = to_json(*row.shortest);
  if (row.shortest_deadlock) json["shortest_deadlock"] = to_json(*row.shortest_deadlock);
  return json;
}

}  // namespace

std::string to_json_report(const ExploreReport& report) {
  Json json = {{"tool", "hilsa " HILSA_VERSION},
               {"workload", report.workload},
               {"seed", report.seed},
               {"product", report.product},
               {"version", report.version},
               {"url", report.url},
               {"clients", report.clients},
               {"max_attempts", report.max_attempts},
               {"waiting_seen_by", report.seen_by},
               {"interrupted", report.interrupted},
               {"rows", Json::array()}};
  for (const ExploreRow& row : report.rows) json["rows"].push_back(to_json(row, report.product));
  json["left_out"] = Json::array();
  for (const auto& [strategy, why] : report.left_out) {
    json["left_out"].push_back({{"strategy", strategy}, {"needs", why}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hilsa
