// Whether a stream shows colour.
#pragma once

#include <cstdio>

#include "reports/colour.h"

namespace hilsa {

// Only a terminal that is not `dumb`, and not where NO_COLOR is set (https://no-color.org).
Colour colour_of(std::FILE* stream);

}  // namespace hilsa
