// The checker inside `run` and `compare`: what each row's history comes to.
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "cli/progress_line.h"
#include "harness/run/experiment.h"
#include "reports/run_report.h"

namespace hilsa {

// --no-check, --check-at-most
void add_check_options(Options& options);

// How many attempts of each of `rows` rows to keep for the checker; 0: none.
std::int64_t collected_attempts_max(const Parsed& parsed, std::size_t rows);

// Checks the rows' histories one after the other and lets go of them. Where the history decides
// (Workload::history_decides), the result then says what it says. `with_story`: one anomaly of each
// row is explained. One check a result, in their order.
std::vector<HistoryCheck> check_rows(const Parsed& parsed, std::vector<RowResult>& results,
                                     const Traits& traits, bool interrupted, bool with_story,
                                     ProgressLine& line);

}  // namespace hilsa
