// What is said about a row in every report besides its figures, a sentence each, without the row's
// name in front.
#pragma once

#include <string>
#include <vector>

#include "reports/explore_report.h"
#include "reports/run_report.h"

namespace hilsa {

// `atomic at read committed`
std::string name_of(const ReportRow& row);
std::string name_of(const ExploreRow& row);

// What broke first, what failed and why, what differs from the promise.
std::vector<std::string> notes_on(const ReportRow& row);
// `lost update (P4) x9, write skew (G2-item) x2; levels that hold: read committed`
std::vector<std::string> notes_on_history(const ReportRow& row);
std::vector<std::string> notes_on(const ExploreRow& row);

// `P4 x9, G2-item x2, +3`: the most telling one, a second one if that is short, and how many
// further classes there are.
std::string anomalies_in_short(const HistoryCheck& check);

// `oversold in 4, stock below 0 in 1`: in trials.
std::string violations_in_short(const ReportRow& row);

// `oversold x34, refused x2`
std::string listed(const std::map<std::string, double>& numbers);

// Three digits that mean something: 0.042, 1.35, 18.2, 240.
std::string three_digits_ms(Nanoseconds value);

}  // namespace hilsa
