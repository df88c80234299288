#include "reports/html/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "checkers/printable.h"
#include "reports/html/chart_library.h"
#include "reports/html/chart_script.h"
#include "reports/html/figures.h"
#include "reports/html/html_table.h"
#include "reports/html/series_points.h"

namespace hilsa {
namespace {

using nlohmann::json;
using Align = HtmlTable::Align;

// More lines cannot be told apart.
constexpr std::size_t kLinesMax = 8;
constexpr std::size_t kNameMax = 60;
constexpr std::size_t kFaultsMax = 50;

struct Line {
  std::string name;
  const ReportRow* row = nullptr;
  std::vector<SeriesPoint> points;
};

std::vector<Line> lines_of(const RunReport& report) {
  std::vector<Line> lines;
  for (const ReportRow& row : report.rows) {
    if (row.series.intervals().empty() || lines.size() == kLinesMax) continue;
    const bool alone = std::count_if(report.rows.begin(), report.rows.end(), [&](const auto& one) {
                         return one.strategy == row.strategy;
                       }) == 1;
    const std::string name = alone ? row.strategy : row.strategy + " at " + row.isolation;
    lines.push_back(
        {elided(printable(name), kNameMax), &row, points_of(row.series, row.running.count())});
  }
  return lines;
}

double rounded(double value) { return std::stod(fmt::format("{:.5g}", value)); }

json point(double x, double y) { return {{"x", rounded(x)}, {"y", rounded(y)}}; }

json faults_of(const RunReport& report) {
  json faults = json::array();
  for (const FaultWindow& fault : report.faults) {
    if (faults.size() == kFaultsMax) break;
    faults.push_back({{"name", elided(printable(fault.name), kNameMax)},
                      {"from", static_cast<double>(fault.from) / 1e9},
                      {"to", static_cast<double>(fault.to) / 1e9}});
  }
  return faults;
}

json over_time(const std::string& id, const std::string& unit, const RunReport& report,
               const std::vector<Line>& lines, double SeriesPoint::*value) {
  json drawn = json::array();
  double seconds = 0;
  for (const Line& line : lines) {
    json points = json::array();
    for (const SeriesPoint& one : line.points) {
      const bool is_latency = value == &SeriesPoint::p50_ms || value == &SeriesPoint::p99_ms;
      if (!is_latency || one.has_latency) points.push_back(point(one.seconds, one.*value));
    }
    seconds = std::max(seconds, static_cast<double>(line.row->running.count()) / 1e9);
    drawn.push_back({{"name", line.name}, {"points", std::move(points)}});
  }
  return {{"id", id},           {"kind", "time"},
          {"unit", unit},       {"lines", std::move(drawn)},
          {"seconds", seconds}, {"faults", faults_of(report)}};
}

json latency_curves(const std::string& id, const std::vector<Line>& lines) {
  json drawn = json::array();
  for (const Line& line : lines) {
    json points = json::array();
    for (const CurvePoint& one : curve_of(line.row->tally.latency)) {
      points.push_back(point(one.one_in, one.ms));
    }
    drawn.push_back({{"name", line.name}, {"points", std::move(points)}});
  }
  return {{"id", id}, {"kind", "percentiles"}, {"unit", "ms"}, {"lines", std::move(drawn)}};
}

void write_numbers(HtmlWriter& html, const Line& line) {
  HtmlTable table(line.name);
  for (const char* const title : {"second", "done/s", "p50 ms", "p99 ms", "aborted attempts/s"}) {
    table.add_column(title, Align::right);
  }
  for (const SeriesPoint& one : line.points) {
    table.add_row({fmt::format("{:.2f}", one.seconds), grouped(one.done_per_s),
                   one.has_latency ? fmt::format("{:.3g}", one.p50_ms) : "",
                   one.has_latency ? fmt::format("{:.3g}", one.p99_ms) : "",
                   fmt::format("{:.3g}", one.aborted_per_s)});
  }
  table.write(html);
}

void write_percentiles(HtmlWriter& html, const std::vector<Line>& lines) {
  HtmlTable table("latency in milliseconds, of tasks done or refused");
  table.add_column("strategy");
  for (const char* const title : {"p50", "p75", "p90", "p95", "p99", "p99.9", "max"}) {
    table.add_column(title, Align::right);
  }
  for (const Line& line : lines) {
    const Histogram& latency = line.row->tally.latency;
    std::vector<HtmlTable::Cell> cells = {line.name};
    for (const double percent : {50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0}) {
      cells.emplace_back(latency.count() == 0 ? "" : milliseconds_of(latency.percentile(percent)));
    }
    table.add_row(std::move(cells));
  }
  table.write(html);
}

// `the same numbers as a table`: what a chart says to those who cannot see it.
void write_tables(HtmlWriter& html, const std::vector<Line>& lines) {
  const auto details = html.open("details");
  html.element("summary", "the same as tables");
  write_percentiles(html, lines);
  for (const Line& line : lines) write_numbers(html, line);
}

}  // namespace

bool has_charts(const RunReport& report) {
  return report.sustained &&
         std::any_of(report.rows.begin(), report.rows.end(),
                     [](const ReportRow& row) { return row.series.intervals().size() > 1; });
}

void Charts::write_figure(HtmlWriter& html, json chart, const std::string& title) {
  const auto figure = html.open("figure");
  html.element("figcaption", title);
  const auto frame = html.open("div", {{"class", "chart"}});
  html.element("canvas",
               {{"id", chart["id"].get<std::string>()},
                {"role", "img"},
                {"aria-label", title + "; the numbers are in the tables below the charts"}},
               "");
  charts_.push_back(std::move(chart));
}

void Charts::write_figures(HtmlWriter& html, const RunReport& report, const std::string& id) {
  if (!has_charts(report)) return;
  const std::vector<Line> lines = lines_of(report);
  html.raw(
      "<noscript><p>The charts need JavaScript; their numbers are in the tables below."
      "</p></noscript>");
  {
    const auto charts = html.open("div", {{"class", "charts"}});
    const auto in_time = [&](const char* name, const char* unit, double SeriesPoint::*value,
                             const std::string& title) {
      write_figure(html, over_time(id + "-" + name, unit, report, lines, value), title);
    };
    in_time("done", "tasks/s", &SeriesPoint::done_per_s, "Tasks done per second");
    in_time("aborted", "attempts/s", &SeriesPoint::aborted_per_s, "Aborted attempts per second");
    in_time("p50", "ms", &SeriesPoint::p50_ms, "Latency: half of the tasks were faster (p50)");
    in_time("p99", "ms", &SeriesPoint::p99_ms, "Latency: one task in a hundred was slower (p99)");
    write_figure(html, latency_curves(id + "-latency", lines),
                 "How latencies are spread: which share of the tasks took how long at most");
  }
  const auto with_series =
      std::count_if(report.rows.begin(), report.rows.end(),
                    [](const ReportRow& row) { return !row.series.intervals().empty(); });
  if (static_cast<std::size_t>(with_series) > lines.size()) {
    html.element("p", {{"class", "more"}},
                 fmt::format("the first {} of {} strategies are drawn", lines.size(), with_series));
  }
  write_tables(html, lines);
}

void Charts::write_scripts(HtmlWriter& html) const {
  if (charts_.empty()) return;
  html.json("chart-data", charts_.dump(-1, ' ', false, json::error_handler_t::replace));
  html.script(kChartLibrary);
  html.script(kChartScript.text());
}

}  // namespace hilsa
