// From stress to a script: the transactions of an anomaly that a run has found are tried alone, in
// every order, until they break again.
#pragma once

#include <stop_token>

#include "cli/arguments.h"
#include "harness/run/experiment.h"
#include "reports/run_report.h"

namespace hilsa {

// Of the run's one row.
RunReport::Minimized minimize(const Parsed& parsed, const ExperimentPlan& plan,
                              const ReportRow& row, Database& database,
                              const std::stop_token& stop);

}  // namespace hilsa
