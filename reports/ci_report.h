// What `hilsa ci` has to say, for a terminal and for other programs.
#pragma once

#include <string>
#include <vector>

#include "reports/colour.h"
#include "reports/report_set.h"

namespace hilsa {

struct CiReport {
  // One suite on one database, measured once.
  struct Run {
    std::string suite;
    std::string database;  // its name in the configuration
    RunReport report;
  };
  std::vector<Run> runs;
  std::vector<Demand> demands;
  std::string broken_off;  // why not everything was run; empty: it was
  std::vector<std::string> notes;
  int exit_status = 0;
};

// A table, what is broken first; then every finding that is not simply fine. Ends with a newline.
std::string to_text_ci_report(const CiReport& report, Colour colour = Colour::none);

// {"suites": [...], "demands": [...], "notes": [...], "exit"}, indented; ends with a newline.
std::string to_json_ci_report(const CiReport& report);

}  // namespace hilsa
