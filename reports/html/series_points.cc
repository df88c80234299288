#include "reports/html/series_points.h"

#include <algorithm>
#include <cmath>

namespace hilsa {
namespace {

double ms(Nanoseconds value) { return static_cast<double>(value) / 1e6; }

SeriesPoint point_of(const TimeSeries::Interval& interval, double from_s, double to_s) {
  const double wide = to_s - from_s;
  const Nanoseconds p50 = interval.percentile(50);
  return {.seconds = from_s + wide / 2,
          .done_per_s = static_cast<double>(interval.done) / wide,
          .aborted_per_s = static_cast<double>(interval.aborted) / wide,
          .has_latency = p50 > 0,
          .p50_ms = ms(p50),
          .p99_ms = ms(interval.percentile(99))};
}

}  // namespace

std::vector<SeriesPoint> points_of(const TimeSeries& series, Nanoseconds ran) {
  std::vector<TimeSeries::Interval> intervals = series.intervals();
  std::vector<SeriesPoint> points;
  if (intervals.empty()) return points;
  const double width = static_cast<double>(series.width()) / 1e9;
  const auto begin_of = [width](std::size_t i) { return width * static_cast<double>(i); };
  const double whole = begin_of(intervals.size());
  double end = std::min(static_cast<double>(ran) / 1e9, whole);
  if (end <= begin_of(intervals.size() - 1)) end = whole;  // it ran longer than it says
  const bool short_last = end - begin_of(intervals.size() - 1) < width / 4;
  if (short_last && intervals.size() > 1) {
    intervals[intervals.size() - 2].merge(intervals.back());
    intervals.pop_back();
  }
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const bool last = i + 1 == intervals.size();
    points.push_back(point_of(intervals[i], begin_of(i), last ? end : begin_of(i + 1)));
  }
  return points;
}

std::vector<CurvePoint> curve_of(const Histogram& latency) {
  constexpr double kPointsPerDecade = 16;
  std::vector<CurvePoint> curve;
  if (latency.count() == 0) return curve;
  const auto all = static_cast<double>(latency.count());
  const double steps = std::ceil(std::log10(all) * kPointsPerDecade);
  for (double step = 0; step <= steps; ++step) {
    const double one_in = std::min(std::pow(10, step / kPointsPerDecade), all);
    const double percent = 100 - 100 / one_in;
    curve.push_back({one_in, std::max(ms(latency.percentile(percent)), 1e-3)});
  }
  return curve;
}

}  // namespace hilsa
