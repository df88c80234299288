// One request that is sent several times.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& idempotency();

}  // namespace hilsa
