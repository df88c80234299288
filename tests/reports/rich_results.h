// Results with everything that a report can have to tell, made by hand.
#pragma once

#include <span>
#include <string_view>

#include "reports/report_set.h"

namespace hilsa::tests {

// `compare oversell` with a strategy that broke its promise: lost updates, a deadlock, rounds,
// series, settings, a strategy left out.
ReportSet failing_compare();
// A phantom that nobody promised away: an edge about a predicate.
ReportSet write_skew();
// `compare` in which all is as promised, one strategy is unknown, and the run broke off.
ReportSet broken_off();
// All as promised, and stopped by the user half-way.
ReportSet interrupted();
// Explored schedules: a violating one with its anomaly, a deadlock, an estimate.
ReportSet explored();
// Of `hilsa ci`: two reports of one workload, demands kept, broken and unknown.
ReportSet demanded();
// What is hostile wherever text can be: markup, terminal codes, what ends comments and blocks.
ReportSet hostile();
// A million transactions and ten thousand anomalies, as far as a result grows with them.
ReportSet huge();
// Nothing at all.
ReportSet empty();

struct RichResult {
  std::string_view name;
  ReportSet (*make)();
};
// All of them.
std::span<const RichResult> rich_results();

inline constexpr std::string_view kHostile =
    "<script>alert(1)</script> \x1b[31m ]]> --> ```` | * _a_ [x](http://evil.example) \n"
    "::error::owned\r\n@someone #12 https://evil.example \xff\xc3 \xef\xbf\xbf % :smile: \"'&amp;";

}  // namespace hilsa::tests
