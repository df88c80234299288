#include "harness/history/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/history/rng.h"

namespace hilsa {
namespace {

TEST(Histogram, EmptyHasNoPercentiles) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.percentile(50), 0);
  EXPECT_EQ(histogram.max(), 0);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (Nanoseconds value = 1; value <= 100; ++value) histogram.record(value);
  EXPECT_EQ(histogram.percentile(0), 1);
  EXPECT_EQ(histogram.percentile(50), 50);
  EXPECT_EQ(histogram.percentile(99), 99);
  EXPECT_EQ(histogram.percentile(100), 100);
}

TEST(Histogram, NegativeCountsAsZero) {
  Histogram histogram;
  histogram.record(-5);
  EXPECT_EQ(histogram.percentile(100), 0);
  EXPECT_EQ(histogram.count(), 1U);
}

TEST(Histogram, TheLargestValueIsExact) {
  Histogram histogram;
  histogram.record(123'456'789);
  EXPECT_EQ(histogram.max(), 123'456'789);
  EXPECT_EQ(histogram.percentile(99), 123'456'789);
}

// The oracle is a sorted vector.
TEST(Histogram, PercentilesAreWithinAStepOfTheTruth) {
  Rng rng(7);
  Histogram histogram;
  std::vector<Nanoseconds> values;
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<Nanoseconds>(rng.below(1ULL << (1 + rng.below(42))));
    histogram.record(value);
    values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9}) {
    const auto rank = static_cast<std::size_t>(
        std::max(1.0, std::ceil(percent / 100 * static_cast<double>(values.size()))));
    const auto truth = static_cast<double>(values[rank - 1]);
    const auto found = static_cast<double>(histogram.percentile(percent));
    EXPECT_GE(found, truth);
    EXPECT_LE(found, truth * (1 + 1.0 / 128) + 1) << percent;
  }
}

TEST(Histogram, MergedIsAsIfRecordedInOne) {
  Rng rng(8);
  Histogram one;
  Histogram left;
  Histogram right;
  for (int i = 0; i < 1000; ++i) {
    const auto value = static_cast<Nanoseconds>(rng.below(1'000'000'000));
    one.record(value);
    (i % 3 == 0 ? left : right).record(value);
  }
  left.merge(right);
  EXPECT_EQ(left.count(), one.count());
  EXPECT_EQ(left.max(), one.max());
  for (const double percent : {5.0, 50.0, 95.0}) {
    EXPECT_EQ(left.percentile(percent), one.percentile(percent));
  }
}

}  // namespace
}  // namespace hilsa
