// What is kept of a command in its run directory, and what all reports are made of.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/explore_report.h"
#include "reports/run_report.h"

namespace hilsa {

// What `hilsa ci` demanded of one row, and whether it was so.
struct Demand {
  enum class Status { kept, broken, unknown };
  std::string suite;  // its name in the configuration
  std::string row;    // `atomic at read committed on postgresql`
  std::string what;   // `must be safe`, `throughput relative to for-update`
  Status status = Status::unknown;
  // What was found, by how much, and how sure that is: a sentence without a full stop.
  std::string finding;
};
std::string_view name_of(Demand::Status status);  // kept, broken, unknown

using Report = std::variant<RunReport, ExploreReport>;

struct ReportSet {
  std::vector<Report> reports;  // one; or a suite's; or several runs'
  std::vector<Demand> demands;  // of `hilsa ci`

  // Whether something is wrong that was not promised away: what a reader must see first.
  bool is_bad() const;
};

// The run directory's `result.json` (docs/result-format.md); ends with a newline.
std::string to_result_json(const ReportSet& result);
// The same back: renders to the same reports. Throws ResultUnreadable for what is no such file, is
// damaged, or of another version.
struct ResultUnreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};
ReportSet from_result_json(std::string_view json);

// For a job summary: at most a mebibyte.
std::string to_markdown_report(const ReportSet& result);
std::string to_junit_report(const ReportSet& result);
// Workflow commands, one a line: what is wrong, at most ten.
std::string to_github_annotations(const ReportSet& result);

}  // namespace hilsa
