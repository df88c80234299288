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

struct CheckWishes {
  bool wanted = true;
  // Of all rows together, some 300 bytes each where transactions have four operations.
  std::int64_t attempts_max = 2'000'000;
};
CheckWishes check_wishes_from(const Parsed& parsed);

// How many attempts of each of `rows` rows to keep for the checker; 0: none.
std::int64_t collected_attempts_max(const CheckWishes& wishes, std::size_t rows);

// Checks the rows' histories one after the other and lets go of them. Where the history decides
// (Workload::history_decides), the result then says what it says. A single row's first anomaly is
// explained in its check's story. One check a result, in their order.
std::vector<HistoryCheck> check_rows(const CheckWishes& wishes, std::vector<RowResult>& results,
                                     const Traits& traits, bool interrupted, ProgressLine& line);

}  // namespace hilsa
