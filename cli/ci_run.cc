#include "cli/ci_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "checkers/printable.h"
#include "cli/experiment_report.h"
#include "cli/nearest.h"
#include "cli/repeatable.h"
#include "cli/whole_file.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

using Words = std::vector<std::string>;

// The suites that were asked for, in the order of the file.
std::vector<const CiSuite*> wanted_suites(const Words& wanted, const CiConfig& config) {
  Words known;
  for (const CiSuite& suite : config.suites) known.push_back(suite.name);
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError("no suite is called " + shown(name) + did_you_mean(name, known));
    }
  }
  std::vector<const CiSuite*> suites;
  for (const CiSuite& suite : config.suites) {
    const bool is_wanted =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), suite.name) != wanted.end();
    if (is_wanted) suites.push_back(&suite);
  }
  return suites;
}

bool is_broken(const Demand& demand) { return demand.status == Demand::Status::broken; }

}  // namespace

CiRun::CiRun(CiWishes wishes, const CiConfig& config, std::stop_token stop)
    : wishes_(std::move(wishes)),
      config_(config),
      suites_(wanted_suites(wishes_.suites, config)),
      baseline_file_(wishes_.baseline_file.value_or(config.baseline_file)),
      databases_(config, stop),
      stop_(std::move(stop)) {}

OpenDatabase CiRun::OpenDatabases::open(const std::string& name) const {
  const CiConfig::Address& address = config_.databases.at(name);
  try {
    return connect(address.url, {}, stop_);
  } catch (const UsageError& error) {
    throw UsageError(address.place + ": " + error.what());
  } catch (const DatabaseUnusable& error) {
    throw DatabaseUnusable(address.place + ": " + error.what());
  }
}

Database& CiRun::OpenDatabases::at(const std::string& name) {
  auto found = open_.find(name);
  if (found == open_.end()) found = open_.emplace(name, open(name)).first;
  return *found->second.database;
}

void CiRun::prepare() {
  report_.notes = config_.notes;
  load_baseline_file();
  for (const CiSuite* const suite : suites_) plan(*suite);
  if (wishes_.update_baseline) {
    check_writable(baseline_file_);
    return;
  }
  for (const CiExperiment& experiment : experiments_) check_baseline(experiment);
}

void CiRun::load_baseline_file() {
  const bool is_wanted = std::any_of(suites_.begin(), suites_.end(),
                                     [](const CiSuite* suite) { return suite->wants_baseline(); });
  if (wishes_.update_baseline && !is_wanted) {
    throw UsageError("there is nothing to keep in a baseline: no suite has a 'regression'");
  }
  // An update keeps the figures of suites that are left out.
  const bool keeps_others =
      suites_.size() < config_.suites.size() && std::filesystem::exists(baseline_file_);
  const bool is_read = wishes_.update_baseline ? keeps_others : is_wanted;
  if (is_read) baseline_ = load_baseline(baseline_file_);
}

void CiRun::plan(const CiSuite& suite) {
  std::map<std::string, int> products;
  const std::size_t first = experiments_.size();
  for (const std::string& name : suite.databases) {
    experiments_.push_back(plan_experiment(suite, name, databases_.at(name)));
    if (wishes_.seed) experiments_.back().plan.seed = *wishes_.seed;
    ++products[experiments_.back().product];
  }
  // Two databases of one product are called by their names as well.
  for (std::size_t i = first; i < experiments_.size(); ++i) {
    CiExperiment& experiment = experiments_[i];
    if (products[experiment.product] < 2) continue;
    experiment.product += " (" + experiment.database_name + ")";
  }
}

void CiRun::check_baseline(const CiExperiment& experiment) {
  if (!experiment.wants_baseline()) return;
  for (std::size_t row = 0; row < experiment.rows.size(); ++row) {
    if (!experiment.rows[row].wants_baseline()) continue;
    baseline_of(baseline_, baseline_file_, experiment, row);
  }
  const BaselineEntry& entry = *baseline_.find(experiment.suite->name, experiment.database_name);
  if (entry.cpus == 0 || entry.cpus == cpus_here()) return;
  note(fmt::format(
      "suite {}: its baseline was measured on {} cpus, here are {}; strategies may compare "
      "differently there, so measure the baseline where this runs",
      experiment.suite->name, entry.cpus, cpus_here()));
}

