// Reports as JSON: on standard output (DESIGN §8), and with everything that a report is drawn from
// in a run directory's result.json (docs/result-format.md). One function makes both, so that a
// field means the same in both.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "harness/history/histogram.h"
#include "harness/history/time_series.h"
#include "reports/explore_report.h"
#include "reports/origin.h"
#include "reports/run_report.h"
#include "reports/shown_anomaly.h"

namespace hilsa {

// How much is told: for standard output, or all that there is.
enum class Detail { summary, everything };

// Of more rounds than this, the first ones are kept.
inline constexpr std::size_t kRoundsKeptMax = 1000;

nlohmann::ordered_json to_json(const RunReport& report, Detail detail);
nlohmann::ordered_json to_json(const ExploreReport& report, Detail detail);

// What only `everything` tells.
nlohmann::ordered_json to_json(const Origin& origin);
nlohmann::ordered_json to_json(const ShownAnomaly& anomaly);
// `[[ns, times], …]`
nlohmann::ordered_json to_json(const Histogram& histogram);
nlohmann::ordered_json to_json(const TimeSeries& series);

}  // namespace hilsa
