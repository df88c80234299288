// The torn report: a total over accounts is taken while money moves between them.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& report();

}  // namespace hilsa
