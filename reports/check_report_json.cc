#include <nlohmann/json.hpp>

#include "checkers/explain.h"
#include "reports/check_report.h"
#include "reports/deadlock_json.h"

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const History& history, const Anomaly& anomaly, const Evidence& evidence) {
  Json json = {{"transactions", Json::array()}, {"edges", Json::array()}};
  for (const TxnIndex txn : evidence.transactions) {
    json["transactions"].push_back(history.txn_name(txn));
  }
  for (const EvidenceEdge& edge : evidence.cycle) {
    json["edges"].push_back({{"from", history.txn_name(edge.from)},
                             {"to", history.txn_name(edge.to)},
                             {"kind", name_of(edge.kind)},
                             {"inferred", edge.inferred},
                             {"why", sentence_of(history, edge)}});
  }
  json["beyond_one_transaction"] = evidence.beyond_one_transaction;
  json["remarks"] = evidence.remarks;
  json["text"] = explain(history, anomaly, evidence);
  return json;
}

Json to_json(const History& history, const Anomaly& anomaly) {
  Json json = {{"class", class_name(anomaly.anomaly, anomaly.needs)},
               {"name", common_name(anomaly.anomaly, anomaly.needs)},
               {"count", anomaly.count},
               {"evidence", Json::array()}};
  for (const Evidence& evidence : anomaly.evidence) {
    json["evidence"].push_back(to_json(history, anomaly, evidence));
  }
  return json;
}

Json to_json(const Verdict& verdict, const LevelResult& result) {
  Json json = {{"level", name_of(result.level)}, {"verdict", name_of(result.validity)}};
  const auto because = static_cast<std::size_t>(result.because);
  if (result.because >= 0 && because < verdict.anomalies.size()) {
    const Anomaly& anomaly = verdict.anomalies[because];
    json["because"] = class_name(anomaly.anomaly, anomaly.needs);
  }
  return json;
}

Json to_json(const Coverage& coverage) {
  Json json = {{"committed", coverage.committed}, {"aborted", coverage.aborted},
               {"in_doubt", coverage.in_doubt},   {"in_doubt_seen", coverage.in_doubt_seen},
               {"objects", coverage.objects},     {"edges", Json::object()}};
  for (std::size_t i = 0; i < kEdgeKindCount; ++i) {
    json["edges"][std::string(name_of(static_cast<EdgeKind>(i)))] = coverage.edges[i];
  }
  json["choices"] = coverage.choices;
  json["search_steps"] = coverage.search_steps;
  json["largest_component"] = coverage.largest_component;
  return json;
}

}  // namespace

std::string to_json_report(const History& history, const Verdict& verdict) {
  Json json = {{"tool", "hilsa " HILSA_VERSION}, {"verdict", name_of(verdict.validity)},
               {"reason", verdict.reason},       {"demanded", name_of(verdict.demanded)},
               {"levels", level_names(verdict)}, {"anomalies", Json::array()}};
  for (const Anomaly* const anomaly : in_telling_order(verdict)) {
    json["anomalies"].push_back(to_json(history, *anomaly));
  }
  json["transactions"] = verdict.coverage.transactions;
  json["operations"] = verdict.coverage.operations;
  json["coverage"] = to_json(verdict.coverage);
  json["results"] = Json::array();
  for (const LevelResult& result : verdict.results) {
    json["results"].push_back(to_json(verdict, result));
  }
  const DeadlockSummary deadlocks = summarize_deadlocks(history, nullptr);
  if (deadlocks.count > 0) json["deadlocks"] = to_json(deadlocks);
  json["form"] = name_of(history.form);
  json["cut_short"] = history.cut_short;
  json["notes"] = verdict.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hilsa
