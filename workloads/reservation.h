// The reservation that expires: a payment comes in at the moment at which the order is cancelled.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& reservation();

}  // namespace hilsa
