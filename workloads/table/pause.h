// A sleep that a stop ends at once: think time, back-off, pacing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace hilsa {

// Sleeps for `length`, or until a stop is asked for. Returns at once when `length` is not above 0.
inline void pause_for(std::chrono::nanoseconds length, const std::stop_token& stop) {
  if (length.count() <= 0) return;
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, length, [] { return false; });
}

}  // namespace hilsa
