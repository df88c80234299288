// The slow call: what a payment gateway inside a transaction does to everybody else.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& gateway();

}  // namespace hilsa
