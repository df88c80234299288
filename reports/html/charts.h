// How a sustained run went over time, and how its latencies are spread: charts drawn in the
// reader's browser by Chart.js, with the same numbers as tables.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/html/html_writer.h"
#include "reports/run_report.h"

namespace hilsa {

// A page's charts: figures are written where they belong, and what draws them at the page's end.
class Charts {
 public:
  // Nothing unless the report has something to draw. `id` tells its figures from other reports'.
  void write_figures(HtmlWriter& html, const RunReport& report, const std::string& id);
  // The data, the library and the script; nothing on a page without figures.
  void write_scripts(HtmlWriter& html) const;

 private:
  void write_figure(HtmlWriter& html, nlohmann::json chart, const std::string& title);

  nlohmann::json charts_ = nlohmann::json::array();
};

bool has_charts(const RunReport& report);

}  // namespace hilsa
