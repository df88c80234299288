#include "reports/run_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilsa {

double ReportRow::throughput_per_s() const {
  if (running.count() == 0) return 0;
  const auto done = static_cast<double>(tally.count(TaskEnd::done));
  return done / (static_cast<double>(running.count()) / 1e9);
}

bool ReportRow::no_level_helps() const {
  const bool serializable = std::any_of(
      check.levels.begin(), check.levels.end(),
      [](const std::string& level) { return level.find("serializable") != std::string::npos; });
  return trials_violated > 0 && serializable;
}

namespace {

using Rows = std::vector<const ReportRow*>;

double gave_up_share(const ReportRow& row) {
  const auto tasks = static_cast<double>(row.tally.tasks());
  return tasks == 0 ? 0 : static_cast<double>(row.tally.count(TaskEnd::gave_up)) / tasks;
}

bool serves_all(const ReportRow& row) { return gave_up_share(row) <= 0.01; }

// Those that were measured safe and had this promise: the ones that serve everybody first, the
// fastest first among them.
Rows safe_rows(const RunReport& report, std::string_view promised) {
  Rows rows;
  for (const ReportRow& row : report.rows) {
    if (row.measured == "safe" && row.promised == promised) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ReportRow* a, const ReportRow* b) {
    if (serves_all(*a) != serves_all(*b)) return serves_all(*a);
    return a->throughput_per_s() > b->throughput_per_s();
  });
  return rows;
}

std::string list_of(const Rows& rows, const RunReport& report, double best_per_s) {
  std::string list;
  for (const ReportRow* const row : rows) {
    const auto same = std::count_if(report.rows.begin(), report.rows.end(), [&](const auto& other) {
      return other.strategy == row->strategy;
    });
    list +=
        fmt::format("{}{}{} {:.2f}", list.empty() ? "" : ", ", row->strategy,
                    same > 1 ? " at " + row->isolation : "", row->throughput_per_s() / best_per_s);
    if (!serves_all(*row)) list += fmt::format(" (gave up {:.0f} %)", gave_up_share(*row) * 100);
  }
  return list;
}

}  // namespace

std::string advice_for(const RunReport& report) {
  if (report.interrupted) return "interrupted: no advice from half a comparison";
  if (!report.broken_off.empty()) return "broken off: no advice from half a comparison";
  Rows safe = safe_rows(report, "safe");
  if (safe.empty()) return "no strategy that promises to be safe was seen to be";
  const ReportRow& best = *safe.front();
  safe.erase(safe.begin());
  std::string text = fmt::format("fastest that stayed safe: {} at {} ({:.0f} done/s", best.strategy,
                                 best.isolation, best.throughput_per_s());
  if (!serves_all(best)) text += fmt::format(", gave up {:.0f} %", gave_up_share(best) * 100);
  text += ")";
  if (!safe.empty()) {
    text += "; relative to it: " + list_of(safe, report, best.throughput_per_s());
  }
  const Rows lucky = safe_rows(report, "unsafe");
  if (!lucky.empty()) {
    text += "; not promised to be safe, only not seen to break: " +
            list_of(lucky, report, best.throughput_per_s());
  }
  return text;
}

}  // namespace hilsa
