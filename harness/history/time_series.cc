#include "harness/history/time_series.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace hilsa {
namespace {

// Each power of two in this many steps.
constexpr int kStepBits = 2;
constexpr std::uint64_t kSteps = 1U << kStepBits;

std::size_t step_of(Nanoseconds latency) {
  const auto value = static_cast<std::uint64_t>(std::max<Nanoseconds>(latency, 0));
  if (value < 2 * kSteps) return value;
  const int shift = static_cast<int>(std::bit_width(value)) - (kStepBits + 1);
  return (static_cast<std::size_t>(shift) << kStepBits) + (value >> shift);
}

Nanoseconds upper_end_of(std::size_t step) {
  if (step < 2 * kSteps) return static_cast<Nanoseconds>(step);
  const std::size_t shift = (step >> kStepBits) - 1;
  const std::uint64_t top = (step & (kSteps - 1)) + kSteps;
  return static_cast<Nanoseconds>(((top + 1) << shift) - 1);
}

void add_latency(TimeSeries::Interval& interval, Nanoseconds latency) {
  const std::size_t step = step_of(latency);
  if (step >= interval.latencies.size()) interval.latencies.resize(step + 1);
  ++interval.latencies[step];
}

}  // namespace

Nanoseconds TimeSeries::Interval::percentile(double percent) const {
  std::uint64_t all = 0;
  for (const std::uint32_t number : latencies) all += number;
  if (all == 0) return 0;
  const double wanted = std::ceil(percent / 100.0 * static_cast<double>(all));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, all);
  std::uint64_t seen = 0;
  for (std::size_t step = 0; step < latencies.size(); ++step) {
    seen += latencies[step];
    if (seen >= rank) return upper_end_of(step);
  }
  return 0;
}

void TimeSeries::Interval::merge(const Interval& other) {
  done += other.done;
  others += other.others;
  aborted += other.aborted;
  if (other.latencies.size() > latencies.size()) latencies.resize(other.latencies.size());
  for (std::size_t i = 0; i < other.latencies.size(); ++i) latencies[i] += other.latencies[i];
}

TimeSeries::TimeSeries(Nanoseconds width, std::vector<Interval> intervals)
    : width_(std::max<Nanoseconds>(width, 1)), intervals_(std::move(intervals)) {
  while (intervals_.size() > kIntervalsMax) widen();
}

void TimeSeries::add_done(Nanoseconds when, Nanoseconds latency) {
  Interval& interval = at(when);
  ++interval.done;
  add_latency(interval, latency);
}

void TimeSeries::add_refused(Nanoseconds when, Nanoseconds latency) {
  Interval& interval = at(when);
  ++interval.others;
  add_latency(interval, latency);
}

void TimeSeries::add_other_end(Nanoseconds when) { ++at(when).others; }
void TimeSeries::add_aborted(Nanoseconds when) { ++at(when).aborted; }

void TimeSeries::merge(const TimeSeries& other, Nanoseconds later) {
  while (width_ < other.width_) widen();
  // When in its interval something was is not known any more: it counts where the middle lies.
  for (std::size_t i = 0; i < other.intervals_.size(); ++i) {
    const Nanoseconds middle = static_cast<Nanoseconds>(i) * other.width_ + other.width_ / 2;
    at(later + middle).merge(other.intervals_[i]);
  }
}

TimeSeries::Interval& TimeSeries::at(Nanoseconds when) {
  when = std::max<Nanoseconds>(when, 0);
  while (when / width_ >= static_cast<Nanoseconds>(kIntervalsMax)) widen();
  const auto place = static_cast<std::size_t>(when / width_);
  if (place >= intervals_.size()) intervals_.resize(place + 1);
  return intervals_[place];
}

void TimeSeries::widen() {
  std::vector<Interval> wider((intervals_.size() + 1) / 2);
  for (std::size_t i = 0; i < intervals_.size(); ++i) wider[i / 2].merge(intervals_[i]);
  intervals_ = std::move(wider);
  width_ *= 2;
}

}  // namespace hilsa
