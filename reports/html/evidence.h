// What went wrong, shown: anomalies, deadlocks and schedules, each with its story, its cycle as a
// drawing and its transactions side by side.
#pragma once

#include "reports/explore_report.h"
#include "reports/html/report_section.h"
#include "reports/run_report.h"

namespace hilsa {

// Each with its heading; nothing where there is none.
void write_anomalies(HtmlWriter& html, const RunReport& report, const ReportSection& section);
void write_deadlocks(HtmlWriter& html, const RunReport& report, const ReportSection& section);
void write_minimized(HtmlWriter& html, const RunReport& report, const ReportSection& section);
void write_schedules(HtmlWriter& html, const ExploreReport& report, const ReportSection& section);

bool has_anomalies(const RunReport& report);
bool has_deadlocks(const RunReport& report);
bool has_schedules(const ExploreReport& report);

}  // namespace hilsa
