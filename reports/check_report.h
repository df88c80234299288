// What `hilsa check` found, as text and as JSON: a verdict and the history that it is about.
// Whatever comes from a file is made printable on its way into a text.
#pragma once

#include <string>
#include <vector>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

// An anomaly in the order in which to tell them: the most specific first, so that what follows from
// it is told after it.
std::vector<const Anomaly*> in_telling_order(const Verdict& verdict);

// The told anomaly (its place in the list) that has evidence with the same transactions; -1: none.
int told_before(const std::vector<const Anomaly*>& anomalies, std::size_t anomaly,
                const Evidence& evidence);

// `lost update (P4)`
std::string called(const Anomaly& anomaly);

// Names of the strongest levels that hold.
std::vector<std::string> level_names(const Verdict& verdict);

// The weakest levels that do not hold: every other one that fails is stronger than one of these.
std::vector<LevelResult> weakest_failing(const Verdict& verdict);

// For a terminal, at most 120 columns wide; ends with a newline. Deadlocks are told as well.
std::string to_text_report(const History& history, const Verdict& verdict);

// DESIGN §8's object for `check`, indented; ends with a newline.
std::string to_json_report(const History& history, const Verdict& verdict);

}  // namespace hilsa
