#include "cli/ci_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "checkers/printable.h"
#include "cli/nearest.h"
#include "cli/whole_file.h"
#include "harness/database/usage_error.h"
#include "harness/run/trial.h"

namespace hilsa {
namespace {

constexpr const char* kWayOut = "run 'hilsa ci --update-baseline' on an unchanged checkout";

// 15 of PostgreSQL 15.18, 10.11 of MariaDB 10.11.19.
std::string major_version(Product product, const std::string& version) {
  const std::size_t first = version.find_first_not_of("0123456789");
  const bool two_parts = product == Product::mysql || product == Product::mariadb;
  if (!two_parts || first == std::string::npos) return version.substr(0, first);
  return version.substr(0, version.find_first_not_of("0123456789", first + 1));
}

std::string milliseconds(std::chrono::nanoseconds time) {
  return fmt::format("{:.6g} ms", static_cast<double>(time.count()) / 1e6);
}

[[noreturn]] void fail(const CiSuite& suite, const std::string& what) {
  throw UsageError(suite.place + ": suite " + shown(suite.name) + ": " + what);
}

void add_rows(CiExperiment& experiment, const CiSuite::Row& row, bool is_demanded) {
  const CiSuite& suite = *experiment.suite;
  const Traits& traits = experiment.database->traits();
  const Strategy& strategy = *row.strategy;
  if (strategy.needs && !traits.has(*strategy.needs)) {
    fail(suite, fmt::format("'{}' is not available on {}: it needs {}", strategy.name,
                            title_of(traits.product), name_of(*strategy.needs)));
  }
  const bool keeps_own = strategy.isolation || !strategy.one_transaction;
  std::vector<std::optional<Isolation>> levels(suite.levels.begin(), suite.levels.end());
  if (levels.empty() || keeps_own) levels = {std::nullopt};
  for (const std::optional<Isolation> level : levels) {
    if (level && !offers(traits.product, *level)) {
      fail(suite, fmt::format("{} has no isolation level '{}'; it has {}", title_of(traits.product),
                              name_of(*level), level_names_of(traits.product)));
    }
    experiment.plan.rows.push_back({&strategy, level, ""});
    const Isolation in_effect = isolation_in_effect(traits, level ? level : strategy.isolation);
    experiment.rows.push_back({.rules = row.rules,
                               .name = fmt::format("{} at {}", strategy.name, name_of(in_effect)),
                               .is_demanded = is_demanded});
  }
}

// The reference's row at the same level, or else its first one.
void point_at_references(CiExperiment& experiment) {
  const auto& plans = experiment.plan.rows;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].strategy == experiment.suite->reference) continue;
    for (std::size_t j = 0; j < plans.size(); ++j) {
      if (plans[j].strategy != experiment.suite->reference) continue;
      int& reference = experiment.rows[i].reference;
      if (reference < 0 || plans[j].isolation == plans[i].isolation) {
        reference = static_cast<int>(j);
      }
    }
  }
}

// A baseline of too few rounds would be found out only by the next run.
void check_enough(const CiExperiment& experiment, const CiExperiment::Row& row,
                  const Ratios& ratios) {
  const RegressionRule& rule = *row.rules.regression;
  for (const Figure figure : rule.figures) {
    const std::size_t rounds = ratios.at(figure).size();
    if (rounds >= rounds_needed_for_regression(rule.confidence)) continue;
    throw UsageError(fmt::format(
        "no baseline was written: suite {}: only {} rounds of {} have a {} to compare; a longer "
        "'duration' makes more of them have one",
        shown(experiment.suite->name), rounds, row.name, name_of(figure)));
  }
}

std::vector<CiSuite::Row> every_strategy(CiExperiment& experiment) {
  std::vector<CiSuite::Row> rows;
  for (const Strategy& strategy : experiment.plan.workload->strategies) {
    if (!strategy.needs || experiment.database->traits().has(*strategy.needs)) {
      rows.push_back({&strategy, experiment.suite->rules});
    } else {
      experiment.left_out.emplace_back(strategy.name, name_of(*strategy.needs));
    }
  }
  return rows;
}

}  // namespace

bool CiExperiment::wants_baseline() const {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.wants_baseline(); });
}

RowName CiExperiment::name_of_row(std::size_t row) const {
  return {suite->name, rows[row].name + " on " + product};
}

std::string CiExperiment::reference_of(std::size_t row) const {
  if (suite->reference == nullptr || rows[row].reference < 0) return "";
  if (suite->levels.size() < 2) return std::string(suite->reference->name);
  return rows[static_cast<std::size_t>(rows[row].reference)].name;
}

