// The checkout race (docs/workloads.md).
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& oversell();

}  // namespace hilsa
