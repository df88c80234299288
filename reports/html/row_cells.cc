#include "reports/html/row_cells.h"

#include <algorithm>
#include <numeric>

#include "reports/html/figures.h"
#include "reports/html/page.h"

namespace hilsa {

HtmlTable::Cell strategy_cell(const std::string& strategy, const std::string& isolation) {
  return HtmlTable::Cell([strategy, isolation](HtmlWriter& html) {
    html.text(strategy, kCellTextMax);
    html.element("small", short_cell(isolation));
  });
}

HtmlTable::Cell measured_cell(const std::string& promised, const std::string& measured) {
  return HtmlTable::Cell([promised, measured](HtmlWriter& html) {
    const Tone tone = measured == "safe"     ? Tone::good
                      : measured == "unsafe" ? Tone::bad
                                             : Tone::doubtful;
    write_badge(html, tone, promised != "safe" && measured != "unknown", short_cell(measured));
    const bool differs = measured != promised && measured != "unknown";
    if (differs) html.element("small", promised == "safe" ? "not as promised" : "by luck");
  });
}

std::string short_cell(const std::string& text) { return shortened(text, kCellTextMax); }

std::vector<std::size_t> rows_to_show(std::size_t rows, const std::vector<std::size_t>& order) {
  if (rows > kTableRowsMax) return {order.begin(), order.begin() + kTableRowsMax};
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void write_rows_left_out(HtmlWriter& html, std::size_t rows) {
  if (rows <= kTableRowsMax) return;
  html.element("p", {{"class", "more"}},
               "and " + counted(rows - kTableRowsMax, "more row", "more rows"));
}

}  // namespace hilsa
