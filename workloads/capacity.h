// More tickets than places.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& capacity();

}  // namespace hilsa
