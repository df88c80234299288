#include "reports/html/evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/html/comparison_tables.h"
#include "reports/html/cycle_drawing.h"
#include "reports/html/examples.h"
#include "reports/html/figures.h"
#include "reports/html/row_cells.h"
#include "reports/html/timeline_drawing.h"

namespace hilsa {
namespace {

constexpr std::size_t kSentencesMax = 24;
constexpr std::size_t kSentenceMax = 1500;  // characters
constexpr std::size_t kScriptMax = 16'000;
constexpr std::size_t kDeadlocksMax = 12;
constexpr std::size_t kWaitsMax = 12;
constexpr std::size_t kClassesCounted = 12;

void write_story(HtmlWriter& html, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  const auto list = html.open("ol", {{"class", "story"}});
  const std::size_t shown = std::min(sentences.size(), kSentencesMax);
  for (std::size_t i = 0; i < shown; ++i) {
    // The contradiction, which is the last, is always told.
    const bool last = i + 1 == shown;
    if (last && sentences.size() > shown) {
      html.element("li", fmt::format("… ({} more)", sentences.size() - shown));
    }
    html.element("li", shortened(last ? sentences.back() : sentences[i], kSentenceMax));
  }
}

// The story and the cycle, side by side where there is room.
void write_telling(HtmlWriter& html, const ShownAnomaly& anomaly) {
  const auto telling = html.open("div", {{"class", "telling"}});
  {
    const auto words = html.open("div");
    write_story(html, anomaly.sentences);
  }
  draw(html, cycle_of(anomaly));
}

// What the row has beyond what is drawn.
std::string not_drawn(const ReportRow& row, std::size_t drawn) {
  const std::vector<ShownAnomaly>& all = row.check.shown;
  std::string text;
  const std::size_t named = std::min(all.size() - drawn, kClassesCounted);
  for (std::size_t i = drawn; i < drawn + named; ++i) {
    text += fmt::format("{}{} ({}) × {}", i == drawn ? "not drawn: " : ", ",
                        short_cell(all[i].name), short_cell(all[i].anomaly), grouped(all[i].count));
  }
  const std::size_t more = all.size() - drawn - named;
  if (more > 0) text += " and " + counted(more, "more class", "more classes");
  return text;
}

void write_anomalies_of(HtmlWriter& html, const ReportRow& row, std::size_t drawn_max) {
  const std::string name = row_name(row.strategy, row.isolation);
  std::size_t drawn = 0;
  for (; drawn < drawn_max && has_room(html); ++drawn) {
    const ShownAnomaly& anomaly = row.check.shown[drawn];
    html.element("h4", fmt::format("{} ({}) in {}", short_cell(anomaly.name),
                                   short_cell(anomaly.anomaly), name));
    std::string meaning = anomaly.meaning;
    if (anomaly.count > 1) {
      meaning += fmt::format("{}the shortest one is shown, and there are {} more",
                             meaning.empty() ? "" : "; ", grouped(anomaly.count - 1));
    }
    html.element("p", {{"class", "quiet"}}, meaning);
    write_telling(html, anomaly);
    draw(html, anomaly.timeline);
  }
  const std::string rest = not_drawn(row, drawn);
  if (!rest.empty()) html.element("p", {{"class", "more"}}, name + ": " + rest);
}

void write_waits(HtmlWriter& html, const DeadlockSummary::Example& example) {
  HtmlTable table("who waited for what; the victim first");
  for (const char* const title : {"transaction", "client", "session", "waited", "for", "in"}) {
    table.add_column(title);
  }
  const std::size_t count = example.waits.size();
  for (std::size_t i = 0; i < std::min(count, kWaitsMax); ++i) {
    const DeadlockSummary::Wait& wait = example.waits[i];
    const std::string& next = example.waits[(i + 1) % count].transaction;
    std::string row = wait.row;
    if (count > 1) row += wait.next_had_locked_it ? ", locked by " + next : " behind " + next;
    table.add_row(
        {short_cell(wait.transaction), fmt::format("{}", wait.client),
         wait.session == 0 ? "" : fmt::format("{}", wait.session),
         milliseconds_of(wait.waited) + " ms", short_cell(row),
         HtmlTable::Cell([&wait](HtmlWriter& out) { out.element("code", wait.statement); })});
  }
  table.write(html);
}

void write_deadlock(HtmlWriter& html, const DeadlockSummary& deadlocks) {
  html.element("p", {{"class", "quiet"}}, deadlocks_in_short(deadlocks));
  if (!deadlocks.example) return;
  const DeadlockSummary::Example& example = *deadlocks.example;
  draw(html, cycle_of(example));
  if (!example.waits.empty()) write_waits(html, example);
  if (!example.server.empty()) {
    html.element("p", "The server's own words:");
    const auto words = html.open("pre");
    html.lines(example.server);
  }
  if (!example.why_no_words.empty()) {
    html.element("p", "The server's own account is missing: " + example.why_no_words);
  }
}

void write_script(HtmlWriter& html, const std::string& script) {
  if (script.empty()) return;
  const auto details = html.open("details");
  html.element("summary", "the script, to run it by hand");
  const auto block = html.open("pre");
  html.lines(script, kScriptMax);
}

void write_schedule(HtmlWriter& html, const ExploreRow& row, const ShownSchedule& schedule) {
  html.element("h4", row_name(row.strategy, row.isolation) + ": " + short_cell(schedule.what));
  html.element("p", {{"class", "quiet"}},
               "the shortest such schedule: " +
                   counted(static_cast<std::int64_t>(schedule.switches), "switch", "switches") +
                   " between clients");
  draw(html, timeline_of(schedule));
  if (schedule.anomaly) {
    const ShownAnomaly& anomaly = *schedule.anomaly;
    {
      const auto what = html.open("p");
      html.element("b", short_cell(anomaly.name) + " (" + short_cell(anomaly.anomaly) + ")");
      html.raw(": ");
      html.text(anomaly.meaning);
    }
    write_telling(html, anomaly);
  } else if (!schedule.story.empty()) {
    const auto story = html.open("pre");
    html.lines(schedule.story);
  }
  write_script(html, schedule.script);
}

}  // namespace

bool has_anomalies(const RunReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const ReportRow& row) { return !row.check.shown.empty(); });
}