void CiRun::run() {
  for (std::size_t i = 0; i < experiments_.size() && may_go_on(); ++i) {
    const CiExperiment& experiment = experiments_[i];
    RunReport report = measure(i, false);
    Found found = judge(experiment, report);
    Done& done = done_.emplace_back();
    done.promises = std::move(found.promises);
    for (const std::vector<CostFinding>& row : found.costs) {
      done.costs.emplace_back();
      for (const CostFinding& cost : row) done.costs.back().push_back({cost});
    }
    report_.runs.push_back({experiment.suite->name, experiment.database_name, std::move(report)});
  }
  for (std::size_t i = 0; i < done_.size(); ++i) {
    while (may_go_on() && needs_more(i)) measure_again(i);
  }
  collect_demands();
  report_.exit_status = static_cast<int>(status());
}

RunReport CiRun::measure(std::size_t number, bool again) {
  const CiExperiment& experiment = experiments_[number];
  ExperimentPlan plan = experiment.plan;
  if (again) plan.seed += 1 + done_[number].again.size();
  // A simulated one keeps its rows and its clock, and is good for one run.
  std::optional<OpenDatabase> own;
  if (experiment.database->product() == Product::simulated) {
    own = databases_.open(experiment.database_name);
  }
  RunReport report = run_experiment(
      plan, own ? *own->database : *experiment.database,
      {.check = {},
       .quiet = wishes_.quiet,
       .progress_title = fmt::format("suite {} of {}: {} on {}{}", number + 1, experiments_.size(),
                                     printable(experiment.suite->name), experiment.product,
                                     again ? ", once more" : "")},
      stop_);
  report.origin.subcommand = "ci";
  report.origin.suite = experiment.suite->name;
  report.origin.database = experiment.product;
  report.origin.command = repeatable(
      "ci", {"--config", wishes_.config_file, "--suite", experiment.suite->name}, plan.seed);
  report.left_out = experiment.left_out;
  if (!report.broken_off.empty()) report_.broken_off = report.broken_off;
  return report;
}

CiRun::Found CiRun::judge(const CiExperiment& experiment, const RunReport& report) const {
  Found found;
  for (std::size_t row = 0; row < experiment.rows.size(); ++row) {
    found.promises.emplace_back();
    found.costs.emplace_back();
    if (!experiment.rows[row].is_demanded) continue;
    found.promises.back() = judge_promises(experiment.name_of_row(row), experiment.rows[row].rules,
                                           report.rows[row], report);
    found.costs.back() = costs_of(experiment, row, report);
  }
  return found;
}

std::vector<CostFinding> CiRun::costs_of(const CiExperiment& experiment, std::size_t row,
                                         const RunReport& report) const {
  const CiExperiment::Row& planned = experiment.rows[row];
  CostStandard standard{.reference = experiment.reference_of(row)};
  if (planned.reference >= 0) {
    standard.row = &report.rows[static_cast<std::size_t>(planned.reference)];
  }
  if (planned.wants_baseline() && !wishes_.update_baseline) {
    standard.baseline = &baseline_of(baseline_, baseline_file_, experiment, row);
  }
  return judge_costs(experiment.name_of_row(row), planned.rules, report.rows[row], standard,
                     report);
}

bool CiRun::needs_more(std::size_t number) const {
  const Done& done = done_[number];
  // A baseline holds two measurements: it must know how far apart two of them can be.
  if (wishes_.update_baseline && experiments_[number].wants_baseline() && done.again.empty()) {
    return true;
  }
  return std::any_of(done.costs.begin(), done.costs.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(),
                       [](const auto& measurements) { return needs_another(measurements); });
  });
}

