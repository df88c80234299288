#include "reports/ci_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkers/printable.h"
#include "reports/text_table.h"

namespace hilsa {
namespace {

constexpr std::size_t kWidth = 118;

// Broken, unknown, kept.
int urgency(const Demand& demand) {
  switch (demand.status) {
    case Demand::Status::broken:
      return 0;
    case Demand::Status::unknown:
      return 1;
    case Demand::Status::kept:
      break;
  }
  return 2;
}

Tone tone_of(Demand::Status status) {
  switch (status) {
    case Demand::Status::broken:
      return Tone::bad;
    case Demand::Status::unknown:
      return Tone::doubtful;
    case Demand::Status::kept:
      break;
  }
  return Tone::good;
}

std::vector<const Demand*> most_urgent_first(const std::vector<Demand>& demands) {
  std::vector<const Demand*> order;
  for (const Demand& demand : demands) order.push_back(&demand);
  std::stable_sort(order.begin(), order.end(),
                   [](const Demand* a, const Demand* b) { return urgency(*a) < urgency(*b); });
  return order;
}

std::string counts_of(const std::vector<Demand>& demands) {
  const auto count = [&](Demand::Status status) {
    return std::count_if(demands.begin(), demands.end(),
                         [&](const Demand& demand) { return demand.status == status; });
  };
  return fmt::format("{} broken, {} unknown, {} kept", count(Demand::Status::broken),
                     count(Demand::Status::unknown), count(Demand::Status::kept));
}

void add_paragraph(std::string& text, const std::string& paragraph) {
  for (const std::string& line : wrapped(printable(paragraph), kWidth, 4)) text += line + "\n";
}

}  // namespace

std::string to_text_ci_report(const CiReport& report, Colour colour) {
  const std::vector<const Demand*> order = most_urgent_first(report.demands);
  TextTable table;
  for (const char* const title : {"status", "suite", "row", "demand"}) {
    table.add_column(title, TextTable::Align::left);
  }
  for (const Demand* const demand : order) {
    table.add_row({std::string(name_of(demand->status)), printable(demand->suite),
                   printable(demand->row), printable(demand->what)});
    table.tint(0, tone_of(demand->status));
  }
  std::string text = table.to_string(colour) + "\n";
  for (const Demand* const demand : order) {
    add_paragraph(text, fmt::format("{}: suite {}: {}: {}: {}", name_of(demand->status),
                                    demand->suite, demand->row, demand->what, demand->finding));
  }
  if (!order.empty()) text += "\n";
  for (const std::string& note : report.notes) add_paragraph(text, note);
  text += counts_of(report.demands) + "\n";
  return text;
}

std::string to_json_ci_report(const CiReport& report) {
  using Json = nlohmann::ordered_json;
  Json json = {{"suites", Json::array()}, {"demands", Json::array()}, {"notes", report.notes}};
  for (const CiReport::Run& run : report.runs) {
    Json suite = {{"suite", run.suite}, {"database", run.database}};
    suite.update(Json::parse(to_json_report(run.report)));
    json["suites"].push_back(std::move(suite));
  }
  for (const Demand& demand : report.demands) {
    json["demands"].push_back({{"suite", demand.suite},
                               {"row", demand.row},
                               {"what", demand.what},
                               {"status", name_of(demand.status)},
                               {"finding", demand.finding}});
  }
  if (!report.broken_off.empty()) json["broken_off"] = report.broken_off;
  json["exit"] = report.exit_status;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hilsa
