#include "reports/demands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checkers/levels.h"

namespace hilsa {
namespace {

using Status = Demand::Status;

// Whether a report tells of everything that was planned.
bool is_whole(const RunReport& report) { return !report.interrupted && report.broken_off.empty(); }

std::string why_not_whole(const RunReport& report) {
  return report.interrupted ? "the run was stopped" : "the run broke off: " + report.broken_off;
}

std::string counted(int count, const RunReport& report) {
  const std::string what = report.sustained ? "round" : "trial";
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string anomalies_of(const ReportRow& row) {
  std::string text;
  for (const HistoryCheck::Count& found : row.check.anomalies) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} ({}) x{}", found.name, found.anomaly, found.count);
  }
  return text;
}

std::string why_unsafe(const ReportRow& row, const RunReport& report) {
  std::string text;
  if (row.trials_violated > 0) {
    text = fmt::format("an invariant broke in {} of {} ({})", row.trials_violated,
                       counted(row.trials, report), row.first_violation);
  } else {
    text = "its history does not keep " + row.check.promised_level;
  }
  const std::string anomalies = anomalies_of(row);
  if (!anomalies.empty()) text += "; " + anomalies;
  return text;
}

std::string what_was_measured(const ReportRow& row, const RunReport& report) {
  if (row.measured == "unsafe") return "it is unsafe: " + why_unsafe(row, report);
  if (row.measured == "unknown") return "nothing was proved: " + row.why_unknown;
  return fmt::format("nothing broke in {}", counted(row.trials, report));
}

Status status_of(const std::string& measured, const std::string& wanted) {
  if (measured == "unknown") return Status::unknown;
  return measured == wanted ? Status::kept : Status::broken;
}

Demand judge_promise(const RowName& name, Must must, const ReportRow& row,
                     const RunReport& report) {
  Demand demand{.suite = name.suite, .row = name.row, .finding = what_was_measured(row, report)};
  if (must == Must::as_promised && row.promised != "safe") {
    demand.what = "as promised: nothing";
    demand.status = Status::kept;
    return demand;
  }
  const std::string wanted = must == Must::unsafe ? "unsafe" : "safe";
  demand.what = must == Must::as_promised ? "as promised: safe" : "must be " + wanted;
  demand.status = status_of(row.measured, wanted);
  return demand;
}

bool satisfies(const HistoryCheck& check, const LevelForm& level) {
  return std::any_of(check.levels.begin(), check.levels.end(), [&](const std::string& name) {
    const auto holds = level_named(name);
    return holds && implies(*holds, level);
  });
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

Demand judge_level(const RowName& name, const LevelForm& level, const ReportRow& row) {
  Demand demand{.suite = name.suite, .row = name.row, .what = "history must be " + name_of(level)};
  const HistoryCheck& check = row.check;
  if (!check.not_checked.empty()) {
    demand.finding = "its history was not checked: " + check.not_checked;
    return demand;
  }
  if (row.tally.committed == 0) {
    demand.finding = "nothing committed";
    return demand;
  }
  // A history that breaks a level holds the anomaly that does so.
  if (check.levels.empty() && check.anomalies.empty()) {
    demand.finding = "its history decides nothing: no two transactions that committed met on a row";
    return demand;
  }
  demand.status = satisfies(check, level) ? Status::kept : Status::broken;
  demand.finding = "levels that hold: " + listed(check.levels);
  const std::string anomalies = anomalies_of(row);
  if (!anomalies.empty()) demand.finding += "; " + anomalies;
  return demand;
}

std::string percent(double share) {
  std::string text = fmt::format("{:.4f}", share * 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

std::string plain(double number) {
  if (!std::isfinite(number)) return "any";
  return fmt::format("{:.3g}", number);
}

std::string in_brackets(const Estimate& estimate) {
  return fmt::format("{} to {}", plain(estimate.low), plain(estimate.high));
}

std::string chance(double p) { return p < 1e-6 ? "p < 0.000001" : fmt::format("p = {:.2g}", p); }

std::string too_few(std::size_t usable, std::size_t measured, std::size_t needed) {
  return fmt::format(
      "{} of {} rounds have a figure for it and for what it is compared with, and it takes {}",
      usable, measured, needed);
}

CostFinding judge_limit(const RowName& name, const CostLimit& limit, double confidence,
                        const std::vector<double>& figures, std::size_t measured,
                        const std::string& reference) {
  CostFinding found{.demand = {.suite = name.suite, .row = name.row}};
  Demand& demand = found.demand;
  const bool per_task = limit.figure == Figure::attempts;
  demand.what = fmt::format("{} {} {}{}", per_task ? "attempts per task" : name_of(limit.figure),
                            more_is_better(limit.figure) ? ">=" : "<=", plain(limit.limit),
                            per_task ? "" : " x " + reference);
  const std::size_t needed = rounds_needed_for_limit(confidence);
  if (figures.size() < needed) {
    demand.finding = too_few(figures.size(), measured, needed);
    return found;
  }
  const LimitFinding weighed = weigh(limit, figures, confidence);
  demand.status = weighed.is_broken ? Status::broken : Status::kept;
  const std::string value = plain(weighed.figure.value);
  const std::string bounds = in_brackets(weighed.figure);
  found.briefly = fmt::format("{} ({})", value, bounds);
  found.is_beyond = weighed.is_beyond;
  if (weighed.is_broken) {
    demand.finding =
        fmt::format("it is {} ({}; {} sure that it is beyond the limit: {}, {} rounds)", value,
                    bounds, percent(confidence), chance(weighed.p), weighed.rounds);
  } else {
    demand.finding =
        fmt::format("it is {} ({}; {}{} rounds)", value, bounds,
                    weighed.is_kept ? "" : "too near the limit to be sure, ", weighed.rounds);
  }
  return found;
}

std::string direction(Figure figure, bool worse) {
  return more_is_better(figure) == worse ? "fell" : "rose";
}

std::string change_sentence(Figure figure, const CostChange& change, const RegressionRule& rule) {
  const std::string value = plain(change.factor.value);
  const std::string bounds = in_brackets(change.factor);
  const std::string rounds = fmt::format("{} + {} rounds", change.rounds, change.baseline_rounds);
  if (!change.is_worse && !change.is_better) {
    return fmt::format("it is {} of the baseline's ({}; {})", value, bounds, rounds);
  }
  std::string text =
      fmt::format("it {} to {} of the baseline's ({}; {} sure of more than {}: {}, {})",
                  direction(figure, change.is_worse), value, bounds, percent(rule.confidence),
                  percent(rule.tolerance), change.is_worse ? chance(change.p) : "better", rounds);
  if (change.is_better) text += "; 'hilsa ci --update-baseline' makes it what is expected";
  return text;
}

CostFinding judge_change(const RowName& name, Figure figure, const RegressionRule& rule,
                         const std::vector<double>& figures, std::size_t measured,
                         const std::vector<double>& baseline, const std::string& reference) {
  CostFinding found{.demand = {.suite = name.suite,
                               .row = name.row,
                               .what = fmt::format("{} relative to {}",
                                                   figure == Figure::attempts ? "attempts per task"
                                                                              : name_of(figure),
                                                   reference)}};
  const std::size_t needed = rounds_needed_for_regression(rule.confidence, baseline.size());
  if (figures.size() < needed) {
    found.demand.finding = too_few(figures.size(), measured, needed);
    return found;
  }
  const CostChange change = compare(figure, figures, baseline, rule);
  found.demand.status = change.is_worse ? Status::broken : Status::kept;
  found.demand.finding = change_sentence(figure, change, rule);
  found.briefly = fmt::format("{} ({})", plain(change.factor.value), in_brackets(change.factor));
  found.is_beyond = change.is_beyond;
  return found;
}

std::ptrdiff_t sure_ones(std::span<const CostFinding> measurements) {
  return std::count_if(measurements.begin(), measurements.end(),
                       [](const CostFinding& one) { return one.demand.status == Status::broken; });
}

std::string each_briefly(std::span<const CostFinding> measurements) {
  std::string text;
  for (const CostFinding& one : measurements) text += (text.empty() ? "" : ", ") + one.briefly;
  return text;
}

}  // namespace

std::vector<Demand> judge_promises(const RowName& name, const RowRules& rules, const ReportRow& row,
                                   const RunReport& report) {
  std::vector<Demand> demands = {judge_promise(name, rules.must, row, report)};
  if (rules.level) demands.push_back(judge_level(name, *rules.level, row));
  if (is_whole(report)) return demands;
  for (Demand& demand : demands) {
    if (demand.status == Status::broken) continue;
    demand.status = Status::unknown;
    demand.finding = why_not_whole(report);
  }
  return demands;
}

std::vector<CostFinding> judge_costs(const RowName& name, const RowRules& rules,
                                     const ReportRow& row, const CostStandard& standard,
                                     const RunReport& report) {
  std::vector<CostFinding> found;
  const std::size_t rounds = row.rounds.size();
  for (const CostLimit& limit : rules.limits) {
    const bool per_task = limit.figure == Figure::attempts;
    if (!per_task && standard.row == nullptr) continue;  // the reference itself
    const auto figures = per_task
                             ? attempts_per_task(row.rounds)
                             : relative_figures(limit.figure, row.rounds, standard.row->rounds);
    found.push_back(
        judge_limit(name, limit, rules.confidence, figures, rounds, standard.reference));
  }
  if (rules.regression && standard.row != nullptr && standard.baseline != nullptr) {
    for (const Figure figure : rules.regression->figures) {
      found.push_back(judge_change(name, figure, *rules.regression,
                                   relative_figures(figure, row.rounds, standard.row->rounds),
                                   rounds, standard.baseline->at(figure), standard.reference));
    }
  }
  if (is_whole(report)) return found;
  for (CostFinding& one : found) {
    one.demand.status = Status::unknown;
    one.demand.finding = why_not_whole(report);
    one.is_beyond = false;
  }
  return found;
}

bool needs_another(std::span<const CostFinding> measurements) {
  return measurements.size() < kMeasurementsMax && measurements.back().is_beyond &&
         sure_ones(measurements) < 2;
}

Demand settled(std::span<const CostFinding> measurements) {
  const CostFinding& last = measurements.back();
  if (measurements.size() == 1 || last.demand.status == Status::unknown) return last.demand;
  if (sure_ones(measurements) < 2) {
    Demand demand = last.demand;
    demand.status = Status::kept;
    demand.finding = fmt::format(
        "measured {} times: {}: {}", measurements.size(), each_briefly(measurements),
        last.is_beyond ? "beyond what is allowed, but too noisy to be sure; a longer 'duration' or "
                         "more 'rounds' would tell"
                       : "taken for noise");
    return demand;
  }
  const auto first_sure =
      std::find_if(measurements.begin(), measurements.end(),
                   [](const CostFinding& one) { return one.demand.status == Status::broken; });
  Demand demand = first_sure->demand;
  demand.finding += fmt::format("; confirmed: measured {} times, {}", measurements.size(),
                                each_briefly(measurements));
  return demand;
}

}  // namespace hilsa
