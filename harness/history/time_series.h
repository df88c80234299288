// How a run went over time: tasks and attempts by their end, in a bounded number of equal
// intervals, which double whenever the run outgrows them. O(1) a task.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/clock.h"

namespace hilsa {

class TimeSeries {
 public:
  // Latencies in steps of a quarter of a power of two: good enough to see a shape (19 %), and small
  // enough for a thousand clients.
  struct Interval {
    std::int64_t done = 0;                 // tasks
    std::int64_t others = 0;               // tasks that ended otherwise
    std::int64_t aborted = 0;              // attempts that an error or a version conflict ended
    std::vector<std::uint32_t> latencies;  // by step, of tasks done or refused

    // As Histogram::percentile; 0 when empty.
    Nanoseconds percentile(double percent) const;
    void merge(const Interval& other);
  };

  static constexpr std::size_t kIntervalsMax = 120;
  static constexpr Nanoseconds kNarrowest = 50'000'000;

  TimeSeries() = default;
  // One that was kept elsewhere; `width` at least 1.
  TimeSeries(Nanoseconds width, std::vector<Interval> intervals);

  // `at`: since the series began; negative counts as 0. One thread.
  void add_done(Nanoseconds at, Nanoseconds latency);
  void add_refused(Nanoseconds at, Nanoseconds latency);
  void add_other_end(Nanoseconds at);
  void add_aborted(Nanoseconds at);

  // What another client saw in the same time, `later` after this series began.
  void merge(const TimeSeries& other, Nanoseconds later);

  Nanoseconds width() const { return width_; }
  // Without empty ones at the end.
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  Interval& at(Nanoseconds when);
  void widen();

  Nanoseconds width_ = kNarrowest;
  std::vector<Interval> intervals_;
};

}  // namespace hilsa
