// `ci`: the suites of a configuration, what each of their rows must be and may cost, and the
// baseline that costs are compared with.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "checkers/printable.h"
#include "cli/ci_config.h"
#include "cli/ci_experiment.h"
#include "cli/colour.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/experiment_report.h"
#include "cli/nearest.h"
#include "cli/repeatable.h"
#include "cli/run_folder.h"
#include "cli/run_options.h"
#include "harness/database/usage_error.h"
#include "reports/ci_report.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

Options ci_options() {
  Options options{"options", 100, 60};
  auto add = options.add_options();
  add("help,h", "show this help");
  add("example", "print a configuration to start from");
  add("config", po::value<std::string>()->default_value(kCiConfigFile), "the configuration");
  add("suite", po::value<Words>(), "only this suite; may be repeated (default: all)");
  add("baseline", po::value<std::string>(),
      "the baseline (default: what the configuration says, or hilsa-baseline.json beside it)");
  add("update-baseline",
      "write the baseline: what is measured now is what is expected from now on. Not while a "
      "strategy is not what it must be");
  add("even-if-broken", "with --update-baseline: write it all the same");
  add("seed", po::value<std::string>(),
      "fixes every random choice of the clients (default: each suite's, or a new one)");
  add_folder_options(options);
  add("format", po::value<std::string>()->default_value("text"),
      "text, json, or github: text, and what a workflow on GitHub shows beside its run");
  add("quiet", "no progress line");
  return options;
}

// The suites that were asked for, in the order of the file.
std::vector<const CiSuite*> suites_from(const Parsed& parsed, const CiConfig& config) {
  Words known;
  for (const CiSuite& suite : config.suites) known.push_back(suite.name);
  Words wanted = known;
  if (parsed.count("suite") != 0) wanted = parsed["suite"].as<Words>();
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError("no suite is called " + shown(name) + did_you_mean(name, known));
    }
  }
  std::vector<const CiSuite*> suites;
  for (const CiSuite& suite : config.suites) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), suite.name) != wanted.end();
    if (is_wanted) suites.push_back(&suite);
  }
  return suites;
}

// Databases that are opened when first needed, and stay open until the end.
class OpenDatabases {
 public:
  OpenDatabases(const CiConfig& config, std::stop_token stop)
      : config_(config), stop_(std::move(stop)) {}

  Database& at(const std::string& name) {
    const auto [open, is_new] = open_.try_emplace(name);
    if (is_new) {
      const CiConfig::Address& address = config_.databases.at(name);
      try {
        open->second = connect(address.url, {}, stop_);
      } catch (const UsageError& error) {
        throw UsageError(address.place + ": " + error.what());
      }
    }
    return *open->second.database;
  }

 private:
  const CiConfig& config_;
  std::stop_token stop_;
  std::map<std::string, OpenDatabase> open_;
};

class Ci {
 public:
  Ci(const Parsed& parsed, const CiConfig& config, std::stop_token stop)
      : parsed_(parsed),
        config_(config),
        suites_(suites_from(parsed, config)),
        is_update_(parsed.count("update-baseline") != 0),
        baseline_file_(parsed.count("baseline") != 0 ? parsed["baseline"].as<std::string>()
                                                     : config.baseline_file),
        databases_(config, stop),
        stop_(std::move(stop)) {}

  // Everything that can be wrong is looked at before anything runs.
  void prepare() {
    check_baseline_file();
    for (const CiSuite* const suite : suites_) {
      const std::size_t first = experiments_.size();
      for (const std::string& name : suite->databases) {
        experiments_.push_back(plan_experiment(*suite, name, databases_.at(name)));
        if (parsed_.count("seed") != 0) {
          const std::string& seed = parsed_["seed"].as<std::string>();
          experiments_.back().plan.seed =
              static_cast<std::uint64_t>(parse_whole("seed", seed, 0, 999'999'999));
        }
      }
      tell_apart(first);
    }
    if (is_update_) return;
    for (const CiExperiment& experiment : experiments_) {
      for (std::size_t row = 0; row < experiment.rows.size(); ++row) {
        if (!experiment.rows[row].wants_baseline()) continue;
        baseline_of(baseline_, baseline_file_, experiment, row);
      }
      note_other_machine(experiment);
    }
  }

  void run() {
    for (std::size_t i = 0; i < experiments_.size(); ++i) {
      if (stop_.stop_requested() || !report_.broken_off.empty()) {
        add_not_run(experiments_[i]);
      } else {
        run_suite(i);
      }
    }
    report_.exit_status = static_cast<int>(status());
  }

