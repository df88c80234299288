// The checkout race: buyers order the last pieces of a product at the same moment.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& oversell();

}  // namespace hilsa
