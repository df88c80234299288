#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/deadlock_json.h"
#include "reports/report_json.h"

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(Nanoseconds value) {
  return std::round(static_cast<double>(value) / 1e3) / 1e3;
}

// What a file keeps of the history's check besides.
void add_details(Json& json, const HistoryCheck& check) {
  json["found"] = Json::array();
  for (const HistoryCheck::Count& found : check.anomalies) {
    json["found"].push_back(
        {{"class", found.anomaly}, {"name", found.name}, {"count", found.count}});
  }
  json["shown"] = Json::array();
  for (const ShownAnomaly& anomaly : check.shown) json["shown"].push_back(to_json(anomaly));
  json["culprits"] = Json::array();
  for (const HistoryCheck::Culprit& culprit : check.culprits) {
    json["culprits"].push_back(
        {{"client", culprit.client}, {"trial", culprit.trial}, {"task", culprit.task}});
  }
}

void add_check(Json& json, const HistoryCheck& check, Detail detail) {
  json["anomalies"] = Json::object();
  for (const HistoryCheck::Count& found : check.anomalies) {
    json["anomalies"][found.anomaly] = found.count;
  }
  json["levels"] = check.levels;
  if (!check.not_checked.empty()) json["not_checked"] = check.not_checked;
  if (!check.promised_level.empty()) {
    json["promised_level"] = check.promised_level;
    json["breaks_promised_level"] = check.breaks_promise;
  }
  if (!check.story.empty()) json["story"] = check.story;
  if (check.deadlocks.count > 0) json["deadlocks"] = to_json(check.deadlocks, detail);
  if (detail == Detail::everything) add_details(json, check);
}

// What a file keeps of a row's figures besides.
void add_details(Json& json, const ReportRow& row) {
  json["first_violation"] = row.first_violation;
  json["committed"] = row.tally.committed;
  json["error_texts"] = Json::object();
  for (std::size_t i = 0; i < kErrorKindCount; ++i) {
    const std::string& text = row.tally.error_texts[i];
    if (!text.empty()) json["error_texts"][std::string(name_of(static_cast<ErrorKind>(i)))] = text;
  }
  json["running_ns"] = row.running.count();
  json["latency_ns"] = to_json(row.tally.latency);
  json["rounds"] = Json::array();
  for (std::size_t i = 0; i < std::min(row.rounds.size(), kRoundsKeptMax); ++i) {
    const Round& round = row.rounds[i];
    json["rounds"].push_back({{"running_ns", round.running.count()},
                              {"done", round.done},
                              {"attempts", round.attempts},
                              {"p99_ns", round.p99}});
  }
  json["series"] = to_json(row.series);
  json["figures"] = Json::array();
  for (const auto& measure : row.measures) {
    json["figures"].push_back({{"title", measure.title},
                               {"lowest_name", measure.lowest_name},
                               {"highest_name", measure.highest_name},
                               {"lowest", measure.lowest ? Json(*measure.lowest) : Json()},
                               {"highest", measure.highest ? Json(*measure.highest) : Json()}});
  }
  json["history_incomplete"] = row.history_incomplete;
}

Json to_json(const ReportRow& row, const std::string& product, Detail detail) {
  const Tally& tally = row.tally;
  Json json = {{"strategy", row.strategy},
               {"isolation", row.isolation},
               {"product", product},
               {"promised", row.promised},
               {"measured", row.measured},
               {"trials", row.trials},
               {"trials_violated", row.trials_violated}};
  if (!row.why_unknown.empty()) json["why_unknown"] = row.why_unknown;
  json["violations"] = Json::object();
  for (const auto& [invariant, trials] : row.violations) json["violations"][invariant] = trials;
  json["outcomes"] = Json::object();
  for (std::size_t i = 0; i < kTaskEndCount; ++i) {
    const auto end = static_cast<TaskEnd>(i);
    json["outcomes"][std::string(name_of(end))] = tally.count(end);
  }
  json["attempts"] = tally.attempts;
  json["retries"] = tally.retries;
  json["conflicts"] = tally.conflicts;
  json["errors"] = Json::object();
  for (std::size_t i = 0; i < kErrorKindCount; ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (tally.count(kind) > 0) json["errors"][std::string(name_of(kind))] = tally.count(kind);
  }
  json["throughput_per_s"] = row.throughput_per_s();
  json["running_s"] = milliseconds(row.running.count()) / 1000;
  json["latency_ms"] = {{"p50", milliseconds(tally.latency.percentile(50))},
                        {"p95", milliseconds(tally.latency.percentile(95))},
                        {"p99", milliseconds(tally.latency.percentile(99))},
                        {"max", milliseconds(tally.latency.max())}};
  add_check(json, row.check, detail);
  json["measures"] = Json::object();
  for (const auto& measure : row.measures) {
    json["measures"][measure.lowest_name] = measure.lowest ? Json(*measure.lowest) : Json();
    json["measures"][measure.highest_name] = measure.highest ? Json(*measure.highest) : Json();
  }
  if (!row.untested.empty()) json["untested"] = row.untested;
  if (row.no_level_helps()) json["no_level_helps"] = true;
  if (!row.remark.empty()) json["remark"] = row.remark;
  if (!row.history_file.empty()) json["history"] = row.history_file;
  if (detail == Detail::everything) add_details(json, row);
  return json;
}

Json to_json(const RunReport::Minimized& minimized, Detail detail) {
  Json json = {{"reproduced", minimized.why_not.empty()}, {"schedules", minimized.schedules}};
  if (!minimized.why_not.empty()) {
    json["why_not"] = minimized.why_not;
    return json;
  }
  json["what"] = minimized.what;
  json["script"] = minimized.script;
  if (detail == Detail::everything) json["picture"] = minimized.picture;
  return json;
}

}  // namespace

Json to_json(const RunReport& report, Detail detail) {
  Json json = {{"workload", report.workload},
               {"seed", report.seed},
               {"product", report.product},
               {"version", report.version},
               {"url", report.url},
               {"clients", report.clients},
               {"pool", report.pool},
               {"think_ms", milliseconds(report.think.count())},
               {"interrupted", report.interrupted},
               {"rows", Json::array()}};
  if (detail == Detail::everything) {
    json["origin"] = to_json(report.origin);
    json["product_title"] = report.product_title;
    json["think_ns"] = report.think.count();
    json["default_database"] = report.default_database;
    json["sustained"] = report.sustained;
  }
  for (const ReportRow& row : report.rows) {
    json["rows"].push_back(to_json(row, report.product, detail));
  }
  if (report.minimized) json["minimized"] = to_json(*report.minimized, detail);
  if (!report.broken_off.empty()) json["broken_off"] = report.broken_off;
  json["left_out"] = Json::array();
  for (const auto& [strategy, why] : report.left_out) {
    json["left_out"].push_back({{"strategy", strategy}, {"needs", why}});
  }
  json["advice"] = advice_for(report);
  return json;
}

std::string to_json_report(const RunReport& report) {
  Json json = {{"tool", "hilsa " HILSA_VERSION}};
  json.update(to_json(report, Detail::summary));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hilsa
