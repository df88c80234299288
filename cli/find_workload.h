// Workloads and strategies by the names that people type.
#pragma once

#include <string>

#include "workloads/table/workload.h"

namespace hilsa {

// Both throw UsageError with the nearest name.
const Workload& find_workload(const std::string& name);
const Strategy& find_strategy(const Workload& workload, const std::string& name);

}  // namespace hilsa
