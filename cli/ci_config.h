// What `hilsa ci` is told to do: the file `hilsa.yaml` (docs/ci.md), checked to the last word
// before anything runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/run/experiment.h"
#include "reports/demands.h"

namespace hilsa {

// Unless the file says otherwise.
inline constexpr int kCiRounds = 40;
inline constexpr const char* kCiConfigFile = "hilsa.yaml";
inline constexpr const char* kCiBaselineFile = "hilsa-baseline.json";

struct CiSuite {
  struct Row {
    const Strategy* strategy = nullptr;
    RowRules rules;
  };

  std::string name;
  std::string place;                   // where it stands: `hilsa.yaml:12:5`
  std::vector<std::string> databases;  // by name; at least one
  ExperimentPlan plan;                 // without rows
  // As listed; empty: every strategy that a database has, by `rules`.
  std::vector<Row> rows;
  RowRules rules;
  const Strategy* reference = nullptr;  // null where no cost is weighed
  std::vector<Isolation> levels;        // empty: the database's own

  // Whether any of its rows is compared with a baseline.
  bool wants_baseline() const;
};

struct CiConfig {
  struct Address {
    std::string url;
    std::string place;
  };

  std::map<std::string, Address> databases;  // by name
  std::vector<CiSuite> suites;               // at least one
  std::string baseline_file;                 // as the file says; beside it, unless absolute
  std::vector<std::string> notes;            // what would be better otherwise
};

// Throws UsageError, `hilsa.yaml:3:7: what is wrong`, for the first mistake.
CiConfig load_ci_config(const std::string& path);

// A configuration to start from.
std::string_view ci_example();

}  // namespace hilsa
