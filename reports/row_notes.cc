#include "reports/row_notes.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilsa {

std::string name_of(const ReportRow& row) { return row.strategy + " at " + row.isolation; }
std::string name_of(const ExploreRow& row) { return row.strategy + " at " + row.isolation; }

std::string three_digits_ms(Nanoseconds value) {
  const double number = static_cast<double>(value) / 1e6;
  if (number < 1) return fmt::format("{:.3f}", number);
  return fmt::format("{:.{}f}", number, number < 10 ? 2 : number < 100 ? 1 : 0);
}

std::string anomalies_in_short(const HistoryCheck& check) {
  constexpr std::size_t kShownMax = 2;
  constexpr std::size_t kWidthMax = 26;
  std::string text;
  std::size_t shown = 0;
  for (; shown < check.anomalies.size() && shown < kShownMax; ++shown) {
    const HistoryCheck::Count& found = check.anomalies[shown];
    const std::string one = fmt::format("{} x{}", found.anomaly, found.count);
    if (shown > 0 && text.size() + one.size() > kWidthMax) break;
    text += (shown == 0 ? "" : ", ") + one;
  }
  const std::size_t more = check.anomalies.size() - shown;
  return more == 0 ? text : text + fmt::format(", +{}", more);
}

std::string violations_in_short(const ReportRow& row) {
  std::string kinds;
  for (const auto& [invariant, trials] : row.violations) {
    kinds += fmt::format("{}{} in {}", kinds.empty() ? "" : ", ", invariant, trials);
  }
  return kinds;
}

std::string listed(const std::map<std::string, double>& numbers) {
  std::string text;
  for (const auto& [name, number] : numbers) {
    text += fmt::format("{}{} x{:.0f}", text.empty() ? "" : ", ", name, number);
  }
  return text;
}

std::vector<std::string> notes_on(const ReportRow& row) {
  std::vector<std::string> notes;
  if (!row.first_violation.empty()) {
    notes.push_back(fmt::format("{} (first: {})", violations_in_short(row), row.first_violation));
  }
  if (row.no_level_helps()) {
    notes.emplace_back(
        "the history is serializable, so no isolation level helps: it is what the transactions do");
  }
  if (!row.remark.empty()) notes.push_back(row.remark);
  if (row.tally.conflicts > 0) {
    notes.push_back(fmt::format("{} x version conflict: the row had changed since it was read",
                                row.tally.conflicts));
  }
  for (std::size_t i = 0; i < kErrorKindCount; ++i) {
    const std::int64_t times = row.tally.errors[i];
    if (times == 0) continue;
    const std::string& words = row.tally.error_texts[i];
    notes.push_back(fmt::format("{} x {}", times, words.substr(0, words.find("; DETAIL:"))));
  }
  const std::string deadlocks = deadlocks_in_short(row.check.deadlocks);
  if (!deadlocks.empty()) notes.push_back(deadlocks);
  if (row.measured == "unknown") {
    notes.push_back("unknown, since " + row.why_unknown);
  } else if (row.promised == "safe" && row.measured == "unsafe") {
    notes.emplace_back("promised safe, but it is not");
  } else if (row.promised == "unsafe" && row.measured == "safe") {
    notes.emplace_back("not seen to break this time, which promises nothing");
  }
  return notes;
}

std::vector<std::string> notes_on_history(const ReportRow& row) {
  const HistoryCheck& check = row.check;
  std::vector<std::string> notes;
  if (!check.anomalies.empty()) {
    std::string found;
    for (const HistoryCheck::Count& one : check.anomalies) {
      found +=
          fmt::format("{}{} ({}) x{}", found.empty() ? "" : ", ", one.name, one.anomaly, one.count);
    }
    const std::string levels = fmt::format("{}", fmt::join(check.levels, "; "));
    notes.push_back(
        fmt::format("{}; levels that hold: {}", found, levels.empty() ? "none" : levels));
  }
  if (check.breaks_promise) {
    notes.push_back(
        fmt::format("the database promises {} at this level, the history does not satisfy it",
                    check.promised_level));
  }
  return notes;
}

std::vector<std::string> notes_on(const ExploreRow& row) {
  std::vector<std::string> notes;
  if (!row.exhaustive) {
    const double share = row.schedules > 0 ? 100 * row.covered / row.schedules : 0;
    notes.push_back(fmt::format(
        "not all: about {:.2g}% of some {:.0f} schedules are covered, all of those with "
        "at most {} switches among them, and {} at random; --max-schedules runs more",
        share, row.schedules, std::max(row.complete_switches, 0), row.sampled));
  }
  if (row.violates()) notes.push_back(listed(row.violations));
  if (!row.anomalies.empty()) notes.push_back("anomalies: " + listed(row.anomalies));
  if (row.promised == "safe" && row.measured == "unsafe") {
    notes.emplace_back("promised safe, but it is not");
  }
  if (!row.outcomes.empty()) notes.push_back("the tasks end: " + listed(row.outcomes));
  return notes;
}

}  // namespace hilsa
