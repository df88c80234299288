// From explorations to what reports show of them.
#pragma once

#include <string>

#include "harness/schedule/exploration.h"
#include "reports/explore_report.h"

namespace hilsa {

// What the checker says of a schedule's history.
Exploration::Findings find_anomalies(const Workload& workload, const Traits& traits,
                                     const History& history, const ExploredStrategy& explored);

// `headline`: what to call it when no invariant broke. `command`: what repeats it, for the script.
ShownSchedule to_shown(const RunSchedule& run, Product product, const std::string& headline,
                       const std::string& command);

}  // namespace hilsa
