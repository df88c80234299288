// The double withdrawal: two payments out of one account that has the money for one.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& wallet();

}  // namespace hilsa
