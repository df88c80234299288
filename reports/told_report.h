// One report of a told result.
#pragma once

#include "reports/told_result.h"

namespace hilsa {

ToldReport told(const RunReport& report);
ToldReport told(const ExploreReport& report);

}  // namespace hilsa
