#include "reports/run_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilsa {

double ReportRow::throughput_per_s() const {
  if (running.count() == 0) return 0;
  return static_cast<double>(tally.answered()) / (static_cast<double>(running.count()) / 1e9);
}

std::string advice_for(const RunReport& report) {
  std::vector<const ReportRow*> safe;
  for (const ReportRow& row : report.rows) {
    if (row.measured == "safe" && row.tally.answered() > 0) safe.push_back(&row);
  }
  // Never lead with one that was merely lucky.
  const auto by_promise_then_speed = [](const ReportRow* a, const ReportRow* b) {
    if (a->promised != b->promised) return a->promised == "safe";
    return a->throughput_per_s() > b->throughput_per_s();
  };
  std::stable_sort(safe.begin(), safe.end(), by_promise_then_speed);
  if (safe.empty() || safe.front()->promised != "safe") {
    return "no strategy that promises to be safe was seen to be";
  }
  const ReportRow& best = *safe.front();
  const auto named = [&](const ReportRow& row) {
    const auto same = std::count_if(safe.begin(), safe.end(), [&](const ReportRow* other) {
      return other->strategy == row.strategy;
    });
    return same > 1 ? row.strategy + " at " + row.isolation : row.strategy;
  };
  std::string text = fmt::format("fastest that stayed safe: {} ({:.0f} tasks/s)", named(best),
                                 best.throughput_per_s());
  std::string_view separator = "; relative to it: ";
  for (const ReportRow* const row : safe) {
    if (row == &best) continue;
    text += fmt::format("{}{} {:.2f}", separator, named(*row),
                        row->throughput_per_s() / best.throughput_per_s());
    if (row->promised != "safe") text += " (not promised)";
    separator = ", ";
  }
  return text;
}

}  // namespace hilsa