bool has_deadlocks(const RunReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const ReportRow& row) { return row.check.deadlocks.count > 0; });
}

bool has_schedules(const ExploreReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), [](const ExploreRow& row) {
    return row.shortest.has_value() || row.shortest_deadlock.has_value();
  });
}

void write_anomalies(HtmlWriter& html, const RunReport& report, const ReportSection& section) {
  if (!has_anomalies(report)) return;
  html.element("h3", {{"id", section.id + "-anomalies"}}, "Anomalies");
  write_legend(html);
  std::size_t rows = 0;
  for (const std::size_t i : failing_first(report)) {
    if (report.rows[i].check.shown.empty()) continue;
    if (++rows > kTableRowsMax) break;
    write_anomalies_of(html, report.rows[i], section.examples[i]);
  }
}

void write_deadlocks(HtmlWriter& html, const RunReport& report, const ReportSection& section) {
  if (!has_deadlocks(report)) return;
  html.element("h3", {{"id", section.id + "-deadlocks"}}, "Deadlocks");
  std::size_t drawn = 0;
  std::size_t left_out = 0;
  for (const std::size_t i : failing_first(report)) {
    const ReportRow& row = report.rows[i];
    if (row.check.deadlocks.count == 0) continue;
    if (drawn == kDeadlocksMax || !has_room(html)) {
      ++left_out;
      continue;
    }
    ++drawn;
    html.element("h4", row_name(row.strategy, row.isolation));
    write_deadlock(html, row.check.deadlocks);
  }
  if (left_out > 0) {
    html.element("p", {{"class", "more"}}, "and in " + counted(left_out, "more row", "more rows"));
  }
}

void write_minimized(HtmlWriter& html, const RunReport& report, const ReportSection& section) {
  if (!report.minimized) return;
  const RunReport::Minimized& minimized = *report.minimized;
  html.element("h3", {{"id", section.id + "-minimized"}}, "The same with its transactions alone");
  if (!minimized.why_not.empty()) {
    html.element("p", "Not minimized: " + minimized.why_not);
    return;
  }
  html.element("p",
               fmt::format("After {}: {}", counted(minimized.schedules, "schedule", "schedules"),
                           minimized.what));
  if (!has_room(html)) return;
  {
    const auto picture = html.open("pre", {{"class", "picture"}});
    html.lines(minimized.picture, kScriptMax);
  }
  write_script(html, minimized.script);
}

void write_schedules(HtmlWriter& html, const ExploreReport& report, const ReportSection& section) {
  if (!has_schedules(report)) return;
  html.element("h3", {{"id", section.id + "-schedules"}}, "Schedules");
  write_legend(html);
  std::size_t left_out = 0;
  for (const std::size_t i : failing_first(report)) {
    const ExploreRow& row = report.rows[i];
    std::size_t left = section.examples[i];
    for (const auto* const schedule : {&row.shortest, &row.shortest_deadlock}) {
      if (!*schedule) continue;
      if (left == 0 || !has_room(html)) {
        ++left_out;
        continue;
      }
      --left;
      write_schedule(html, row, **schedule);
    }
  }
  if (left_out > 0) {
    html.element("p", {{"class", "more"}},
                 "and " + counted(left_out, "more schedule", "more schedules"));
  }
}

}  // namespace hilsa