  // Whether it was written, and what is said about it.
  void update_baseline() {
    if (!is_update_) return;
    if (status() == ExitStatus::unknown || status() == ExitStatus::database_unusable ||
        report_.runs.size() < experiments_.size()) {
      note("no baseline was written: not everything could be measured");
      return;
    }
    if (broken_promises_ > 0 && parsed_.count("even-if-broken") == 0) {
      note(
          "no baseline was written: a strategy that is not what it must be is none; "
          "--even-if-broken writes one all the same");
      return;
    }
    for (std::size_t i = 0; i < experiments_.size(); ++i) {
      const CiExperiment& experiment = experiments_[i];
      if (!experiment.wants_baseline()) continue;
      baseline_.suites[experiment.suite->name][experiment.database_name] =
          baseline_entry(experiment, report_.runs[i].report);
    }
    write_file(baseline_file_, to_baseline_json(baseline_));
    note("baseline written to " + baseline_file_ + "; commit it");
  }

  const CiReport& report() const { return report_; }
  ReportSet report_set() const {
    ReportSet set{.reports = {}, .demands = report_.demands};
    for (const CiReport::Run& run : report_.runs) set.reports.emplace_back(run.report);
    return set;
  }

 private:
  void note(const std::string& text) { report_.notes.push_back(text); }

  void check_baseline_file() {
    report_.notes = config_.notes;
    const bool is_wanted = std::any_of(suites_.begin(), suites_.end(), [](const CiSuite* suite) {
      return suite->wants_baseline();
    });
    if (is_update_ && !is_wanted) {
      throw UsageError("there is nothing to keep in a baseline: no suite has a 'regression'");
    }
    if (!is_wanted) return;
    if (!is_update_) {
      baseline_ = load_baseline(baseline_file_);
    } else if (std::filesystem::exists(baseline_file_) && suites_.size() < config_.suites.size()) {
      baseline_ = load_baseline(baseline_file_);  // the other suites' stay as they are
    }
  }

  // Two databases of one product in one suite are called by their names as well.
  void tell_apart(std::size_t first) {
    std::map<std::string, int> products;
    for (std::size_t i = first; i < experiments_.size(); ++i) ++products[experiments_[i].product];
    for (std::size_t i = first; i < experiments_.size(); ++i) {
      CiExperiment& experiment = experiments_[i];
      if (products[experiment.product] < 2) continue;
      experiment.product += " (" + experiment.database_name + ")";
    }
  }

  void note_other_machine(const CiExperiment& experiment) {
    if (!experiment.wants_baseline()) return;
    const BaselineEntry& entry = *baseline_.find(experiment.suite->name, experiment.database_name);
    if (entry.cpus == 0 || entry.cpus == cpus_here()) return;
    note(
        fmt::format("suite {}: its baseline was measured on {} cpus, here are {}; strategies may "
                    "compare differently on another machine, so measure it where this runs",
                    experiment.suite->name, entry.cpus, cpus_here()));
  }

  RunReport measure(std::size_t number, std::uint64_t seed_offset) {
    const CiExperiment& experiment = experiments_[number];
    ExperimentPlan plan = experiment.plan;
    plan.seed += seed_offset;
    RunReport report = run_experiment(
        plan, *experiment.database,
        {.check = {},
         .quiet = parsed_.count("quiet") != 0,
         .progress_title = fmt::format("suite {} of {}: {} on {}{}", number + 1,
                                       experiments_.size(), printable(experiment.suite->name),
                                       experiment.product, seed_offset > 0 ? ", once more" : "")},
        stop_);
    report.origin.subcommand = "ci";
    report.origin.command = repeatable(
        "ci", {"--config", parsed_["config"].as<std::string>(), "--suite", experiment.suite->name},
        plan.seed);
    report.left_out = experiment.left_out;
    if (!report.broken_off.empty()) report_.broken_off = report.broken_off;
    return report;
  }

  std::vector<CostFinding> costs_of(const CiExperiment& experiment, std::size_t row,
                                    const RunReport& report) const {
    const CiExperiment::Row& planned = experiment.rows[row];
    CostStandard standard{.reference = experiment.reference_of(row)};
    if (planned.reference >= 0) {
      standard.row = &report.rows[static_cast<std::size_t>(planned.reference)];
    }
    if (planned.wants_baseline() && !is_update_) {
      standard.baseline = &baseline_of(baseline_, baseline_file_, experiment, row);
    }
    return judge_costs(experiment.name_of_row(row), planned.rules, report.rows[row], standard,
                       report);
  }

  // What was found, row by row: promises, then costs.
  struct Found {
    std::vector<std::vector<Demand>> promises;
    std::vector<std::vector<CostFinding>> costs;

    bool has_broken_cost() const {
      return std::any_of(costs.begin(), costs.end(), [](const auto& row) {
        return std::any_of(row.begin(), row.end(), [](const CostFinding& one) {
          return one.demand.status == Demand::Status::broken;
        });
      });
    }
  };

  Found judge(const CiExperiment& experiment, const RunReport& report) const {
    Found found;
    for (std::size_t row = 0; row < experiment.rows.size(); ++row) {
      found.promises.emplace_back();
      found.costs.emplace_back();
      if (!experiment.rows[row].is_demanded) continue;
      found.promises.back() = judge_promises(experiment.name_of_row(row),
                                             experiment.rows[row].rules, report.rows[row], report);
      found.costs.back() = costs_of(experiment, row, report);
    }
    return found;
  }

