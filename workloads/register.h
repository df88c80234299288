// Elle's rw-register: transactions read registers and write values that nobody else writes.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& register_workload();

}  // namespace hilsa
