// Elle's list-append: transactions read lists and append elements to them.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& append_workload();

}  // namespace hilsa