  void run_suite(std::size_t number) {
    const CiExperiment& experiment = experiments_[number];
    RunReport report = measure(number, 0);
    Found found = judge(experiment, report);
    report_.runs.push_back({experiment.suite->name, experiment.database_name, std::move(report)});
    if (found.has_broken_cost() && report_.broken_off.empty() && !stop_.stop_requested()) {
      measure_again(number, found);
    }
    for (std::size_t row = 0; row < experiment.rows.size(); ++row) {
      for (Demand& demand : found.promises[row]) {
        if (demand.status == Demand::Status::broken) ++broken_promises_;
        report_.demands.push_back(std::move(demand));
      }
      for (CostFinding& cost : found.costs[row]) {
        report_.demands.push_back(std::move(cost.demand));
      }
    }
  }

  // A cost that seems to be broken is measured afresh, and is only if that says so, too.
  void measure_again(std::size_t number, Found& found) {
    const RunReport report = measure(number, 1);
    const Found second = judge(experiments_[number], report);
    bool is_news = false;
    for (std::size_t row = 0; row < found.costs.size(); ++row) {
      for (std::size_t i = 0; i < found.costs[row].size(); ++i) {
        CostFinding& first = found.costs[row][i];
        if (first.demand.status != Demand::Status::broken) continue;
        first.demand = confirmed(first, second.costs[row][i]);
      }
      for (std::size_t i = 0; i < found.promises[row].size(); ++i) {
        Demand& first = found.promises[row][i];
        if (second.promises[row][i].status != Demand::Status::broken) continue;
        is_news = is_news || first.status != Demand::Status::broken;
        if (first.status != Demand::Status::broken) first = second.promises[row][i];
      }
    }
    // Its evidence belongs to the report.
    if (is_news) report_.runs.back().report = report;
  }

  void add_not_run(const CiExperiment& experiment) {
    for (std::size_t row = 0; row < experiment.rows.size(); ++row) {
      if (!experiment.rows[row].is_demanded) continue;
      const RowName name = experiment.name_of_row(row);
      report_.demands.push_back({.suite = name.suite,
                                 .row = name.row,
                                 .what = "everything",
                                 .status = Demand::Status::unknown,
                                 .finding = "it was not run"});
    }
  }

  ExitStatus status() const {
    const auto has = [&](Demand::Status status) {
      return std::any_of(report_.demands.begin(), report_.demands.end(),
                         [&](const Demand& demand) { return demand.status == status; });
    };
    if (has(Demand::Status::broken)) return ExitStatus::violated;
    if (!report_.broken_off.empty()) return ExitStatus::database_unusable;
    if (has(Demand::Status::unknown) || stop_.stop_requested()) return ExitStatus::unknown;
    return ExitStatus::as_promised;
  }

  const Parsed& parsed_;
  const CiConfig& config_;
  std::vector<const CiSuite*> suites_;
  bool is_update_;
  std::string baseline_file_;
  Baseline baseline_;
  OpenDatabases databases_;
  std::stop_token stop_;
  std::vector<CiExperiment> experiments_;
  CiReport report_;
  int broken_promises_ = 0;
};

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_report(const Ci& ci, Format format) {
  if (format == Format::json) {
    print(to_json_ci_report(ci.report()));
  } else {
    print(to_text_ci_report(ci.report(), colour_of(stdout)));
  }
  if (format == Format::github) print(to_github_annotations(ci.report_set()));
  if (!ci.report().broken_off.empty()) {
    fmt::print(stderr, "hilsa: broken off: {}\n", ci.report().broken_off);
  }
}

void print_help(const Options& options) {
  fmt::print(
      "usage: hilsa ci [options]\n\nrun the suites of a configuration, and fail when a strategy is "
      "not what it must be or has\nbecome slower than it was\n\n");
  print_options(options);
}

}  // namespace

ExitStatus ci_command(const Arguments& arguments, const std::stop_token& stop) {
  const Options options = ci_options();
  const Parsed parsed = parse_arguments(arguments, options, "", 0);
  if (parsed.count("help") != 0) {
    print_help(options);
    return ExitStatus::as_promised;
  }
  if (parsed.count("example") != 0) {
    print(std::string(ci_example()));
    return ExitStatus::as_promised;
  }
  const Format format = format_from(parsed);
  if (parsed.count("even-if-broken") != 0 && parsed.count("update-baseline") == 0) {
    throw UsageError("--even-if-broken goes with --update-baseline");
  }
  const CiConfig config = load_ci_config(parsed["config"].as<std::string>());
  Ci ci(parsed, config, stop);
  ci.prepare();
  const std::optional<RunFolder> folder = RunFolder::make(parsed, "ci");
  ci.run();
  ci.update_baseline();
  print_report(ci, format);
  if (folder) folder->write(ci.report_set());
  return static_cast<ExitStatus>(ci.report().exit_status);
}

}  // namespace hilsa
