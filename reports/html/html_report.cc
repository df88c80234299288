#include "reports/html/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "reports/html/charts.h"
#include "reports/html/examples.h"
#include "reports/html/figures.h"
#include "reports/html/html_table.h"
#include "reports/html/page.h"
#include "reports/html/report_section.h"
#include "reports/html/row_cells.h"

namespace hilsa {
namespace {

constexpr std::size_t kDemandsMax = 300;
constexpr std::size_t kReportsLinked = 200;
constexpr std::size_t kFindingMax = 600;  // characters

Tone tone_of(Demand::Status status) {
  switch (status) {
    case Demand::Status::kept:
      return Tone::good;
    case Demand::Status::broken:
      return Tone::bad;
    case Demand::Status::unknown:
      break;
  }
  return Tone::doubtful;
}

// Broken ones first, kept ones last.
std::vector<const Demand*> in_order(const std::vector<Demand>& demands) {
  std::vector<const Demand*> order;
  for (const Demand& demand : demands) order.push_back(&demand);
  std::stable_sort(order.begin(), order.end(), [](const Demand* a, const Demand* b) {
    return tone_of(a->status) > tone_of(b->status);
  });
  return order;
}

void write_demands(HtmlWriter& html, const std::vector<Demand>& demands) {
  if (demands.empty()) return;
  html.element("h2", {{"id", "demands"}}, "Demands");
  HtmlTable table("what each row must be, and what was found; those that broke first");
  for (const char* const title : {"row", "suite", "demand", "status", "found"}) {
    table.add_column(title);
  }
  const std::vector<const Demand*> order = in_order(demands);
  for (std::size_t i = 0; i < std::min(order.size(), kDemandsMax); ++i) {
    const Demand& demand = *order[i];
    table.add_row({short_cell(demand.row), short_cell(demand.suite), short_cell(demand.what),
                   HtmlTable::Cell([&demand](HtmlWriter& out) {
                     write_badge(out, tone_of(demand.status), false, name_of(demand.status));
                   }),
                   shortened(demand.finding, kFindingMax)});
  }
  table.write(html);
  if (order.size() > kDemandsMax) {
    html.element("p", {{"class", "more"}}, fmt::format("and {} more", order.size() - kDemandsMax));
  }
}

std::string id_of(std::size_t report) { return fmt::format("report{}", report + 1); }

// Where there are several: each with its verdict.
void write_contents(HtmlWriter& html, const ReportSet& result) {
  if (result.reports.size() < 2) return;
  const auto nav = html.open("nav", {{"class", "reports"}, {"aria-label", "reports"}});
  const auto list = html.open("ul");
  for (std::size_t i = 0; i < std::min(result.reports.size(), kReportsLinked); ++i) {
    const VerdictLine line = verdict_line(result.reports[i]);
    const auto item = html.open("li");
    html.element("a", {{"href", "#" + id_of(i)}}, short_cell(title_of(result.reports[i])));
    html.raw(" ");
    write_badge(html, line.tone, false, line.word);
  }
}

std::string about(const ReportSet& result) {
  if (result.reports.size() != 1) return title_of(result);
  const Origin& origin =
      std::visit([](const auto& one) -> const Origin& { return one.origin; }, result.reports[0]);
  std::string text = origin.subcommand.empty() ? "" : origin.subcommand + " ";
  text += title_of(result.reports[0]);
  if (!origin.started_at.empty()) text += ", " + origin.started_at;
  return shortened(text, 300);
}

}  // namespace

std::string to_html_report(const ReportSet& result) {
  return make_page("hilsa: " + shortened(title_of(result), 200), [&result](HtmlWriter& html) {
    write_headline(html, about(result), verdict_line(result));
    write_contents(html, result);
    write_demands(html, result.demands);
    Charts charts;
    const std::vector<std::vector<std::size_t>> examples = choose_examples(result);
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < result.reports.size(); ++i) {
      // The first is whole whatever the demands took; when there is no room left, a report is
      // still named and judged above.
      if (i > 0 && (!has_room(html) || i >= kReportsLinked)) {
        ++left_out;
        continue;
      }
      const ReportSection section{id_of(i), examples[i], result.reports.size() > 1};
      std::visit([&](const auto& report) { write_section(html, charts, report, section); },
                 result.reports[i]);
    }
    if (left_out > 0) {
      html.element("p", {{"class", "more"}},
                   "and " + counted(left_out, "more report", "more reports") +
                       " for which this page has no room: 'hilsa report DIR' shows one alone");
    }
    charts.write_scripts(html);
  });
}

}  // namespace hilsa
