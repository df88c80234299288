// What draws the charts of a page from its data.
#pragma once

#include "reports/html/html_writer.h"

namespace hilsa {

extern const Literal kChartScript;

}  // namespace hilsa
