// Carts with several products each: two that take the same products in opposite orders wait for
// each other.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& carts();

}  // namespace hilsa
