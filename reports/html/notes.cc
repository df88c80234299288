#include "reports/html/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/html/comparison_tables.h"
#include "reports/html/examples.h"
#include "reports/html/figures.h"
#include "reports/html/row_cells.h"

namespace hilsa {
namespace {

void add_violations(std::vector<Note>& notes, const std::string& name, const ReportRow& row) {
  if (row.first_violation.empty()) return;
  std::string kinds;
  for (const auto& [invariant, trials] : row.violations) {
    kinds += fmt::format("{}{} in {}", kinds.empty() ? "" : ", ", invariant,
                         counted(static_cast<std::int64_t>(trials), "trial", "trials"));
  }
  notes.push_back({name, kinds + "; the first: " + row.first_violation});
}

void add_notes(std::vector<Note>& notes, const ReportRow& row) {
  const std::string name = row_name(row.strategy, row.isolation);
  add_violations(notes, name, row);
  if (row.measured == "unknown") notes.push_back({name, "unknown, since " + row.why_unknown});
  if (row.promised == "unsafe" && row.measured == "safe") {
    notes.push_back({name, "not seen to break this time, which promises nothing"});
  }
  if (row.check.breaks_promise) {
    notes.push_back({name, "the database promises " + row.check.promised_level +
                               " at this level, the history does not satisfy it"});
  }
  if (row.no_level_helps()) {
    notes.push_back({name,
                     "the history is serializable, so no isolation level helps: it is what the "
                     "transactions do"});
  }
  if (!row.remark.empty()) notes.push_back({name, row.remark});
  if (row.history_incomplete) notes.push_back({name, "its history is incomplete"});
}

// What several rows have in common is said once.
class Shared {
 public:
  void add(const std::string& what, const ReportRow& row) {
    std::string& names = names_[what];
    const std::string name = row_name(row.strategy, row.isolation);
    if (names.size() < kNamesMax) names += (names.empty() ? "" : ", ") + name;
  }
  void note(std::vector<Note>& notes, const std::string& before) const {
    for (const auto& [what, names] : names_) notes.push_back({names, before + what});
  }

 private:
  static constexpr std::size_t kNamesMax = 600;
  std::map<std::string, std::string> names_;  // by what is said
};

void add_shared(std::vector<Note>& notes, const RunReport& report,
                const std::vector<std::size_t>& shown) {
  Shared untested, unchecked;
  for (const std::size_t i : shown) {
    const ReportRow& row = report.rows[i];
    const std::string& why = row.check.not_checked;
    if (row.measured == "safe" && !row.untested.empty()) untested.add(row.untested, row);
    if (!why.empty() && why != "--no-check") unchecked.add(why, row);
  }
  untested.note(notes, "not put to the test: ");
  unchecked.note(notes, "not checked for anomalies: ");
}

template <typename LeftOut>
void add_left_out(std::vector<Note>& notes, const LeftOut& left_out, const std::string& product) {
  for (const auto& [strategy, why] : left_out) {
    if (notes.size() >= 2 * kTableRowsMax) break;
    notes.push_back({short_cell(strategy), "left out, " + product + " has no " + short_cell(why)});
  }
}

// A trial either breaks or does not: with none broken of n, the share that breaks is below
// 1 - 0.05^(1/n) with 95 % confidence, which is about 3/n.
void add_bound(std::vector<Note>& notes, const RunReport& report) {
  int fewest = 0;
  for (const ReportRow& row : report.rows) {
    if (row.measured != "safe" || row.trials < 5) continue;
    if (fewest == 0 || row.trials < fewest) fewest = row.trials;
  }
  if (fewest == 0 || report.sustained) return;
  notes.push_back(
      {"",
       fmt::format("“safe” is what was seen: with no violation in {} trials, it is 95 % certain "
                   "that fewer than {:.2g} % of such trials would show one",
                   grouped(static_cast<std::int64_t>(fewest)), 300.0 / fewest)});
}

}  // namespace

std::vector<Note> notes_on(const RunReport& report) {
  std::vector<Note> notes;
  if (!report.broken_off.empty()) notes.push_back({"", "broken off: " + report.broken_off});
  if (report.interrupted) {
    notes.push_back({"", "interrupted: the figures are of what had been done by then"});
  }
  const std::vector<std::size_t> shown = rows_to_show(report.rows.size(), failing_first(report));
  for (const std::size_t i : shown) add_notes(notes, report.rows[i]);
  add_shared(notes, report, shown);
  add_left_out(notes, report.left_out, report.product_title);
  add_bound(notes, report);
  if (report.default_database) {
    notes.push_back({"",
                     "this was the embedded SQLite; servers behave differently: try --db "
                     "temp:postgres"});
  }
  return notes;
}

std::vector<Note> notes_on(const ExploreReport& report) {
  std::vector<Note> notes;
  if (report.interrupted) {
    notes.push_back({"", "interrupted: the figures are of what had been done by then"});
  }
  for (const std::size_t i : rows_to_show(report.rows.size(), failing_first(report))) {
    const ExploreRow& row = report.rows[i];
    const std::string name = row_name(row.strategy, row.isolation);
    if (row.exhaustive) continue;
    notes.push_back({name, fmt::format("not all schedules: all of those with at most {} switches "
                                       "are covered, and {} at random; --max-schedules runs more",
                                       std::max(row.complete_switches, 0), row.sampled)});
  }
  add_left_out(notes, report.left_out, report.product_title);
  if (!report.seen_by.empty()) notes.push_back({"", "who waits is seen by " + report.seen_by});
  return notes;
}

}  // namespace hilsa
