// One suite on one database: which rows are run, which is whose reference, and what the figures
// depend on.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/ci_config.h"
#include "reports/baseline.h"

namespace hilsa {

struct CiExperiment {
  struct Row {
    RowRules rules;
    std::string name;         // `atomic at read committed`
    int reference = -1;       // its index; -1: none is asked for, or it is the reference itself
    bool is_demanded = true;  // false: it is measured for the others' sake alone

    bool wants_baseline() const { return rules.regression.has_value() && reference >= 0; }
  };

  const CiSuite* suite = nullptr;
  std::string database_name;  // in the configuration
  Database* database = nullptr;
  std::string product;  // as rows name it: with the database's name, if the suite has two of it
  ExperimentPlan plan;
  std::vector<Row> rows;                                      // as in the plan
  std::vector<std::pair<std::string, std::string>> left_out;  // RunReport::left_out

  bool wants_baseline() const;
  RowName name_of_row(std::size_t row) const;
  // What the reference is called in a demand about a row.
  std::string reference_of(std::size_t row) const;
  // BaselineEntry::measured_with
  std::map<std::string, std::string> measured_with() const;
};

// Throws UsageError, at the suite's place, where the database has not what a row needs.
CiExperiment plan_experiment(const CiSuite& suite, const std::string& database_name,
                             Database& database);

// --- baselines ---

// Reads it. Throws UsageError with the way out where there is none, or it is damaged.
Baseline load_baseline(const std::string& path);

// What the row is compared with. Throws UsageError with the way out where the baseline has no such
// row, or was made under other circumstances.
const Ratios& baseline_of(const Baseline& baseline, const std::string& path,
                          const CiExperiment& experiment, std::size_t row);

// What measurements come to as a baseline. Throws UsageError where too few rounds have figures.
BaselineEntry baseline_entry(const CiExperiment& experiment,
                             const std::vector<const RunReport*>& reports);

int cpus_here();

}  // namespace hilsa
