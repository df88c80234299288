#include "reports/told_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/row_notes.h"

namespace hilsa {
namespace {

using Standing = ToldRow::Standing;

// What both kinds of rows have.
template <typename Row>
ToldRow common_row(const Row& row) {
  ToldRow told{.strategy = row.strategy,
               .isolation = row.isolation,
               .promised = row.promised,
               .measured = row.measured,
               .notes = notes_on(row),
               .running_s = static_cast<double>(row.running.count()) / 1e9};
  if (row.measured == "unknown") told.standing = Standing::unknown;
  if (row.promised == "safe" && row.measured == "unsafe") told.standing = Standing::broken;
  return told;
}

template <typename Report>
ToldReport common_report(const Report& report) {
  return {
      .origin = report.origin,
      .workload = report.workload,
      .product = report.product,
      .title = fmt::format("{} on {} {}", report.workload, report.product_title, report.version),
      .version = report.version,
      .url = report.url,
      .seed = fmt::format("{}", report.seed),
      .interrupted = report.interrupted,
      .left_out = report.left_out,
      .product_title = report.product_title};
}

// `promised safe, but …`, `unsafe as promised: …`.
std::string why_of(const ToldRow& row, const std::string& what_broke,
                   const std::string& why_unknown) {
  if (row.measured == "unknown") return "unknown, since " + why_unknown;
  if (row.standing == Standing::broken) return "promised safe, but " + what_broke;
  if (row.measured == "unsafe") return "unsafe, as promised: " + what_broke;
  if (row.promised == "unsafe") return "not seen to break this time, which promises nothing";
  return "safe, as promised";
}

std::string what_broke(const ReportRow& row) {
  if (row.trials_violated > 0) {
    return fmt::format("{} of {} trials violated it: {}", row.trials_violated, row.trials,
                       violations_in_short(row));
  }
  const std::string anomalies = anomalies_in_short(row.check);
  return anomalies.empty() ? "it is not" : "its history shows " + anomalies;
}

std::string what_broke(const ExploreRow& row) {
  return fmt::format("{:.0f} of {}{:.0f} schedules violate it: {}", row.violating,
                     row.exhaustive ? "" : "some ", row.schedules, listed(row.violations));
}

std::string times(std::int64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::vector<ToldEvidence> evidence_of(const ReportRow& row) {
  std::vector<ToldEvidence> evidence;
  for (const ShownAnomaly& anomaly : row.check.shown) {
    evidence.push_back(
        {fmt::format("{} ({}), {}", anomaly.name, anomaly.anomaly, times(anomaly.count)),
         anomaly.text});
  }
  if (evidence.empty() && !row.check.story.empty()) {
    evidence.push_back({"the first anomaly", row.check.story});
  }
  const std::string deadlock = explain_deadlock(row.check.deadlocks);
  if (!deadlock.empty()) {
    evidence.push_back({fmt::format("deadlock, {}", times(row.check.deadlocks.count)), deadlock});
  }
  return evidence;
}

ToldEvidence evidence_of(const ShownSchedule& schedule, int clients) {
  std::string text = to_picture(schedule, clients) + "\n";
  for (std::size_t i = 0; i < schedule.ends.size(); ++i) {
    text += fmt::format("client {}: {}\n", i + 1, schedule.ends[i]);
  }
  if (!schedule.story.empty()) text += "\n" + schedule.story;
  if (!schedule.script.empty()) text += "\n" + schedule.script;
  return {fmt::format("{}: the shortest schedule, with {} switches between clients", schedule.what,
                      schedule.switches),
          text};
}

ToldRow told_row(const ReportRow& row) {
  ToldRow told = common_row(row);
  for (std::string& note : notes_on_history(row)) told.notes.push_back(std::move(note));
  if (row.measured == "safe" && !row.untested.empty()) {
    told.notes.push_back("not put to the test: " + row.untested);
  }
  if (!row.check.not_checked.empty() && row.check.not_checked != "--no-check") {
    told.notes.push_back("not checked for anomalies: " + row.check.not_checked);
  }
  told.why = why_of(told, what_broke(row), row.why_unknown);
  const bool ran = row.running.count() > 0;
  const bool timed = row.tally.latency.count() > 0;
  told.cells = {row.strategy,
                row.isolation,
                row.promised,
                row.measured,
                fmt::format("{}/{}", row.trials_violated, row.trials),
                anomalies_in_short(row.check),
                ran ? fmt::format("{:.0f}", row.throughput_per_s()) : "-",
                timed ? three_digits_ms(row.tally.latency.percentile(99)) : "-"};
  told.evidence = evidence_of(row);
  return told;
}

ToldRow told_row(const ExploreRow& row, int clients) {
  ToldRow told = common_row(row);
  told.why = why_of(told, what_broke(row), "none of the schedules that were run violates it");
  const auto count = [](double number) { return fmt::format("{:.0f}", number); };
  told.cells = {row.strategy,
                row.isolation,
                row.promised,
                row.measured,
                (row.exhaustive ? "" : "~") + count(row.schedules),
                fmt::format("{}", row.run),
                count(row.violating),
                listed(row.anomalies),
                count(row.waiting),
                count(row.deadlocks)};
  if (row.shortest) told.evidence.push_back(evidence_of(*row.shortest, clients));
  if (row.shortest_deadlock) told.evidence.push_back(evidence_of(*row.shortest_deadlock, clients));
  return told;
}

}  // namespace

ToldReport told(const RunReport& report) {
  ToldReport told = common_report(report);
  told.broken_off = report.broken_off;
  told.settings = {{"clients", fmt::format("{}", report.clients)},
                   {"connections", fmt::format("{}", report.pool)},
                   {"think", three_digits_ms(report.think.count()) + " ms"}};
  told.columns = {{"strategy"},       {"isolation"}, {"promised"},     {"measured"},
                  {"violated", true}, {"anomalies"}, {"done/s", true}, {"p99 ms", true}};
  for (const ReportRow& row : report.rows) told.rows.push_back(told_row(row));
  if (report.minimized && !told.rows.empty()) {
    const RunReport::Minimized& minimized = *report.minimized;
    const auto broken = std::find_if(told.rows.begin(), told.rows.end(),
                                     [](const ToldRow& row) { return row.measured == "unsafe"; });
    ToldRow& about = broken == told.rows.end() ? told.rows.front() : *broken;
    if (minimized.why_not.empty()) {
      about.evidence.push_back({"the same with its transactions alone: " + minimized.what,
                                minimized.picture + "\n" + minimized.script});
    } else {
      about.notes.push_back("not minimized: " + minimized.why_not);
    }
  }
  if (report.rows.size() > 1) told.advice = advice_for(report);
  return told;
}

ToldReport told(const ExploreReport& report) {
  ToldReport told = common_report(report);
  told.settings = {{"clients", fmt::format("{}", report.clients)},
                   {"attempts at most", fmt::format("{}", report.max_attempts)},
                   {"who waits is seen by", report.seen_by}};
  told.columns = {{"strategy"},          {"isolation"},     {"promised"},        {"measured"},
                  {"schedules", true},   {"run", true},     {"violating", true}, {"anomalies"},
                  {"with a wait", true}, {"deadlock", true}};
  for (const ExploreRow& row : report.rows) told.rows.push_back(told_row(row, report.clients));
  return told;
}

}  // namespace hilsa
