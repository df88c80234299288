// What `hilsa ci` demands of a row, and what it finds. Knows rows and figures only; who measures
// them, and when once more, is not decided here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkers/verdict.h"
#include "reports/cost.h"
#include "reports/report_set.h"

namespace hilsa {

enum class Must { as_promised, safe, unsafe };

struct RowRules {
  Must must = Must::as_promised;
  std::optional<LevelForm> level;  // that its history must satisfy at least
  std::vector<CostLimit> limits;   // at most one of each figure
  double confidence = 0.99;        // at which a limit counts as broken
  std::optional<RegressionRule> regression;

  bool weighs_cost() const { return !limits.empty() || regression.has_value(); }
};

// Which row a demand is about.
struct RowName {
  std::string suite;
  std::string row;  // `atomic at read committed on postgresql`
};

// Whether it was what it must be. In a report that was stopped or broken off, what was not seen to
// be broken is unknown.
std::vector<Demand> judge_promises(const RowName& name, const RowRules& rules, const ReportRow& row,
                                   const RunReport& report);

// What one measurement says of a cost: broken if it is sure of that.
struct CostFinding {
  Demand demand;
  std::string briefly;     // `0.71 (0.66 to 0.76)`; empty: it could not be weighed
  bool is_beyond = false;  // its middle is beyond the limit or the tolerance, sure or not
};

// What costs are measured against.
struct CostStandard {
  std::string reference;             // the strategy's name
  const ReportRow* row = nullptr;    // its row, of the same run; null: the row is the reference
  const Ratios* baseline = nullptr;  // null: there is none to compare with
};

// `report` is the one that holds both rows.
std::vector<CostFinding> judge_costs(const RowName& name, const RowRules& rules,
                                     const ReportRow& row, const CostStandard& standard,
                                     const RunReport& report);

// One measurement fails nobody: a cost is broken when two of them, each alone, are sure of it.
// There is another one while the last was beyond what is allowed, sure or not, and at most this
// many.
inline constexpr std::size_t kMeasurementsMax = 4;
bool needs_another(std::span<const CostFinding> measurements);
// What measurements of one cost come to; at least one.
Demand settled(std::span<const CostFinding> measurements);

}  // namespace hilsa
