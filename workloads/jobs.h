// The job queue in a table: many workers look for the next job, and each must be done exactly once.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& jobs();

}  // namespace hilsa
