// Histories with an anomaly each and its evidence, made by hand: what explanations are tested on.
#pragma once

#include <span>
#include <string_view>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa::tests {

struct Told {
  History history;
  Anomaly anomaly;  // with one piece of evidence
};

struct ToldCase {
  std::string_view name;  // of its golden file, without `.txt`
  Told (*make)();
};
std::span<const ToldCase> told_cases();

}  // namespace hilsa::tests
