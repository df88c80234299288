// Money from one account to another: two rows that must change together, in an order.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& transfer();

}  // namespace hilsa
