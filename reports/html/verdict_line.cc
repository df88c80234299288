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
std::string listed(const std::vector<std::string>& names, std::size_t count) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kNamedMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == count;
    text += (i == 0 ? "" : last ? " and " : ", ") + shortened(names[i], kNameMax);
  }
  if (count > shown) text += fmt::format(" and {} more", count - shown);
  return text;
}

std::string why_unknown(const ReportRow& row) {
  return row.why_unknown.empty() ? "" : ", since " + row.why_unknown;
}
std::string why_unknown(const ExploreRow& row) {
  return row.exhaustive ? "" : ", since only a part of its schedules is covered";
}

std::string_view are(std::size_t count) { return count == 1 ? "is" : "are"; }

// The rows by promise and measurement.
template <typename Row>
struct Groups {
  using Group = std::vector<const Row*>;
  explicit Groups(const std::vector<Row>& all) : rows(all) {
    for (const Row& row : rows) {
      const bool promised = row.promised == "safe";
      if (row.measured == "unsafe") {
        (promised ? broken : unsafe).push_back(&row);
      } else if (row.measured == "safe") {
        (promised ? safe : lucky).push_back(&row);
      } else {
        unknown.push_back(&row);
      }
    }
  }
  // A single one in full; of several the strategy alone where that tells them apart.
  std::string named(const Group& group) const {
    std::vector<std::string> names;
    for (const Row* const row : group) {
      const auto same = std::count_if(rows.begin(), rows.end(), [row](const Row& other) {
        return other.strategy == row->strategy;
      });
      const bool in_full = group.size() == 1 || same > 1;
      names.push_back(in_full ? row->strategy + " at " + row->isolation : row->strategy);
      if (names.size() > kNamedMax) break;
    }
    return listed(names, group.size());
  }

  const std::vector<Row>& rows;
  Group broken, unknown, safe, unsafe, lucky;
};

template <typename Row>
std::string as_promised(const Groups<Row>& groups) {
  std::string sentence;
  const auto add = [&sentence](const std::string& words) {
    sentence += (sentence.empty() ? "" : "; ") + words;
  };
  const auto promise = [](std::size_t count) { return count == 1 ? "promises" : "promise"; };
  if (groups.safe.size() > kNamedMax) {
    add("all strategies that promise to be safe stayed safe");
  } else if (!groups.safe.empty()) {
    add(fmt::format("{} {} safe", groups.named(groups.safe), are(groups.safe.size())));
  }
  if (!groups.unsafe.empty()) {
    const std::size_t count = groups.unsafe.size();
    add(fmt::format("{} {} unsafe, and {} nothing", groups.named(groups.unsafe), are(count),
                    promise(count)));
  }
  if (!groups.lucky.empty()) {
    const std::size_t count = groups.lucky.size();
    add(fmt::format("{} {} not seen to break, and {} nothing", groups.named(groups.lucky),
                    count == 1 ? "was" : "were", promise(count)));
  }
  return sentence;
}

// `cut_short`: why it did not get to its end; empty: it did.
template <typename Row>
VerdictLine of_rows(const std::vector<Row>& rows, const std::string& cut_short) {
  if (rows.empty()) {
    return {Tone::doubtful, "unknown",
            "nothing was measured" + (cut_short.empty() ? "" : ", since it was " + cut_short)};
  }
  const Groups<Row> groups(rows);
  const std::size_t unknown = groups.unknown.size();
  if (!groups.broken.empty()) {
    std::string sentence =
        fmt::format("{} {} unsafe", groups.named(groups.broken), are(groups.broken.size()));
    if (unknown > 0) {
      sentence += fmt::format("; {} {} unknown", groups.named(groups.unknown), are(unknown));
    }
    return {Tone::bad, "not as promised", sentence};
  }
  if (unknown > 0) {
    return {Tone::doubtful, "unknown",
            fmt::format("whether {} {} safe{}", groups.named(groups.unknown), are(unknown),
                        why_unknown(*groups.unknown.front()))};
  }
  // What is true of half of it need not be true of all.
  if (!cut_short.empty()) {
    return {Tone::doubtful, "unknown", cut_short + "; until then " + as_promised(groups)};
  }
  // Nobody should take an unsafe strategy for a safe one because a page is green.
  if (groups.safe.empty() && !groups.unsafe.empty()) {
    return {Tone::doubtful, "unsafe, as promised", as_promised(groups)};
  }
  return {Tone::good, "as promised", as_promised(groups)};
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
                        listed(broken, broken.size()))};
  }
  if (!unknown.empty()) {
    return {
        Tone::doubtful, "unknown",
        fmt::format("{} of {}: {}", unknown.size(), counted(demands.size(), "demand", "demands"),
                    listed(unknown, unknown.size()))};
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
  if (!report.broken_off.empty()) {
    return of_rows(report.rows, "broken off (" + report.broken_off + ")");
  }
  return of_rows(report.rows, report.interrupted ? "interrupted" : "");
}

VerdictLine verdict_line(const ExploreReport& report) {
  return of_rows(report.rows, report.interrupted ? "interrupted" : "");
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
