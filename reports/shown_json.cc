// What only a run directory's file tells: anomalies with their timelines, latencies, series.
#include <nlohmann/json.hpp>

#include "reports/report_json.h"

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ShownTimeline::Lane& lane) {
  return {{"name", lane.name}, {"about", lane.about}, {"end", lane.end}, {"failed", lane.failed}};
}

Json to_json(const ShownTimeline::Step& step) {
  Json json = {{"lane", step.lane}, {"what", step.what}, {"answer", step.answer}};
  if (step.failed) json["failed"] = true;
  if (step.waited) json["waited"] = true;
  json["sent"] = step.sent;
  json["answered"] = step.answered;
  if (step.at) json["at_ns"] = *step.at;
  if (step.took) json["took_ns"] = *step.took;
  return json;
}

Json to_json(const ShownEdge& edge) {
  return {{"from", edge.from},
          {"to", edge.to},
          {"kind", edge.kind},
          {"about", edge.about},
          {"inferred", edge.inferred}};
}

}  // namespace

Json to_json(const Origin& origin) {
  Json json = {{"subcommand", origin.subcommand},
               {"command", origin.command},
               {"started_at", origin.started_at},
               {"took_s", origin.took_s},
               {"settings", Json::array()}};
  if (!origin.suite.empty()) json["suite"] = origin.suite;
  if (!origin.database.empty()) json["database"] = origin.database;
  for (const Origin::Setting& setting : origin.settings) {
    json["settings"].push_back(
        {{"name", setting.name}, {"value", setting.value}, {"meaning", setting.meaning}});
  }
  return json;
}

Json to_json(const ShownAnomaly& anomaly) {
  Json json = {
      {"class", anomaly.anomaly}, {"name", anomaly.name},           {"meaning", anomaly.meaning},
      {"count", anomaly.count},   {"sentences", anomaly.sentences}, {"edges", Json::array()},
      {"lanes", Json::array()},   {"steps", Json::array()},         {"text", anomaly.text}};
  for (const ShownEdge& edge : anomaly.cycle) json["edges"].push_back(to_json(edge));
  for (const auto& lane : anomaly.timeline.lanes) json["lanes"].push_back(to_json(lane));
  for (const auto& step : anomaly.timeline.steps) json["steps"].push_back(to_json(step));
  return json;
}

Json to_json(const Histogram& histogram) {
  Json json = Json::array();
  for (const Histogram::Step& step : histogram.steps()) {
    json.push_back(Json::array({step.value, step.times}));
  }
  return json;
}

Json to_json(const TimeSeries& series) {
  Json json = {{"width_ns", series.width()}, {"intervals", Json::array()}};
  for (const TimeSeries::Interval& interval : series.intervals()) {
    Json one = {{"done", interval.done},
                {"others", interval.others},
                {"aborted", interval.aborted},
                {"latencies", Json::array()}};
    for (std::size_t step = 0; step < interval.latencies.size(); ++step) {
      if (interval.latencies[step] == 0) continue;
      one["latencies"].push_back(Json::array({step, interval.latencies[step]}));
    }
    json["intervals"].push_back(std::move(one));
  }
  return json;
}

}  // namespace hilsa
