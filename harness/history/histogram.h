// Latencies in a log-linear histogram, after Gil Tene's HdrHistogram: each power of two is cut into
// 128 equal steps, so a recorded value is off by less than 1/128 (0.8 %), in O(1) and without
// allocation once the range has been seen. Debian 12 has no library for it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/clock.h"

namespace hilsa {

class Histogram {
 public:
  // Negative values count as 0. Not thread-safe: one histogram a client, merged afterwards.
  void record(Nanoseconds value, std::uint64_t times = 1);
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  // The exact largest value recorded; 0 when empty.
  Nanoseconds max() const { return max_; }
  // The value at or below which `percent` (0 … 100) of the recorded values lie, as the upper end of
  // its step and never above max(); 0 when empty.
  Nanoseconds percentile(double percent) const;

  // Every step that has been used, with its upper end (at most max()) and how often. record() of
  // all of them makes the same histogram again.
  struct Step {
    Nanoseconds value = 0;
    std::uint64_t times = 0;
  };
  std::vector<Step> steps() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  Nanoseconds max_ = 0;
};

}  // namespace hilsa
