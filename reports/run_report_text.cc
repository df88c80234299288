#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checkers/printable.h"
#include "reports/row_notes.h"
#include "reports/run_report.h"
#include "reports/text_table.h"

namespace hilsa {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kNoteWidth = 118;

std::string range(const ReportRow::Measure& measure) {
  if (!measure.lowest || !measure.highest) return "-";
  if (measure.lowest == measure.highest) return fmt::format("{}", *measure.lowest);
  return fmt::format("{}..{}", *measure.lowest, *measure.highest);
}

// 0 is left blank: a table of zeros hides the numbers that matter.
std::string count(std::int64_t number) { return number == 0 ? "" : fmt::format("{}", number); }

std::string latencies(const Histogram& latency) {
  if (latency.count() == 0) return "-";
  return fmt::format("{}/{}/{}/{}", three_digits_ms(latency.percentile(50)),
                     three_digits_ms(latency.percentile(95)),
                     three_digits_ms(latency.percentile(99)), three_digits_ms(latency.max()));
}

std::string attempts_per_done(const Tally& tally) {
  const std::int64_t done = tally.count(TaskEnd::done);
  if (done == 0) return "-";
  return fmt::format("{:.2f}", static_cast<double>(tally.attempts) / static_cast<double>(done));
}

TextTable make_table(const RunReport& report) {
  TextTable table;
  for (const char* const title : {"strategy", "isolation", "promised", "measured"}) {
    table.add_column(title, Align::left);
  }
  table.add_column("violated", Align::right);
  if (!report.rows.empty()) {
    for (const auto& measure : report.rows[0].measures) {
      table.add_column(measure.title, Align::right);
    }
  }
  table.add_column("anomalies", Align::left);
  for (const char* const title : {"done", "refused", "gave up", "failed", "unknown", "att/done",
                                  "retries", "done/s", "p50/p95/p99/max ms"}) {
    table.add_column(title, Align::right);
  }
  return table;
}

void add_row(TextTable& table, const ReportRow& row) {
  std::vector<std::string> cells = {row.strategy, row.isolation, row.promised,
                                    row.measured + (row.as_promised() ? "" : " (!)"),
                                    fmt::format("{}/{}", row.trials_violated, row.trials)};
  for (const auto& measure : row.measures) cells.push_back(range(measure));
  cells.push_back(anomalies_in_short(row.check));
  for (std::size_t i = 0; i < kTaskEndCount; ++i) {
    cells.push_back(count(row.tally.count(static_cast<TaskEnd>(i))));
  }
  cells.push_back(attempts_per_done(row.tally));
  cells.push_back(count(row.tally.retries));
  const bool ran = row.running.count() > 0;
  cells.push_back(ran ? fmt::format("{:.0f}", row.throughput_per_s()) : "-");
  cells.push_back(latencies(row.tally.latency));
  table.add_row(std::move(cells));
  constexpr std::size_t kMeasuredColumn = 3;
  table.tint(kMeasuredColumn, tone_of(row.promised, row.measured));
}

// Each with the row's name in front; what the history says is long and broken into lines.
std::string all_notes_on(const ReportRow& row) {
  std::string notes;
  for (const std::string& note : notes_on(row)) {
    notes += fmt::format("  {}: {}\n", name_of(row), printable(note));
  }
  for (const std::string& note : notes_on_history(row)) {
    for (const std::string& line : wrapped(name_of(row) + ": " + note, kNoteWidth, 2)) {
      notes += "  " + line + "\n";
    }
  }
  return notes;
}

// Why histories were not checked, each reason once; --no-check needs none.
std::string notes_on_unchecked(const RunReport& report) {
  std::map<std::string, std::string> rows;  // by reason
  for (const ReportRow& row : report.rows) {
    if (row.check.not_checked.empty() || row.check.not_checked == "--no-check") continue;
    std::string& names = rows[row.check.not_checked];
    names += (names.empty() ? "" : ", ") + name_of(row);
  }
  std::string notes;
  for (const auto& [why, names] : rows) {
    notes += fmt::format("  not checked for anomalies: {}: {}\n", names, why);
  }
  return notes;
}

// One story a report; where to find the others.
std::string stories(const RunReport& report) {
  std::string text;
  bool more = false;
  std::string file = "FILE";
  for (const ReportRow& row : report.rows) {
    if (!row.check.story.empty()) text += "\n" + row.check.story;
    if (row.check.anomalies.empty()) continue;
    if (!more && !row.history_file.empty()) file = row.history_file;
    more = true;
  }
  if (!more) return text;
  return text + (file == "FILE"
                     ? "\n(--out DIR keeps the histories, and 'hilsa check FILE' explains each "
                       "anomaly in one)\n"
                     : "\n('hilsa check " + file + "' explains each anomaly)\n");
}

// One a report is enough.
std::string a_deadlock(const RunReport& report) {
  for (const ReportRow& row : report.rows) {
    const std::string explained = explain_deadlock(row.check.deadlocks);
    if (!explained.empty()) return "\n" + name_of(row) + ": " + explained;
  }
  return "";
}

// Of all rows that were measured safe: often the same, so said once.
std::string notes_on_untested(const RunReport& report) {
  std::map<std::string, std::string> rows;  // by what was not tested
  for (const ReportRow& row : report.rows) {
    if (row.measured != "safe" || row.untested.empty()) continue;
    std::string& names = rows[row.untested];
    names += (names.empty() ? "" : ", ") + name_of(row);
  }
  std::string notes;
  for (const auto& [untested, names] : rows) {
    notes += fmt::format("  not put to the test: {}; this is about {}\n", untested, names);
  }
  return notes;
}

std::string minimized_in_words(const RunReport::Minimized& minimized) {
  if (!minimized.why_not.empty()) {
    return "\nnot minimized: " + minimized.why_not + "\n";
  }
  return fmt::format("\nthe same with its transactions alone, after {} schedules: {}\n\n{}\n{}",
                     minimized.schedules, minimized.what, minimized.picture, minimized.script);
}

}  // namespace

