// The rows of a report side by side: whether each is safe, what it costs, what else is to be said.
#pragma once

#include "reports/explore_report.h"
#include "reports/html/html_writer.h"
#include "reports/run_report.h"

namespace hilsa {

// Of very many rows the last ones are only counted; those that broke their promise come first
// then.
void write_safety(HtmlWriter& html, const RunReport& report);
void write_costs(HtmlWriter& html, const RunReport& report);
void write_exploration(HtmlWriter& html, const ExploreReport& report);

// `decrement at read committed`
std::string row_name(const std::string& strategy, const std::string& isolation);

}  // namespace hilsa
