// Time in a run: nanoseconds of the monotonic clock, or of the schedule that the thread's client
// lives by (ClientSchedule). Only differences mean anything.
#pragma once

#include <chrono>
#include <cstdint>

namespace hilsa {

using Nanoseconds = std::int64_t;

// What runs are recorded and timed by.
Nanoseconds now_ns();

// Always the machine's.
inline Nanoseconds monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace hilsa
