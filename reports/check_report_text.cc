#include <fmt/format.h>

#include <algorithm>

#include "checkers/explain.h"
#include "checkers/printable.h"
#include "reports/check_report.h"
#include "reports/deadlock_summary.h"

namespace hilsa {
namespace {

constexpr std::size_t kWidthMax = 120;

void add_wrapped(std::string& text, std::string_view line, std::size_t indent) {
  for (const std::string& part : wrapped(line, kWidthMax - indent, 2)) {
    text += std::string(indent, ' ') + part + "\n";
  }
}

std::string counted(std::int64_t number, const char* singular, const char* plural) {
  return fmt::format("{} {}", number, number == 1 ? singular : plural);
}

std::string things(const History& history, std::int64_t number) {
  if (history.form == Form::lists) return counted(number, "list", "lists");
  if (history.form == Form::registers) return counted(number, "register", "registers");
  return counted(number, "row", "rows");
}

// `checked 9 transactions (7 committed, 1 rolled back, 1 in doubt), 24 operations on 3 rows`
std::string what_was_checked(const History& history, const Coverage& coverage) {
  std::string text = fmt::format("checked {} ({} committed",
                                 counted(coverage.transactions, "transaction", "transactions"),
                                 coverage.committed);
  if (coverage.aborted > 0) text += fmt::format(", {} rolled back", coverage.aborted);
  if (coverage.in_doubt > 0) {
    text +=
        fmt::format(", {} in doubt of which {} seen", coverage.in_doubt, coverage.in_doubt_seen);
  }
  return text + fmt::format("), {} on {}", counted(coverage.operations, "operation", "operations"),
                            things(history, coverage.objects));
}

std::string dependencies(const Coverage& coverage) {
  std::string text;
  for (std::size_t i = 0; i < kEdgeKindCount; ++i) {
    const auto kind = static_cast<EdgeKind>(i);
    if (coverage.edges[i] == 0 || kind == EdgeKind::session || kind == EdgeKind::realtime) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", coverage.edges[i], name_of(kind));
  }
  text = "dependencies: " + (text.empty() ? "none" : text);
  if (coverage.choices > 0) {
    text += fmt::format("; {} with more than one explanation, decided in {}", coverage.choices,
                        counted(coverage.search_steps, "step", "steps"));
  }
  return text;
}

std::string levels_that_hold(const Verdict& verdict) {
  const std::vector<std::string> names = level_names(verdict);
  if (names.empty() && verdict.validity == Validity::unknown) return "";
  if (names.empty()) return "levels that hold: none";
  return fmt::format("{} that hold{}: {}",
                     names.size() == 1 ? "strongest level" : "strongest levels",
                     names.size() == 1 ? "s" : "", fmt::join(names, "; "));
}

std::string ruled_out(const Verdict& verdict) {
  std::string text;
  for (const LevelResult& result : weakest_failing(verdict)) {
    text += (text.empty() ? "ruled out: " : "; ") + name_of(result.level);
    const auto because = static_cast<std::size_t>(result.because);
    if (result.because >= 0 && because < verdict.anomalies.size()) {
      text += " by " + called(verdict.anomalies[because]);
    }
  }
  return text.empty() ? text : text + "; and what is stronger";
}

std::string undecided(const Verdict& verdict) {
  std::string text;
  for (const LevelResult& result : verdict.results) {
    if (result.validity != Validity::unknown) continue;
    text += (text.empty() ? "not decided: " : "; ") + name_of(result.level);
  }
  return text;
}

std::string summary(const std::vector<const Anomaly*>& anomalies) {
  std::size_t width = 1;
  for (const Anomaly* const anomaly : anomalies) {
    width = std::max(width, fmt::format("{}", anomaly->count).size());
  }
  std::string text = anomalies.empty() ? "" : "\nanomalies:\n";
  for (const Anomaly* const anomaly : anomalies) {
    text += fmt::format("  {:>{}} x {}\n", anomaly->count, width, called(*anomaly));
  }
  return text;
}

std::string stories(const History& history, const std::vector<const Anomaly*>& anomalies) {
  std::string text;
  bool told_in_full = true;  // the one before was
  for (std::size_t i = 0; i < anomalies.size(); ++i) {
    const Anomaly& anomaly = *anomalies[i];
    for (const Evidence& evidence : anomaly.evidence) {
      const int before = told_before(anomalies, i, evidence);
      if (before < 0) {
        text += "\n" + explain(history, anomaly, evidence);
      } else {
        const Anomaly& other = *anomalies[static_cast<std::size_t>(before)];
        if (told_in_full) text += "\n";
        text += fmt::format("{}: the same transactions as the {} above\n", called(anomaly),
                            common_name(other.anomaly, other.needs));
      }
      told_in_full = before < 0;
    }
  }
  return text;
}

std::string deadlocks_in(const History& history) {
  const DeadlockSummary deadlocks = summarize_deadlocks(history, nullptr);
  if (deadlocks.count == 0) return "";
  std::string text = "\n";
  add_wrapped(text, deadlocks_in_short(deadlocks), 0);
  return text + explain_deadlock(deadlocks);
}

}  // namespace

std::string to_text_report(const History& history, const Verdict& verdict) {
  std::string text;
  std::string first = fmt::format("{}: {}", name_of(verdict.validity), name_of(verdict.demanded));
  if (verdict.validity == Validity::invalid && !verdict.reason.empty()) {
    first = "invalid: " + printable(verdict.reason);  // which names the level
  } else if (!verdict.reason.empty()) {
    first += "? " + printable(verdict.reason);
  }
  add_wrapped(text, first, 0);
  for (const std::string& line :
       {levels_that_hold(verdict), ruled_out(verdict), undecided(verdict)}) {
    if (!line.empty()) add_wrapped(text, line, 0);
  }
  add_wrapped(text, what_was_checked(history, verdict.coverage), 0);
  add_wrapped(text, dependencies(verdict.coverage), 0);
  for (const std::string& note : verdict.notes) add_wrapped(text, "note: " + printable(note), 0);
  const std::vector<const Anomaly*> anomalies = in_telling_order(verdict);
  return text + summary(anomalies) + stories(history, anomalies) + deadlocks_in(history);
}

}  // namespace hilsa
