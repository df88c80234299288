// `hilsa-baseline.json`: what strategies cost, relative to a reference, when somebody last said
// that it was right. It is meant to be committed: keys have a fixed order, and the figures of a row
// stand on one line each. It holds ratios alone, round by round, and what they depend on.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reports/cost.h"

namespace hilsa {

// One suite on one database.
struct BaselineEntry {
  // What the ratios depend on, by name, in words: `clients` `8`. Other ones: another baseline.
  std::map<std::string, std::string> measured_with;
  int cpus = 0;                        // of the machine that measured it; 0: not known
  std::map<std::string, Ratios> rows;  // by row: `atomic at read committed`
};

// What a baseline cannot be used for, in words: empty, or `clients was 8 and is 16`.
std::string difference(const std::map<std::string, std::string>& was,
                       const std::map<std::string, std::string>& is);

struct Baseline {
  // suite → database, by their names in the configuration.
  std::map<std::string, std::map<std::string, BaselineEntry>> suites;

  const BaselineEntry* find(const std::string& suite, const std::string& database) const;
};

// Ends with a newline.
std::string to_baseline_json(const Baseline& baseline);

// Throws BaselineUnreadable, with a message that says what is wrong and where in the file.
struct BaselineUnreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};
Baseline from_baseline_json(std::string_view json);

}  // namespace hilsa
