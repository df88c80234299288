// A held seat is paid for at the moment at which the hold runs out.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& holds();

}  // namespace hilsa
