// Deadlocks as JSON, for every report that has some.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/deadlock_summary.h"
#include "reports/report_json.h"

namespace hilsa {

// `{"count", "victims_waited_ms": {"p50", "max"}, "survivors_waited_ms", "example": {"waits":
// [...], "server"}}`; each of the waits is for the next one's transaction, the last one's for the
// first's. With everything: also the waits in nanoseconds.
nlohmann::ordered_json to_json(const DeadlockSummary& summary, Detail detail = Detail::summary);

}  // namespace hilsa
