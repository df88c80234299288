// Reports back from a run directory's result.json. What is read holds together as far as reports
// rely on it: lanes, places and clients are there that others mention, and rows are alike.
#pragma once

#include "reports/explore_report.h"
#include "reports/json_field.h"
#include "reports/run_report.h"

namespace hilsa {

// Throw ResultUnreadable. Other fields than these are for later versions and are passed over.
void read(const JsonField& json, RunReport& to);
void read(const JsonField& json, ExploreReport& to);

void read(const JsonField& json, Origin& to);
void read(const JsonField& json, ShownAnomaly& to);
void read(const JsonField& json, DeadlockSummary& to);
void read(const JsonField& json, Histogram& to);
void read(const JsonField& json, TimeSeries& to);
void read(const JsonField& json, std::chrono::nanoseconds& to);
// `[{"strategy", "needs"}, …]`
void read(const JsonField& json, std::vector<std::pair<std::string, std::string>>& to);

}  // namespace hilsa
