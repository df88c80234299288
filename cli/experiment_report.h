// An experiment from its plan to its report: run, watched on the terminal, checked.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "cli/check_rows.h"
#include "harness/run/experiment.h"
#include "reports/run_report.h"

namespace hilsa {

struct ExperimentWishes {
  CheckWishes check;
  bool quiet = false;          // no progress line
  std::string progress_title;  // what the progress line begins with; empty: the workload
};

// Runs the plan's rows and checks their histories. The report's `origin` says how long it took and
// on what settings; the command is the caller's to add. Throws what Experiment throws.
RunReport run_experiment(ExperimentPlan plan, Database& database, const ExperimentWishes& wishes,
                         const std::stop_token& stop);

// The settings that matter for races, for a report's environment; none where they cannot be asked.
std::vector<Origin::Setting> settings_of(Database& database);

}  // namespace hilsa
