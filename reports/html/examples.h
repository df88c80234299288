// Which of very many anomalies are drawn, and in which order rows are told of.
#pragma once

#include <cstddef>
#include <vector>

#include "reports/report_set.h"

namespace hilsa {

inline constexpr std::size_t kExamplesPerRow = 12;
inline constexpr std::size_t kExamplesMax = 60;

// By report and row: how many of its anomalies (of its schedules, in an exploration) are drawn, the
// first ones. Every failing row gets its first before any gets its second, and those that broke
// their promise before the others. O(rows).
std::vector<std::vector<std::size_t>> choose_examples(const ReportSet& result);

// The rows' places, those that broke their promise first, then the unsafe ones.
std::vector<std::size_t> failing_first(const RunReport& report);
std::vector<std::size_t> failing_first(const ExploreReport& report);

}  // namespace hilsa
