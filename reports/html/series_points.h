// A time series as the points of lines: rates and percentiles, each at its interval's middle.
#pragma once

#include <vector>

#include "harness/history/histogram.h"
#include "harness/history/time_series.h"

namespace hilsa {

struct SeriesPoint {
  double seconds = 0;  // the middle of its interval
  double done_per_s = 0;
  double aborted_per_s = 0;
  bool has_latency = false;
  double p50_ms = 0;
  double p99_ms = 0;
};

// `ran`: how long altogether. The last interval counts with that part of it that ran; less than a
// quarter of one is added to the one before it, since a rate over almost nothing means nothing.
std::vector<SeriesPoint> points_of(const TimeSeries& series, Nanoseconds ran);

// A latency and, of all tasks, one over the share that took longer: 100 at the 99th percentile.
struct CurvePoint {
  double one_in = 1;
  double ms = 0;
};
// As far as there are tasks to tell: the last point is the longest of them.
std::vector<CurvePoint> curve_of(const Histogram& latency);

}  // namespace hilsa
