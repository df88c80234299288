#include "reports/html/report_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/html/comparison_tables.h"
#include "reports/html/environment.h"
#include "reports/html/evidence.h"
#include "reports/html/notes.h"
#include "reports/html/page.h"
#include "reports/html/verdict_line.h"

namespace hilsa {
namespace {

constexpr std::size_t kNotesMax = 100;
constexpr std::size_t kNoteMax = 1000;  // characters

void write_notes(HtmlWriter& html, const std::vector<Note>& notes) {
  if (notes.empty()) return;
  const auto list = html.open("ul", {{"class", "notes"}});
  for (std::size_t i = 0; i < std::min(notes.size(), kNotesMax); ++i) {
    const auto item = html.open("li");
    if (!notes[i].about.empty()) {
      html.element("b", notes[i].about);
      html.raw(": ");
    }
    html.text(notes[i].what, kNoteMax);
  }
  if (notes.size() > kNotesMax) {
    html.element("li", fmt::format("and {} more", notes.size() - kNotesMax));
  }
}

void write_title(HtmlWriter& html, const Report& report, const ReportSection& section) {
  html.element("h2", {{"id", section.id}}, shortened(title_of(report), 300));
  if (!section.with_verdict) return;
  const VerdictLine line = verdict_line(report);
  const auto verdict = html.open("p");
  write_badge(html, line.tone, false, line.word);
  html.raw(" ");
  html.text(line.sentence, 1000);
}

void write_links(HtmlWriter& html, const ReportSection& section,
                 const std::vector<std::pair<const char*, const char*>>& parts) {
  if (section.with_verdict) return;
  const auto nav = html.open("nav", {{"aria-label", "on this page"}});
  const auto list = html.open("ul");
  for (const auto& [id, name] : parts) {
    const auto item = html.open("li");
    html.element("a", {{"href", "#" + section.id + "-" + id}}, name);
  }
}

using Parts = std::vector<std::pair<const char*, const char*>>;

Parts parts_of(const RunReport& report) {
  Parts parts = {{"safety", "Is it safe?"}, {"costs", "What it costs"}};
  if (has_charts(report)) parts.emplace_back("charts", "Over time");
  if (has_anomalies(report)) parts.emplace_back("anomalies", "Anomalies");
  if (has_deadlocks(report)) parts.emplace_back("deadlocks", "Deadlocks");
  if (report.minimized) parts.emplace_back("minimized", "Minimized");
  parts.emplace_back("environment", "Environment");
  return parts;
}

}  // namespace

void write_section(HtmlWriter& html, Charts& charts, const RunReport& report,
                   const ReportSection& section) {
  write_links(html, section, parts_of(report));
  write_title(html, report, section);
  html.element("h3", {{"id", section.id + "-safety"}}, "Is it safe?");
  write_safety(html, report);
  write_notes(html, notes_on(report));
  html.element("h3", {{"id", section.id + "-costs"}}, "What it costs");
  if (report.rows.size() > 1) html.element("p", {{"class", "advice"}}, advice_for(report));
  write_costs(html, report);
  if (!report.sustained) {
    html.element("p", {{"class", "more"}},
                 "trials are short and their costs rough; --duration 10s --think 5ms measures "
                 "costs");
  }
  if (has_charts(report) && has_room(html)) {
    html.element("h3", {{"id", section.id + "-charts"}}, "Over time");
    charts.write_figures(html, report, section.id);
  }
  write_anomalies(html, report, section);
  write_deadlocks(html, report, section);
  write_minimized(html, report, section);
  write_environment(html, report, section);
}

void write_section(HtmlWriter& html, Charts& /*charts*/, const ExploreReport& report,
                   const ReportSection& section) {
  Parts parts = {{"safety", "Is it safe?"}};
  if (has_schedules(report)) parts.emplace_back("schedules", "Schedules");
  parts.emplace_back("environment", "Environment");
  write_links(html, section, parts);
  write_title(html, report, section);
  html.element("h3", {{"id", section.id + "-safety"}}, "Is it safe?");
  write_exploration(html, report);
  write_notes(html, notes_on(report));
  write_schedules(html, report, section);
  write_environment(html, report, section);
}

}  // namespace hilsa
