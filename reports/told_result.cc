#include "reports/told_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/told_report.h"

namespace hilsa {
namespace {

using Standing = ToldRow::Standing;
using Status = Demand::Status;

// Of what broke; a row that kept its invariants and was too slow has none.
const ToldEvidence* example_of(const ToldRow* row) {
  const bool has_one = row != nullptr && row->measured == "unsafe" && !row->evidence.empty();
  return has_one ? &row->evidence.front() : nullptr;
}

void add_demands(ToldResult& told, const std::vector<Demand>& demands, Status status) {
  for (const Demand& demand : demands) {
    if (demand.status != status) continue;
    const bool is_broken = status == Status::broken;
    told.findings.push_back(
        {.is_wrong = is_broken,
         .what = fmt::format("{}: {}", demand.suite, demand.row),
         .why = fmt::format("{}: {}{}", demand.what, is_broken ? "" : "unknown, ", demand.finding),
         .example = is_broken ? example_of(row_of(demand, told.reports)) : nullptr});
  }
}

void add_rows(ToldResult& told, Standing standing) {
  for (const ToldReport& report : told.reports) {
    for (const ToldRow& row : report.rows) {
      if (row.standing != standing) continue;
      const bool is_broken = standing == Standing::broken;
      told.findings.push_back({.is_wrong = is_broken,
                               .what = row.name() + ", " + report.title,
                               .why = row.why,
                               .example = is_broken ? example_of(&row) : nullptr});
    }
  }
}

void add_cut_short(ToldResult& told) {
  for (const ToldReport& report : told.reports) {
    if (report.broken_off.empty()) continue;
    told.findings.push_back(
        {.is_wrong = true, .what = report.title, .why = "broken off: " + report.broken_off});
  }
  for (const ToldReport& report : told.reports) {
    if (!report.interrupted) continue;
    told.findings.push_back(
        {.is_wrong = false, .what = report.title, .why = std::string(kInterrupted)});
  }
}

std::string demands(std::size_t number, std::size_t all) {
  return fmt::format("{} of {} {}", number, all, all == 1 ? "demand" : "demands");
}

std::string strategies(std::size_t number, std::size_t all) {
  return fmt::format("{} of {} {}", number, all, all == 1 ? "strategy" : "strategies");
}

std::string verdict_on(const std::vector<Demand>& all) {
  const auto number_of = [&](Status status) {
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const Demand& demand) { return demand.status == status; }));
  };
  const std::size_t broken = number_of(Status::broken);
  const std::size_t unknown = number_of(Status::unknown);
  const std::string undecided = unknown == 0 ? "" : fmt::format(", {} unknown", unknown);
  if (broken > 0) return "failed: " + demands(broken, all.size()) + " broken" + undecided;
  if (unknown > 0) return "unknown: " + demands(unknown, all.size()) + " not decided";
  return "passed: " + demands(all.size(), all.size()) + " kept";
}

std::string verdict_on(const std::vector<ToldReport>& reports) {
  std::size_t rows = 0;
  std::size_t broken = 0;
  std::size_t unknown = 0;
  bool cut_short = false;
  for (const ToldReport& report : reports) {
    cut_short |= report.interrupted || !report.broken_off.empty();
    for (const ToldRow& row : report.rows) {
      ++rows;
      broken += row.standing == Standing::broken ? 1 : 0;
      unknown += row.standing == Standing::unknown ? 1 : 0;
    }
  }
  if (rows == 0) return "unknown: nothing was run";
  const std::string undecided = unknown == 0 ? "" : fmt::format(", {} unknown", unknown);
  if (broken > 0) {
    return "not as promised: " + strategies(broken, rows) + " broke its promise" + undecided;
  }
  if (unknown > 0) return "unknown: " + strategies(unknown, rows) + " not decided";
  if (cut_short) {
    return "unknown: it did not get to its end; as promised until then: " + strategies(rows, rows);
  }
  return "as promised: " + strategies(rows, rows);
}

}  // namespace

const ToldRow* row_of(const Demand& demand, const std::vector<ToldReport>& reports) {
  for (const ToldReport& report : reports) {
    const Origin& origin = report.origin;
    if (!origin.suite.empty() && origin.suite != demand.suite) continue;  // older: not known
    const std::string& database = origin.database.empty() ? report.product : origin.database;
    for (const ToldRow& row : report.rows) {
      if (demand.row == row.name() + " on " + database) return &row;
    }
  }
  return nullptr;
}

ToldResult told(const ReportSet& result) {
  ToldResult told;
  for (const Report& report : result.reports) {
    told.reports.push_back(std::visit([](const auto& one) { return hilsa::told(one); }, report));
  }
  const bool demanded = !result.demands.empty();
  told.verdict = demanded ? verdict_on(result.demands) : verdict_on(told.reports);
  if (demanded) {
    add_demands(told, result.demands, Status::broken);
    add_cut_short(told);
    add_demands(told, result.demands, Status::unknown);
  } else {
    add_rows(told, Standing::broken);
    add_cut_short(told);
    add_rows(told, Standing::unknown);
  }
  return told;
}

}  // namespace hilsa