// Every measurement is a sample of its own. A promise is broken if any of them says so.
void CiRun::measure_again(std::size_t number) {
  Done& done = done_[number];
  RunReport report = measure(number, true);
  const Found found = judge(experiments_[number], report);
  bool is_news = false;
  for (std::size_t row = 0; row < done.costs.size(); ++row) {
    for (std::size_t i = 0; i < done.costs[row].size(); ++i) {
      std::vector<CostFinding>& measurements = done.costs[row][i];
      if (needs_another(measurements)) measurements.push_back(found.costs[row][i]);
    }
    for (std::size_t i = 0; i < done.promises[row].size(); ++i) {
      Demand& known = done.promises[row][i];
      if (is_broken(known) || !is_broken(found.promises[row][i])) continue;
      known = found.promises[row][i];
      is_news = true;
    }
  }
  // The evidence for what only this one has shown belongs to the report.
  if (is_news) std::swap(report_.runs[number].report, report);
  done.again.push_back(std::move(report));
}

void CiRun::collect_demands() {
  for (std::size_t i = 0; i < experiments_.size(); ++i) {
    const CiExperiment& experiment = experiments_[i];
    for (std::size_t row = 0; row < experiment.rows.size(); ++row) {
      if (!experiment.rows[row].is_demanded) continue;
      if (i >= done_.size()) {
        RowName name = experiment.name_of_row(row);
        report_.demands.push_back({.suite = std::move(name.suite),
                                   .row = std::move(name.row),
                                   .what = "everything",
                                   .status = Demand::Status::unknown,
                                   .finding = "it was not run"});
        continue;
      }
      for (const Demand& demand : done_[i].promises[row]) report_.demands.push_back(demand);
      for (const auto& cost : done_[i].costs[row]) report_.demands.push_back(settled(cost));
    }
  }
}

ExitStatus CiRun::status() const {
  const auto has = [&](Demand::Status status) {
    return std::any_of(report_.demands.begin(), report_.demands.end(),
                       [&](const Demand& demand) { return demand.status == status; });
  };
  if (has(Demand::Status::broken)) return ExitStatus::violated;
  if (!report_.broken_off.empty()) return ExitStatus::database_unusable;
  if (has(Demand::Status::unknown) || stop_.stop_requested()) return ExitStatus::unknown;
  return ExitStatus::as_promised;
}

void CiRun::update_baseline() {
  if (!wishes_.update_baseline) return;
  if (!may_go_on() || status() == ExitStatus::unknown) {
    note("no baseline was written: not everything could be measured");
    return;
  }
  const bool broken = std::any_of(done_.begin(), done_.end(), [](const Done& done) {
    return std::any_of(done.promises.begin(), done.promises.end(), [](const auto& row) {
      return std::any_of(row.begin(), row.end(), is_broken);
    });
  });
  if (broken && !wishes_.even_if_broken) {
    note(
        "no baseline was written: what a strategy costs that is not what it must be is none; "
        "--even-if-broken writes one all the same");
    return;
  }
  try {
    write_baseline();
    note("baseline written to " + baseline_file_ + "; commit it");
  } catch (const UsageError& error) {  // what was measured is worth its report all the same
    note(std::string("no baseline was written: ") + error.what());
    report_.exit_status = static_cast<int>(ExitStatus::usage);
  }
}

void CiRun::write_baseline() {
  for (std::size_t i = 0; i < experiments_.size(); ++i) {
    const CiExperiment& experiment = experiments_[i];
    if (!experiment.wants_baseline()) continue;
    baseline_.suites[experiment.suite->name][experiment.database_name] =
        baseline_entry(experiment, {&report_.runs[i].report, &done_[i].again.front()});
  }
  write_file(baseline_file_, to_baseline_json(baseline_));
}

ReportSet CiRun::report_set() const {
  ReportSet set{.reports = {}, .demands = report_.demands};
  for (const CiReport::Run& run : report_.runs) set.reports.emplace_back(run.report);
  return set;
}

}  // namespace hilsa
