// Time in a run: nanoseconds of the monotonic clock. Only differences mean anything.
#pragma once

#include <chrono>
#include <cstdint>

namespace hilsa {

using Nanoseconds = std::int64_t;

inline Nanoseconds now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace hilsa
