// What the figures of a report do not say, in sentences.
#pragma once

#include <string>
#include <vector>

#include "reports/explore_report.h"
#include "reports/run_report.h"

namespace hilsa {

struct Note {
  std::string about;  // a row, or several; empty: the whole report
  std::string what;
};

std::vector<Note> notes_on(const RunReport& report);
std::vector<Note> notes_on(const ExploreReport& report);

}  // namespace hilsa
