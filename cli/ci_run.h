// One `hilsa ci` from its configuration to what it found: everything is looked at before anything
// runs, suites run one after the other, and what seems to be too slow is measured once more when
// all have had their turn, so that what disturbed the first measurement has had time to pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/ci_config.h"
#include "cli/ci_experiment.h"
#include "cli/connect.h"
#include "cli/exit_status.h"
#include "reports/ci_report.h"

namespace hilsa {

struct CiWishes {
  std::string config_file;
  std::vector<std::string> suites;           // by name; none: all
  std::optional<std::string> baseline_file;  // none: the configuration's
  bool update_baseline = false;
  bool even_if_broken = false;        // a baseline is written also when a promise is
  std::optional<std::uint64_t> seed;  // of every suite; none: its own
  bool quiet = false;
};

class CiRun {
 public:
  // The configuration outlives it. Throws UsageError for suites that there are not.
  CiRun(CiWishes wishes, const CiConfig& config, std::stop_token stop);

  // Reads the baseline and opens the databases. Throws UsageError, DatabaseUnusable, Interrupted.
  void prepare();
  // Runs everything, or what there is time for until a stop is asked for.
  void run();
  // If that was wished for, and what was measured is fit to be one; a note says whether. Throws
  // UsageError when it cannot be written.
  void update_baseline();

  const CiReport& report() const { return report_; }
  ReportSet report_set() const;

 private:
  // Databases that are opened when first needed, and stay open until the end.
  class OpenDatabases {
   public:
    OpenDatabases(const CiConfig& config, std::stop_token stop)
        : config_(config), stop_(std::move(stop)) {}
    Database& at(const std::string& name);
    // One more, of the caller's own.
    OpenDatabase open(const std::string& name) const;

   private:
    const CiConfig& config_;
    std::stop_token stop_;
    std::map<std::string, OpenDatabase> open_;
  };

  // What was found in a measurement, row by row.
  struct Found {
    std::vector<std::vector<Demand>> promises;
    std::vector<std::vector<CostFinding>> costs;
  };
  // What came of an experiment: row by row its promises, and each cost as it was measured.
  struct Done {
    std::vector<std::vector<Demand>> promises;
    std::vector<std::vector<std::vector<CostFinding>>> costs;
    std::vector<RunReport> again;  // the second measurement, the third …
  };

  void note(const std::string& text) { report_.notes.push_back(text); }
  void load_baseline_file();
  void write_baseline();
  void plan(const CiSuite& suite);
  void check_baseline(const CiExperiment& experiment);
  bool may_go_on() const { return !stop_.stop_requested() && report_.broken_off.empty(); }
  RunReport measure(std::size_t number, bool again);
  Found judge(const CiExperiment& experiment, const RunReport& report) const;
  std::vector<CostFinding> costs_of(const CiExperiment& experiment, std::size_t row,
                                    const RunReport& report) const;
  bool needs_more(std::size_t number) const;
  void measure_again(std::size_t number);
  void collect_demands();
  ExitStatus status() const;

  CiWishes wishes_;
  const CiConfig& config_;
  std::vector<const CiSuite*> suites_;
  std::string baseline_file_;
  Baseline baseline_;
  OpenDatabases databases_;
  std::stop_token stop_;
  std::vector<CiExperiment> experiments_;
  std::vector<Done> done_;  // of the first experiments, as in report_.runs
  CiReport report_;
};

}  // namespace hilsa
