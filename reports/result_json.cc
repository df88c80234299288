// Writes a run directory's result.json.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/lines.h"
#include "reports/report_json.h"
#include "reports/report_set.h"
#include "reports/result_file.h"

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

// What came from databases is kept as it will be shown, so that the file itself can be shown, and
// reads back as what it was written from.
Json made_visible(const Json& json) {
  if (json.is_string()) return visible_lines(json.get_ref<const std::string&>());
  if (json.is_array()) {
    Json visible = Json::array();
    for (const Json& element : json) visible.push_back(made_visible(element));
    return visible;
  }
  if (!json.is_object()) return json;
  Json visible = Json::object();
  for (const auto& [name, value] : json.items()) visible[visible_lines(name)] = made_visible(value);
  return visible;
}

Json to_json(const RunReport& report) {
  Json json = {{"kind", kRunKind}};
  json.update(to_json(report, Detail::everything));
  return json;
}

Json to_json(const ExploreReport& report) {
  Json json = {{"kind", kExploreKind}};
  json.update(to_json(report, Detail::everything));
  return json;
}

Json to_json(const Demand& demand) {
  return {{"suite", demand.suite},
          {"row", demand.row},
          {"what", demand.what},
          {"status", name_of(demand.status)},
          {"finding", demand.finding}};
}

}  // namespace

std::string to_result_json(const ReportSet& result) {
  Json json = {{"format", kResultFormat},
               {"version", kResultVersion},
               {"tool", "hilsa " HILSA_VERSION},
               {"reports", Json::array()},
               {"demands", Json::array()}};
  for (const Report& report : result.reports) {
    json["reports"].push_back(std::visit([](const auto& one) { return to_json(one); }, report));
  }
  for (const Demand& demand : result.demands) json["demands"].push_back(to_json(demand));
  return made_visible(json).dump() + "\n";
}

}  // namespace hilsa
