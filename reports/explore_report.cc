#include "reports/explore_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkers/printable.h"
#include "reports/row_notes.h"
#include "reports/text_table.h"

namespace hilsa {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kWidth = 118;

std::string count(double number) { return number == 0 ? "" : fmt::format("{:.0f}", number); }

// `70`, `about 12870`.
std::string all_of(const ExploreRow& row) {
  return (row.exhaustive ? "" : "~") + fmt::format("{:.0f}", row.schedules);
}

// Each with the row's name in front.
std::string all_notes_on(const ExploreRow& row) {
  std::string notes;
  for (const std::string& note : notes_on(row)) {
    for (const std::string& line : wrapped(name_of(row) + ": " + note, kWidth, 2)) {
      notes += "  " + line + "\n";
    }
  }
  return notes;
}

std::vector<std::string> folded(const std::string& text, std::size_t width) {
  return wrapped(printable(text), width, 2);
}

}  // namespace

std::string to_picture(const ShownSchedule& schedule, int clients) {
  const std::size_t width = std::max<std::size_t>(24, kWidth / static_cast<std::size_t>(clients));
  std::string text;
  const auto put = [&](int client, const std::string& what) {
    for (const std::string& line : folded(what, width - 2)) {
      text += std::string(width * static_cast<std::size_t>(client - 1), ' ') + line + "\n";
    }
  };
  for (int client = 1; client <= clients; ++client) {
    const std::string title = fmt::format("client {}", client);
    text += client == clients ? title : fmt::format("{:<{}}", title, width);
  }
  text += "\n" + std::string(kWidth, '-') + "\n";
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const ExploredStep& step = schedule.steps[i];
    put(step.client, step.sql);
    if (step.waited) put(step.client, "  ... waits");
    if (!step.waited) put(step.client, "  -> " + step.answer);
    // Answers to those who waited until now.
    for (const ExploredStep& other : schedule.steps) {
      if (other.waited && other.answered_after == static_cast<int>(i) + 1) {
        put(other.client, "  ... goes on -> " + other.answer);
      }
    }
  }
  return text;
}

std::string to_text_report(const ExploreReport& report, Colour colour) {
  std::string text = fmt::format(
      "every order of the statements of {} clients with one task each: {} on {} {} ({}), seed "
      "{}\n\n",
      report.clients, report.workload, report.product_title, printable(report.version),
      printable(report.url), report.seed);
  TextTable table;
  for (const char* const title : {"strategy", "isolation", "promised", "measured"}) {
    table.add_column(title, Align::left);
  }
  for (const char* const title :
       {"schedules", "run", "violating", "with a wait", "deadlock", "refused"}) {
    table.add_column(title, Align::right);
  }
  for (const ExploreRow& row : report.rows) {
    const bool differs = row.measured != "unknown" && row.measured != row.promised;
    table.add_row({row.strategy, row.isolation, row.promised,
                   row.measured + (differs ? " (!)" : ""), all_of(row), fmt::format("{}", row.run),
                   fmt::format("{:.0f}", row.violating), count(row.waiting), count(row.deadlocks),
                   count(row.refused_by_database)});
    table.tint(3, tone_of(row.promised, row.measured));
  }
  text += table.to_string(colour);
  text +=
      "\nschedules: orders of all statements; run: those really run, one of each group that "
      "differs only by\n"
      "swapping neighbours that cannot affect each other (a BEGIN and anything, two plain reads); "
      "all other\n"
      "columns count schedules, each group with all of its members. refused: the database ended "
      "somebody's\n"
      "transaction with another error than a deadlock. (!): not as promised\n\n";
  for (const ExploreRow& row : report.rows) text += all_notes_on(row);
  for (const auto& [strategy, why] : report.left_out) {
    text += fmt::format("  {}: left out, {} has no {}\n", strategy, report.product_title, why);
  }
  text += fmt::format("  who waits is seen by {}\n", report.seen_by);
  if (report.interrupted) text += "  interrupted: the figures are of what had been done by then\n";
  const auto shown = std::find_if(report.rows.begin(), report.rows.end(),
                                  [](const ExploreRow& row) { return row.violates(); });
  const auto deadlocked =
      std::find_if(report.rows.begin(), report.rows.end(),
                   [](const ExploreRow& row) { return row.shortest_deadlock.has_value(); });
  const bool violates = shown != report.rows.end();
  if (violates || deadlocked != report.rows.end()) {
    const ExploreRow& row = violates ? *shown : *deadlocked;
    const ShownSchedule& schedule = violates ? *row.shortest : *row.shortest_deadlock;
    text += fmt::format("\n{} at {}: {}, with {} switches between clients:\n\n", row.strategy,
                        row.isolation, schedule.what, schedule.switches);
    text += to_picture(schedule, report.clients);
    text += "\n";
    for (std::size_t i = 0; i < schedule.ends.size(); ++i) {
      text += fmt::format("client {}: {}\n", i + 1, schedule.ends[i]);
    }
    if (!schedule.story.empty()) text += "\n" + schedule.story;
    text +=
        "\n(--out DIR writes a script of SQL for each such row, to run by hand or by 'hilsa "
        "explore --replay FILE')\n";
  }
  return text;
}

}  // namespace hilsa
