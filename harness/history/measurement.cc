#include "harness/history/measurement.h"

#include <numeric>

namespace hilsa {

void Tally::add(const Error& error) {
  const auto kind = static_cast<std::size_t>(error.kind);
  if (errors[kind]++ == 0) error_texts[kind] = to_text(error);
}

void Tally::merge(const Tally& other) {
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += other.ends[i];
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == 0) error_texts[i] = other.error_texts[i];
    errors[i] += other.errors[i];
  }
  attempts += other.attempts;
  committed += other.committed;
  conflicts += other.conflicts;
  retries += other.retries;
  latency.merge(other.latency);
  acknowledged.insert(acknowledged.end(), other.acknowledged.begin(), other.acknowledged.end());
  refused.insert(refused.end(), other.refused.begin(), other.refused.end());
  in_doubt.insert(in_doubt.end(), other.in_doubt.begin(), other.in_doubt.end());
}

double Round::throughput_per_s() const {
  if (running.count() == 0) return 0;
  return static_cast<double>(done) / (static_cast<double>(running.count()) / 1e9);
}

std::int64_t Tally::tasks() const {
  return std::accumulate(ends.begin(), ends.end(), std::int64_t{0});
}

}  // namespace hilsa
