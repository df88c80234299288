#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "reports/report_json.h"

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

// There may be more schedules than numbers for them.
double finite(double number) {
  return std::isfinite(number) ? number : std::numeric_limits<double>::max();
}

// Counts of schedules are whole as long as nothing was estimated; estimates are told rounded, and
// kept as they are.
Json count(double number, Detail detail) {
  constexpr double kExactMax = 9e15;  // above, doubles are not all of the whole numbers
  const bool is_whole = std::round(number) == number;
  if (std::abs(number) <= kExactMax && (is_whole || detail == Detail::summary)) {
    return static_cast<std::int64_t>(std::llround(number));
  }
  return finite(number);
}

Json counts(const std::map<std::string, double>& numbers, Detail detail) {
  Json json = Json::object();
  for (const auto& [name, number] : numbers) json[name] = count(number, detail);
  return json;
}

Json to_json(const ShownSchedule& schedule, Detail detail) {
  Json json = {{"switches", schedule.switches}, {"what", schedule.what}, {"ends", schedule.ends}};
  json["steps"] = Json::array();
  for (const ExploredStep& step : schedule.steps) {
    Json one = {{"client", step.client}, {"sql", step.sql}, {"answer", step.answer}};
    if (step.waited) one["waited"] = true;
    if (step.waited || detail == Detail::everything) one["answered_after"] = step.answered_after;
    if (step.failed) one["failed"] = true;
    json["steps"].push_back(std::move(one));
  }
  if (!schedule.story.empty()) json["story"] = schedule.story;
  json["script"] = schedule.script;
  if (detail == Detail::everything && schedule.anomaly)
    json["anomaly"] = to_json(*schedule.anomaly);
  return json;
}

Json to_json(const ExploreRow& row, const std::string& product, Detail detail) {
  Json json = {{"strategy", row.strategy},
               {"isolation", row.isolation},
               {"product", product},
               {"promised", row.promised},
               {"measured", row.measured},
               {"schedules", count(row.schedules, detail)},
               {"run", row.run},
               {"running_s", static_cast<double>(row.running.count()) / 1e9},
               {"skipped", count(row.covered - static_cast<double>(row.run - row.sampled), detail)},
               {"sampled", row.sampled},
               {"exhaustive", row.exhaustive}};
  if (!row.exhaustive) {
    json["covered_share"] = row.schedules > 0 ? finite(row.covered) / finite(row.schedules) : 0.0;
    json["complete_switches"] = row.complete_switches;
  }
  if (detail == Detail::everything) {
    json["complete_switches"] = row.complete_switches;
    json["covered"] = count(row.covered, detail);
    json["running_ns"] = row.running.count();
  }
  json["violating"] = count(row.violating, detail);
  json["deadlocks"] = count(row.deadlocks, detail);
  json["refused_by_database"] = count(row.refused_by_database, detail);
  json["waiting"] = count(row.waiting, detail);
  json["outcomes"] = counts(row.outcomes, detail);
  json["violations"] = counts(row.violations, detail);
  json["anomalies"] = counts(row.anomalies, detail);
  if (row.shortest) json["shortest"] = to_json(*row.shortest, detail);
  if (row.shortest_deadlock) json["shortest_deadlock"] = to_json(*row.shortest_deadlock, detail);
  return json;
}

}  // namespace

Json to_json(const ExploreReport& report, Detail detail) {
  Json json = {{"workload", report.workload},
               {"seed", report.seed},
               {"product", report.product},
               {"version", report.version},
               {"url", report.url},
               {"clients", report.clients},
               {"max_attempts", report.max_attempts},
               {"waiting_seen_by", report.seen_by},
               {"interrupted", report.interrupted},
               {"rows", Json::array()}};
  if (detail == Detail::everything) {
    json["origin"] = to_json(report.origin);
    json["product_title"] = report.product_title;
  }
  for (const ExploreRow& row : report.rows) {
    json["rows"].push_back(to_json(row, report.product, detail));
  }
  json["left_out"] = Json::array();
  for (const auto& [strategy, why] : report.left_out) {
    json["left_out"].push_back({{"strategy", strategy}, {"needs", why}});
  }
  return json;
}

std::string to_json_report(const ExploreReport& report) {
  Json json = {{"tool", "hilsa " HILSA_VERSION}};
  json.update(to_json(report, Detail::summary));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hilsa
