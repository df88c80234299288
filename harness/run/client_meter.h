// What one client has done so far: for a line that shows progress while it runs, and, when it has
// ended, how that went over time.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/history/attempt.h"
#include "harness/history/time_series.h"

namespace hilsa {

// Written by its client's thread alone. Counts may be read by any thread at any time; the series
// when the client has ended. Aligned, so that no two clients share a cache line.
class alignas(64) ClientMeter {
 public:
  // The series begins now.
  void start() { begin_ns_ = now_ns(); }
  void add_task(TaskEnd end, Nanoseconds latency) {
    const Nanoseconds at = now_ns() - begin_ns_;
    if (end == TaskEnd::done) {
      count(done_);
      series_.add_done(at, latency);
    } else if (end == TaskEnd::refused) {
      series_.add_refused(at, latency);
    } else {
      series_.add_other_end(at);
    }
  }
  void add_aborted_attempt() {
    count(aborted_);
    series_.add_aborted(now_ns() - begin_ns_);
  }

  std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::int64_t aborted() const { return aborted_.load(std::memory_order_relaxed); }
  const TimeSeries& series() const { return series_; }

 private:
  // One writer: no read-modify-write is needed.
  static void count(std::atomic<std::int64_t>& number) {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> aborted_{0};
  Nanoseconds begin_ns_ = 0;
  TimeSeries series_;
};

}  // namespace hilsa