std::string to_text_report(const RunReport& report, Colour colour) {
  std::string text = fmt::format(
      "{} on {} {} ({}), {} clients, {} connections, think {} ms, seed {}\n\n", report.workload,
      report.product_title, printable(report.version), printable(report.url), report.clients,
      report.pool, three_digits_ms(report.think.count()), report.seed);
  TextTable table = make_table(report);
  for (const ReportRow& row : report.rows) add_row(table, row);
  text += table.to_string(colour);
  std::string notes;
  for (const ReportRow& row : report.rows) notes += all_notes_on(row);
  notes += notes_on_untested(report) + notes_on_unchecked(report);
  for (const auto& [strategy, why] : report.left_out) {
    notes += fmt::format("  {}: left out, {} has no {}\n", strategy, report.product_title, why);
  }
  if (!report.broken_off.empty())
    notes += fmt::format("  broken off: {}\n", printable(report.broken_off));
  if (report.interrupted) notes += "  interrupted: the figures are of what had been done by then\n";
  text +=
      "\nviolated: trials in which an invariant broke; att/done: attempts of all tasks per task "
      "done;\n"
      "latencies: of tasks done or refused; (!): not as promised\n";
  const bool found_any = std::any_of(report.rows.begin(), report.rows.end(),
                                     [](const auto& row) { return !row.check.anomalies.empty(); });
  if (found_any) text += "anomalies: what the recorded history proves, by class ('hilsa check')\n";
  if (!notes.empty()) text += "\n" + notes;
  text += a_deadlock(report) + stories(report);
  if (report.minimized) text += minimized_in_words(*report.minimized);
  if (report.rows.size() > 1) {
    text += "\n" + advice_for(report) + "\n";
    if (!report.sustained) {
      text +=
          "(trials are short and their costs rough; --duration 10s --think 5ms measures costs)\n";
    }
  }
  if (report.default_database) {
    text += "(this was the embedded SQLite; servers behave differently: try --db temp:postgres)\n";
  }
  return text;
}

}  // namespace hilsa
