#include "harness/history/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hilsa {
namespace {

// Values below 2 * kSteps have a bucket each; above, each octave has kSteps buckets.
constexpr int kStepBits = 7;
constexpr std::uint64_t kSteps = 1U << kStepBits;

std::size_t bucket_of(std::uint64_t value) {
  if (value < 2 * kSteps) return value;
  const int shift = static_cast<int>(std::bit_width(value)) - (kStepBits + 1);
  return (static_cast<std::size_t>(shift) << kStepBits) + (value >> shift);
}

std::uint64_t upper_end_of(std::size_t bucket) {
  if (bucket < 2 * kSteps) return bucket;
  const std::size_t shift = (bucket >> kStepBits) - 1;
  const std::uint64_t top = (bucket & (kSteps - 1)) + kSteps;
  return ((top + 1) << shift) - 1;
}

}  // namespace

void Histogram::record(Nanoseconds value, std::uint64_t times) {
  value = std::max<Nanoseconds>(value, 0);
  const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value));
  if (bucket >= counts_.size()) counts_.resize(bucket + kSteps);
  counts_[bucket] += times;
  count_ += times;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

Nanoseconds Histogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(percent / 100.0 * static_cast<double>(count_));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return std::min(static_cast<Nanoseconds>(upper_end_of(bucket)), max_);
  }
  return max_;
}

std::vector<Histogram::Step> Histogram::steps() const {
  std::vector<Step> steps;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    if (counts_[bucket] == 0) continue;
    const auto end = static_cast<Nanoseconds>(upper_end_of(bucket));
    steps.push_back({std::min(end, max_), counts_[bucket]});
  }
  return steps;
}

}  // namespace hilsa
