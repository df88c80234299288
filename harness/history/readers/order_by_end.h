// Puts a history's transactions into the order of their ends, as a History promises.
#pragma once

#include "harness/history/history.h"

namespace hilsa {

// Those that end at one time stay as they were. O(n log n) for n transactions; the history needs
// times.
void order_by_end(History& history);

}  // namespace hilsa
