#include "reports/report_set.h"

#include <algorithm>

namespace hilsa {
namespace {

bool is_bad(const RunReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), [](const ReportRow& row) {
    return row.promised == "safe" && row.measured == "unsafe";
  });
}

bool is_bad(const ExploreReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), [](const ExploreRow& row) {
    return row.promised == "safe" && row.measured == "unsafe";
  });
}

}  // namespace

std::string_view name_of(Demand::Status status) {
  switch (status) {
    case Demand::Status::kept:
      return "kept";
    case Demand::Status::broken:
      return "broken";
    case Demand::Status::unknown:
      break;
  }
  return "unknown";
}

bool ReportSet::is_bad() const {
  // Where somebody has said what must hold, nothing else counts.
  if (!demands.empty()) {
    return std::any_of(demands.begin(), demands.end(), [](const Demand& demand) {
      return demand.status == Demand::Status::broken;
    });
  }
  return std::any_of(reports.begin(), reports.end(), [](const Report& report) {
    return std::visit([](const auto& one) { return hilsa::is_bad(one); }, report);
  });
}

}  // namespace hilsa
