// The on-call rota: two doctors go home at the same moment, each sure that the other stays.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

const Workload& doctors();

}  // namespace hilsa
