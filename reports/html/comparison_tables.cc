#include "reports/html/comparison_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/html/examples.h"
#include "reports/html/figures.h"
#include "reports/html/row_cells.h"

namespace hilsa {
namespace {

using Align = HtmlTable::Align;
using TableCell = HtmlTable::Cell;

constexpr std::size_t kMeasuresMax = 8;
constexpr std::size_t kClassesMax = 4;
constexpr std::size_t kKindTextMax = 300;

std::string range(const ReportRow::Measure& measure) {
  if (!measure.lowest || !measure.highest) return "–";
  if (measure.lowest == measure.highest) return grouped(*measure.lowest);
  return grouped(*measure.lowest) + " … " + grouped(*measure.highest);
}

std::string anomalies_of(const HistoryCheck& check) {
  std::string text;
  const std::size_t shown = std::min(check.anomalies.size(), kClassesMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const HistoryCheck::Count& one = check.anomalies[i];
    text += fmt::format("{}{} ({}) × {}", i == 0 ? "" : ", ", one.name, one.anomaly,
                        grouped(one.count));
  }
  const std::size_t more = check.anomalies.size() - shown;
  if (more > 0) text += fmt::format(" and {}", counted(more, "more class", "more classes"));
  return short_cell(text);
}

std::string levels_of(const HistoryCheck& check) {
  if (!check.not_checked.empty()) return "not checked";
  if (check.levels.empty()) return check.anomalies.empty() ? "" : "none";
  return short_cell(fmt::format("{}", fmt::join(check.levels, "; ")));
}

// The measures that the first row has; the others have the same.
std::vector<std::string> measure_titles(const RunReport& report) {
  std::vector<std::string> titles;
  for (const auto& measure : report.rows[0].measures) {
    if (titles.size() < kMeasuresMax) titles.push_back(short_cell(measure.title));
  }
  return titles;
}

TableCell violated(std::int64_t some, std::int64_t all) {
  return grouped(some) + " of " + grouped(all);
}

std::string per_done(const Tally& tally) {
  const std::int64_t done = tally.count(TaskEnd::done);
  if (done == 0) return "–";
  return fmt::format("{:.2f}", static_cast<double>(tally.attempts) / static_cast<double>(done));
}

std::int64_t aborts_of(const Tally& tally) {
  std::int64_t aborts = tally.conflicts;
  for (const std::int64_t errors : tally.errors) aborts += errors;
  return aborts;
}

std::string latency(const Histogram& histogram, double percent) {
  return histogram.count() == 0 ? "–" : milliseconds_of(histogram.percentile(percent));
}

std::vector<TableCell> cost_cells(const ReportRow& row) {
  std::vector<TableCell> cells;
  cells.push_back(strategy_cell(row.strategy, row.isolation));
  for (std::size_t end = 0; end < kTaskEndCount; ++end) {
    cells.emplace_back(count_or_blank(row.tally.count(static_cast<TaskEnd>(end))));
  }
  cells.emplace_back(per_done(row.tally));
  cells.emplace_back(count_or_blank(aborts_of(row.tally)));
  cells.emplace_back(row.running.count() > 0 ? grouped(row.throughput_per_s()) : "–");
  for (const double percent : {50.0, 95.0, 99.0, 100.0}) {
    cells.emplace_back(latency(row.tally.latency, percent));
  }
  return cells;
}

// Every kind of error that any row has met, in the server's own words.
void write_errors(HtmlWriter& html, const RunReport& report,
                  const std::vector<std::size_t>& shown) {
  HtmlTable table("attempts that ended in an error, by its kind");
  table.add_column("strategy");
  table.add_column("kind");
  table.add_column("attempts", Align::right);
  table.add_column("the first one's words");
  bool any = false;
  for (const std::size_t i : shown) {
    const ReportRow& row = report.rows[i];
    const auto add = [&](std::string kind, std::int64_t count, const std::string& words) {
      if (count == 0) return;
      any = true;
      table.add_row({strategy_cell(row.strategy, row.isolation), std::move(kind), grouped(count),
                     shortened(words.substr(0, words.find("; DETAIL:")), kKindTextMax)});
    };
    add("version conflict", row.tally.conflicts, "the row had changed since it was read");
    for (std::size_t kind = 0; kind < kErrorKindCount; ++kind) {
      add(std::string(name_of(static_cast<ErrorKind>(kind))), row.tally.errors[kind],
          row.tally.error_texts[kind]);
    }
  }
  if (!any) return;
  const auto details = html.open("details");
  html.element("summary", "aborts by kind");
  table.write(html);
}

std::string share_covered(const ExploreRow& row) {
  if (row.exhaustive) return "all";
  if (row.schedules <= 0) return "0 %";
  return fmt::format("{:.2g} %", 100 * row.covered / row.schedules);
}

std::string counts_of(const std::map<std::string, double>& numbers) {
  std::string text;
  for (const auto& [name, number] : numbers) {
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", name, grouped(number));
    if (text.size() > kCellTextMax) break;
  }
  return short_cell(text);
}

}  // namespace

std::string row_name(const std::string& strategy, const std::string& isolation) {
  return short_cell(strategy) + " at " + short_cell(isolation);
}

void write_safety(HtmlWriter& html, const RunReport& report) {
  if (report.rows.empty()) return;
  const std::vector<std::string> measures = measure_titles(report);
  HtmlTable table("violated: trials in which an invariant broke");
  for (const char* const title : {"strategy", "promised", "measured"}) table.add_column(title);
  table.add_column("violated", Align::right);
  for (const std::string& title : measures) table.add_column(title, Align::right);
  table.add_column("anomalies in the history");
  table.add_column("levels that hold");
  for (const std::size_t i : rows_to_show(report.rows.size(), failing_first(report))) {
    const ReportRow& row = report.rows[i];
    std::vector<TableCell> cells = {
        strategy_cell(row.strategy, row.isolation), short_cell(row.promised),
        measured_cell(row.promised, row.measured), violated(row.trials_violated, row.trials)};
    for (std::size_t m = 0; m < measures.size(); ++m) {
      cells.emplace_back(m < row.measures.size() ? range(row.measures[m]) : "");
    }
    cells.emplace_back(anomalies_of(row.check));
    cells.emplace_back(levels_of(row.check));
    table.add_row(std::move(cells));
  }
  table.write(html);
  write_rows_left_out(html, report.rows.size());
}

void write_costs(HtmlWriter& html, const RunReport& report) {
  HtmlTable table("tasks by how they ended; latencies in milliseconds, of tasks done or refused");
  table.add_column("strategy");
  for (std::size_t end = 0; end < kTaskEndCount; ++end) {
    std::string title(name_of(static_cast<TaskEnd>(end)));
    std::replace(title.begin(), title.end(), '_', ' ');
    table.add_column(title, Align::right);
  }
  for (const char* const title :
       {"attempts per done", "aborts", "done/s", "p50", "p95", "p99", "max"}) {
    table.add_column(title, Align::right);
  }
  const std::vector<std::size_t> shown = rows_to_show(report.rows.size(), failing_first(report));
  for (const std::size_t i : shown) table.add_row(cost_cells(report.rows[i]));
  table.write(html);
  write_rows_left_out(html, report.rows.size());
  write_errors(html, report, shown);
}

void write_exploration(HtmlWriter& html, const ExploreReport& report) {
  HtmlTable table(
      "schedules: orders of all statements; run: one of each group whose members differ only by "
      "swaps that go unnoticed; the other columns count schedules");
  for (const char* const title : {"strategy", "promised", "measured"}) table.add_column(title);
  for (const char* const title :
       {"schedules", "run", "covered", "violating", "with a wait", "deadlocks", "refused"}) {
    table.add_column(title, Align::right);
  }
  for (const char* const title : {"how the tasks end", "violations", "anomalies"}) {
    table.add_column(title);
  }
  for (const std::size_t i : rows_to_show(report.rows.size(), failing_first(report))) {
    const ExploreRow& row = report.rows[i];
    const auto blank = [](double number) { return number == 0 ? "" : grouped(number); };
    table.add_row({strategy_cell(row.strategy, row.isolation), short_cell(row.promised),
                   measured_cell(row.promised, row.measured),
                   (row.exhaustive ? "" : "about ") + grouped(row.schedules), grouped(row.run),
                   share_covered(row), grouped(row.violating), blank(row.waiting),
                   blank(row.deadlocks), blank(row.refused_by_database), counts_of(row.outcomes),
                   counts_of(row.violations), counts_of(row.anomalies)});
  }
  table.write(html);
  write_rows_left_out(html, report.rows.size());
}

}  // namespace hilsa
