#include "reports/html/verdict_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/html/figures.h"
#include "reports/html/html_writer.h"

namespace hilsa {
namespace {

constexpr std::size_t kNamedMax = 3;
constexpr std::size_t kNameMax = 120;  // characters

// `a`, `a and b`, `a, b, c and 4 more`
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kNamedMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + shortened(names[i], kNameMax);
  }
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

template <typename Row>
std::string name_of_row(const Row& row) {
  return row.strategy + " at " + row.isolation;
}

std::string why_unknown(const ReportRow& row) {
  return row.why_unknown.empty() ? "" : ", since " + row.why_unknown;
}
std::string why_unknown(const ExploreRow& row) {
  return row.exhaustive ? "" : ", since only a part of its schedules is covered";
}

std::string_view are(std::size_t count) { return count == 1 ? "is" : "are"; }

template <typename Rows>
VerdictLine of_rows(const Rows& rows, const std::string& nothing_why) {
  std::vector<std::string> broken, unknown, safe, unsafe, lucky;
  std::string why;
  for (const auto& row : rows) {
    const std::string name = name_of_row(row);
    if (row.measured == "unknown") {
      if (unknown.empty()) why = why_unknown(row);
      unknown.push_back(name);
    } else if (row.measured == "unsafe") {
      (row.promised == "safe" ? broken : unsafe).push_back(name);
    } else {
      (row.promised == "safe" ? safe : lucky).push_back(name);
    }
  }
  if (!broken.empty()) {
    return {Tone::bad, "not as promised",
            fmt::format("{} {} unsafe", listed(broken), are(broken.size()))};
  }
  if (rows.empty()) return {Tone::doubtful, "unknown", "nothing was measured" + nothing_why};
  if (!unknown.empty()) {
    return {Tone::doubtful, "unknown",
            fmt::format("whether {} {} safe{}", listed(unknown), are(unknown.size()), why)};
  }
  std::string sentence;
  if (!safe.empty()) {
    sentence = safe.size() > kNamedMax ? "all strategies that promise to be safe stayed safe"
                                       : fmt::format("{} {} safe", listed(safe), are(safe.size()));
  }
  if (!unsafe.empty()) {
    sentence += fmt::format("{}{} {} unsafe, and promise{} nothing", sentence.empty() ? "" : "; ",
                            listed(unsafe), are(unsafe.size()), unsafe.size() == 1 ? "s" : "");
  }
  if (!lucky.empty()) {
    sentence += fmt::format("{}{} {} not seen to break, and promise{} nothing",
                            sentence.empty() ? "" : "; ", listed(lucky),
                            lucky.size() == 1 ? "was" : "were", lucky.size() == 1 ? "s" : "");
  }
  return {Tone::good, "as promised", sentence};
}

VerdictLine of_demands(const std::vector<Demand>& demands) {
  std::vector<std::string> broken, unknown;
  for (const Demand& demand : demands) {
    const std::string name = fmt::format("{} {}", demand.row, demand.what);
    if (demand.status == Demand::Status::broken) broken.push_back(name);
    if (demand.status == Demand::Status::unknown) unknown.push_back(name);
  }
  if (!broken.empty()) {
    return {Tone::bad, "broken",
            fmt::format("{} of {}: {}", broken.size(), counted(demands.size(), "demand", "demands"),
                        listed(broken))};
  }
  if (!unknown.empty()) {
    return {Tone::doubtful, "unknown",
            fmt::format("{} of {}: {}", unknown.size(),
                        counted(demands.size(), "demand", "demands"), listed(unknown))};
  }
  return {Tone::good, "kept",
          demands.size() == 1 ? "the one demand" : fmt::format("all {} demands", demands.size())};
}

VerdictLine of_reports(const std::vector<Report>& reports) {
  VerdictLine worst{Tone::doubtful, "unknown", "nothing was measured"};
  std::size_t bad = 0;
  std::size_t doubtful = 0;
  for (const Report& report : reports) {
    VerdictLine line = verdict_line(report);
    if (line.tone == Tone::bad) ++bad;
    if (line.tone == Tone::doubtful) ++doubtful;
    const bool first = &report == &reports.front();
    if (first || line.tone > worst.tone) {
      worst = std::move(line);
      if (reports.size() > 1) worst.sentence = title_of(report) + ": " + worst.sentence;
    }
  }
  const std::size_t like_it = worst.tone == Tone::bad ? bad : doubtful;
  if (worst.tone == Tone::good && reports.size() > 1) {
    worst.sentence = fmt::format("all strategies in all {} reports", reports.size());
  } else if (like_it > 1) {
    worst.sentence += fmt::format("; and {}", counted(like_it - 1, "more report", "more reports"));
  }
  return worst;
}

}  // namespace

std::string_view name_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::plain:
    case Tone::doubtful:
      break;
  }
  return "doubt";
}

VerdictLine verdict_line(const RunReport& report) {
  return of_rows(report.rows, report.broken_off.empty() ? "" : ", since " + report.broken_off);
}

VerdictLine verdict_line(const ExploreReport& report) {
  return of_rows(report.rows, report.interrupted ? ", since it was interrupted" : "");
}

VerdictLine verdict_line(const Report& report) {
  return std::visit([](const auto& one) { return verdict_line(one); }, report);
}

VerdictLine verdict_line(const ReportSet& result) {
  return result.demands.empty() ? of_reports(result.reports) : of_demands(result.demands);
}

std::string title_of(const Report& report) {
  return std::visit(
      [](const auto& one) {
        return fmt::format("{} on {} {}", one.workload, one.product_title, one.version);
      },
      report);
}

std::string title_of(const ReportSet& result) {
  if (result.reports.size() == 1) return title_of(result.reports[0]);
  if (!result.demands.empty()) {
    return counted(result.demands.size(), "demand", "demands") + " on " +
           counted(result.reports.size(), "report", "reports");
  }
  return counted(result.reports.size(), "report", "reports");
}

}  // namespace hilsa
