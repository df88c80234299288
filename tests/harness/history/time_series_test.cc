#include "harness/history/time_series.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace hilsa {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kSecond = 1000 * kMillisecond;

std::int64_t all_done(const TimeSeries& series) {
  std::int64_t done = 0;
  for (const TimeSeries::Interval& interval : series.intervals()) done += interval.done;
  return done;
}

TEST(TimeSeries, CountsWhereThingsEnded) {
  TimeSeries series;
  series.add_done(0, kMillisecond);
  series.add_done(TimeSeries::kNarrowest, kMillisecond);
  series.add_refused(TimeSeries::kNarrowest, kMillisecond);
  series.add_aborted(TimeSeries::kNarrowest);
  ASSERT_EQ(series.intervals().size(), 2);
  EXPECT_EQ(series.intervals()[0].done, 1);
  EXPECT_EQ(series.intervals()[1].done, 1);
  EXPECT_EQ(series.intervals()[1].others, 1);
  EXPECT_EQ(series.intervals()[1].aborted, 1);
}

TEST(TimeSeries, StaysBoundedAndLosesNothing) {
  TimeSeries series;
  for (Nanoseconds at = 0; at < 3600 * kSecond; at += kSecond) series.add_done(at, kMillisecond);
  EXPECT_LE(series.intervals().size(), TimeSeries::kIntervalsMax);
  EXPECT_EQ(all_done(series), 3600);
}

TEST(TimeSeries, WhatHappenedBeforeItBeganCountsAsItsBegin) {
  TimeSeries series;
  series.add_done(-kSecond, kMillisecond);
  ASSERT_EQ(series.intervals().size(), 1);
  EXPECT_EQ(series.intervals()[0].done, 1);
}

TEST(TimeSeries, PercentilesAreOffByAtMostAStep) {
  TimeSeries series;
  for (int i = 1; i <= 100; ++i) series.add_done(0, i * kMillisecond);
  const TimeSeries::Interval& interval = series.intervals()[0];
  for (const int percent : {1, 50, 99, 100}) {
    const auto exact = static_cast<double>(percent * kMillisecond);
    const auto found = static_cast<double>(interval.percentile(percent));
    EXPECT_GE(found, exact);
    EXPECT_LE(found, exact * 1.25);
  }
  EXPECT_EQ(TimeSeries::Interval().percentile(50), 0);
}

TEST(TimeSeries, MergesSeriesOfOtherWidthsLater) {
  TimeSeries all;
  all.add_done(0, kMillisecond);
  TimeSeries long_one;
  for (int i = 0; i < 100; ++i) long_one.add_done(i * kSecond, kMillisecond);
  all.merge(long_one, kSecond);
  EXPECT_EQ(all_done(all), 101);
  EXPECT_GE(all.width(), long_one.width());
  EXPECT_LE(all.intervals().size(), TimeSeries::kIntervalsMax);
}

TEST(TimeSeries, IsTheSameFromItsParts) {
  TimeSeries series;
  for (int i = 0; i < 50; ++i) series.add_done(i * kSecond, i * kMillisecond);
  const TimeSeries again(series.width(), series.intervals());
  EXPECT_EQ(again.width(), series.width());
  EXPECT_EQ(all_done(again), 50);
}

}  // namespace
}  // namespace hilsa
