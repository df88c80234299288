// The parts of one report on the page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/html/charts.h"
#include "reports/html/html_writer.h"
#include "reports/report_set.h"

namespace hilsa {

// What a page may grow to before details are counted instead of written, so that it stays below
// 5 MB however much there is: the largest detail, what is always written, and the charts' library
// and data fit into the rest.
inline constexpr std::size_t kDetailedBytesMax = 2'500'000;
inline bool has_room(const HtmlWriter& html) { return html.size() < kDetailedBytesMax; }

// A report on its way onto a page.
struct ReportSection {
  std::string id;                     // unique on the page, of letters and digits
  std::vector<std::size_t> examples;  // by row: how many are drawn
  bool with_verdict = false;          // its own, since it is one of several
};

void write_section(HtmlWriter& html, Charts& charts, const RunReport& report,
                   const ReportSection& section);
void write_section(HtmlWriter& html, Charts& charts, const ExploreReport& report,
                   const ReportSection& section);

}  // namespace hilsa
