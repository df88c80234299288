// A sleep that a stop ends at once: think time, back-off, pacing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "harness/history/client_schedule.h"

namespace hilsa {

// Sleeps for `length` of the client's time, or until a stop is asked for. Returns at once when
// `length` is not above 0.
inline void pause_for(std::chrono::nanoseconds length, const std::stop_token& stop) {
  if (length.count() <= 0) return;
  if (ClientSchedule* const schedule = ClientSchedule::of_this_thread()) {
    if (!stop.stop_requested()) schedule->pause(length.count());
    return;
  }
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, length, [] { return false; });
}

}  // namespace hilsa
