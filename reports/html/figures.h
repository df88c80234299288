// Numbers as they are read in a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/history/clock.h"

namespace hilsa {

std::string grouped(std::int64_t number);  // `1,234,567`
std::string grouped(double number);        // rounded
// Nothing for 0: a table of zeros hides the numbers that matter.
std::string count_or_blank(std::int64_t number);
// Three digits that mean something: `0.042`, `1.35`, `18.2`, `240`.
std::string milliseconds_of(Nanoseconds value);
// `1 anomaly`, `12 anomalies`.
std::string counted(std::int64_t number, std::string_view one, std::string_view many);
inline std::string counted(std::size_t number, std::string_view one, std::string_view many) {
  return counted(static_cast<std::int64_t>(number), one, many);
}

}  // namespace hilsa
