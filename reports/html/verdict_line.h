// What a reader must know first, in a sentence: whether all is as promised.
#pragma once

#include <string>
#include <string_view>

#include "reports/colour.h"
#include "reports/report_set.h"

namespace hilsa {

std::string_view name_of(Tone tone);  // good, doubt, bad: classes of the style sheet

struct VerdictLine {
  Tone tone = Tone::good;
  std::string word;      // `not as promised`
  std::string sentence;  // `atomic at read committed is unsafe`
};

VerdictLine verdict_line(const RunReport& report);
VerdictLine verdict_line(const ExploreReport& report);
VerdictLine verdict_line(const Report& report);
// Of all reports, or of the demands where there are some: as ReportSet::is_bad().
VerdictLine verdict_line(const ReportSet& result);

// `oversell on PostgreSQL 15.18`
std::string title_of(const Report& report);
std::string title_of(const ReportSet& result);

}  // namespace hilsa
