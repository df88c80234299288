// What a report is about and what repeats it: product, settings, seed, command.
#pragma once

#include "reports/html/report_section.h"

namespace hilsa {

void write_environment(HtmlWriter& html, const RunReport& report, const ReportSection& section);
void write_environment(HtmlWriter& html, const ExploreReport& report, const ReportSection& section);

}  // namespace hilsa
