// `report.html`: a result as one self-contained page: the verdict, the comparison, how it went over
// time, each anomaly as a drawing, what it ran on. At most 5 MB, whatever the result: what is not
// drawn is counted.
#pragma once

#include <string>

#include "reports/report_set.h"

namespace hilsa {

// Any number of threads.
std::string to_html_report(const ReportSet& result);

}  // namespace hilsa
