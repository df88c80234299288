// Two buyers book the same seat.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& seats();

}  // namespace hilsa
