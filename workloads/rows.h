// Random transactions over a few rows: the hunt for anomalies in a database itself.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& rows_workload();

}  // namespace hilsa
