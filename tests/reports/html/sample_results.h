// Results as runs leave them, small and by hand, and what a hostile file could hold instead.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/report_set.h"

namespace hilsa::tests {

// A comparison in which one strategy breaks its promise, with its anomaly.
ReportSet failing_comparison();
ReportSet write_skew();
ReportSet deadlocked();
ReportSet explored();
// A run of some seconds, with its series over time.
ReportSet sustained();
// An anomaly of eight transactions.
ReportSet eight_lanes();
// Of everything that a reader could confuse with markup, in every text that there is.
ReportSet hostile();
// What `hilsa ci` makes of several reports.
ReportSet demanded();
// So many rows with 100 anomalies each, all texts as `text`.
ReportSet huge(const std::string& text, int rows);

// Each with a name for its file.
std::vector<std::pair<std::string, ReportSet>> samples();

inline const std::string kHostile =
    "<script>document.title='hacked'</script><img src=x onerror=alert(1)>\"'&amp;\x1b[31m\n]]>"
    "</pre>\xE2\x80\xAE\xff";

}  // namespace hilsa::tests