std::map<std::string, std::string> CiExperiment::measured_with() const {
  const std::string version = major_version(database->product(), database->traits().version);
  std::map<std::string, std::string> with = {
      {"workload", std::string(plan.workload->name)},
      {"database", fmt::format("{} {}", title_of(database->product()), version)},
      {"reference", std::string(suite->reference->name)},
      {"clients", std::to_string(plan.clients)},
      {"pool", std::to_string(plan.pool)},
      {"think", milliseconds(plan.think)},
      {"max-attempts", std::to_string(plan.retry.max_attempts)}};
  if (plan.duration) with["time per round"] = milliseconds(*plan.duration / plan.trials);
  if (plan.tasks) with["tasks per round"] = std::to_string(*plan.tasks / plan.trials);
  if (plan.rate) with["rate"] = fmt::format("{}", *plan.rate);
  for (const auto& [option, value] : plan.options) {
    with["option " + std::string(option)] = std::to_string(value);
  }
  return with;
}

CiExperiment plan_experiment(const CiSuite& suite, const std::string& database_name,
                             Database& database) {
  CiExperiment experiment{.suite = &suite,
                          .database_name = database_name,
                          .database = &database,
                          .product = std::string(name_of(database.product())),
                          .plan = suite.plan};
  const std::vector<CiSuite::Row> demanded =
      suite.rows.empty() ? every_strategy(experiment) : suite.rows;
  bool has_reference = suite.reference == nullptr;
  for (const CiSuite::Row& row : demanded) {
    add_rows(experiment, row, true);
    has_reference = has_reference || row.strategy == suite.reference;
  }
  if (!has_reference) add_rows(experiment, {.strategy = suite.reference, .rules = {}}, false);
  point_at_references(experiment);
  return experiment;
}

Baseline load_baseline(const std::string& path) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) {
    throw UsageError(
        fmt::format("there is no baseline {}; {} and commit it", shown(path), kWayOut));
  }
  try {
    return from_baseline_json(read_file(path));
  } catch (const BaselineUnreadable& error) {
    throw UsageError(
        fmt::format("the baseline {} cannot be used: {}; {} and commit it, or take the "
                    "last good one from version control",
                    shown(path), error.what(), kWayOut));
  }
}

const Ratios& baseline_of(const Baseline& baseline, const std::string& path,
                          const CiExperiment& experiment, std::size_t row) {
  const auto unusable = [&](const std::string& why) {
    throw UsageError(fmt::format(
        "the baseline {} cannot be used for suite {} on {}: {}; {} and "
        "commit it",
        shown(path), shown(experiment.suite->name), experiment.database_name, why, kWayOut));
  };
  const BaselineEntry* const entry =
      baseline.find(experiment.suite->name, experiment.database_name);
  if (entry == nullptr) unusable("it does not hold this suite on this database");
  const std::string other = difference(entry->measured_with, experiment.measured_with());
  if (!other.empty()) unusable("it was measured under other circumstances: " + other);
  const auto found = entry->rows.find(experiment.rows[row].name);
  if (found == entry->rows.end()) unusable("it does not hold " + experiment.rows[row].name);
  const RegressionRule& rule = *experiment.rows[row].rules.regression;
  for (const Figure figure : rule.figures) {
    const auto ratios = found->second.find(figure);
    if (ratios == found->second.end()) {
      unusable(fmt::format("{} has no {} in it", found->first, name_of(figure)));
    }
    const std::size_t needed = rounds_needed_for_regression(rule.confidence, ratios->second.size());
    if (static_cast<std::size_t>(experiment.plan.trials) < needed) {
      unusable(fmt::format("its {} rounds of {} are too few for that confidence",
                           ratios->second.size(), found->first));
    }
  }
  return found->second;
}

BaselineEntry baseline_entry(const CiExperiment& experiment,
                             const std::vector<const RunReport*>& reports) {
  BaselineEntry entry{.measured_with = experiment.measured_with(), .cpus = cpus_here(), .rows = {}};
  for (std::size_t i = 0; i < experiment.rows.size(); ++i) {
    const CiExperiment::Row& row = experiment.rows[i];
    if (!row.wants_baseline()) continue;
    Ratios& ratios = entry.rows[row.name];
    for (const RunReport* const report : reports) {
      const auto& reference = report->rows[static_cast<std::size_t>(row.reference)];
      for (const auto& [figure, figures] :
           all_relative_figures(report->rows[i].rounds, reference.rounds)) {
        // Rounds in which nothing was done say nothing of what it costs.
        std::copy_if(figures.begin(), figures.end(), std::back_inserter(ratios[figure]),
                     [](double one) { return one > 0; });
      }
    }
    check_enough(experiment, row, ratios);
    std::erase_if(ratios, [](const auto& one) { return one.second.empty(); });
  }
  return entry;
}

int cpus_here() { return static_cast<int>(std::thread::hardware_concurrency()); }

}  // namespace hilsa
