#include "cli/explored.h"

#include "checkers/checker.h"
#include "cli/schedule_script.h"
#include "reports/check_report.h"

namespace hilsa {

Exploration::Findings find_anomalies(const Workload& workload, const Traits& traits,
                                     const History& history, const ExploredStrategy& explored) {
  const std::string_view promised = traits.promised_level(explored.isolation);
  const auto level = level_named(promised);
  const Verdict verdict = check(history, {.level = level});
  Exploration::Findings findings;
  for (const Anomaly& anomaly : verdict.anomalies) {
    if (anomaly.needs != Needs::data)
      continue;  // of two tasks, each after the other, none is stale
    findings.anomalies.push_back(class_name(anomaly.anomaly, anomaly.needs));
  }
  const bool kept = !explored.strategy->one_transaction || verdict.validity != Validity::invalid;
  if (workload.history_decides && !kept) {
    findings.broken = "the database promises " + std::string(promised) + ", the history is not so";
  }
  return findings;
}

namespace {

std::string end_in_words(const ClientEnd& end) {
  std::string text(name_of(end.end));
  if (!end.reply.empty() && end.reply != text) text += ": " + end.reply;
  if (end.error) text += " (" + std::string(name_of(*end.error)) + ")";
  return text;
}

}  // namespace

ShownSchedule to_shown(const RunSchedule& run, Product product, const std::string& headline,
                       const std::string& command) {
  ShownSchedule shown{.switches = run.switches};
  for (const TakenStep& step : run.steps) {
    std::string sql;
    for (const std::string& text : sql_of(step.call, product)) {
      sql += (sql.empty() ? "" : "; ") + text;
    }
    shown.steps.push_back({.client = step.client,
                           .sql = sql,
                           .answer = answer_of(step),
                           .waited = step.waited,
                           .failed = step.answer && !*step.answer,
                           .answered_after = step.answered_after});
  }
  for (const ClientEnd& end : run.ends) shown.ends.push_back(end_in_words(end));
  for (const auto& [name, what] : run.broken) {
    shown.what += (shown.what.empty() ? "" : "; ") + std::string(name) + ": " + what;
  }
  const Verdict verdict = check(run.history, {});
  const std::vector<const Anomaly*> anomalies = in_telling_order(verdict);
  if (!anomalies.empty()) {
    shown.anomaly = to_shown(run.history, *anomalies[0], anomalies[0]->evidence.at(0));
    shown.story = shown.anomaly->text;
    if (shown.what.empty()) {
      shown.what = common_name(anomalies[0]->anomaly, anomalies[0]->needs) + " (" +
                   class_name(anomalies[0]->anomaly, anomalies[0]->needs) + ")";
    }
  }
  if (shown.what.empty()) shown.what = headline;
  shown.script = script_of(run, product, {command, shown.what});
  return shown;
}

}  // namespace hilsa
