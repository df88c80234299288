// Chart.js, as it was found when this program was built (CMakeLists.txt writes the source of it).
#pragma once

#include <string_view>

namespace hilsa {

extern const std::string_view kChartLibrary;

}  // namespace hilsa
