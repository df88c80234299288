// The rank tests against tables, and against counting every arrangement there is.
#include "reports/rank_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/history/rng.h"

namespace hilsa {
namespace {

using Figures = std::vector<double>;

std::int64_t between(Rng& rng, std::int64_t lowest, std::int64_t highest) {
  const auto count = static_cast<std::uint64_t>(highest - lowest + 1);
  return lowest + static_cast<std::int64_t>(rng.below(count));
}

// U of the figures whose bits are set against the others, ties half.
double u_of(const Figures& all, std::uint32_t chosen) {
  double u = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((chosen >> i & 1U) == 0) continue;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if ((chosen >> j & 1U) != 0) continue;
      if (all[i] > all[j]) u += 1;
      if (all[i] == all[j]) u += 0.5;
    }
  }
  return u;
}

// Every way to call |x| of all figures x.
double p_by_counting(const Figures& x, const Figures& y) {
  Figures all = x;
  all.insert(all.end(), y.begin(), y.end());
  const double seen = u_of(all, (1U << x.size()) - 1);
  double ways = 0;
  double as_high = 0;
  for (std::uint32_t chosen = 0; chosen < 1U << all.size(); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) != x.size()) continue;
    ++ways;
    if (u_of(all, chosen) >= seen) ++as_high;
  }
  return as_high / ways;
}

// The number of pairs, each figure with itself included, whose mean is above 0, ties half.
double pairs_above(const Figures& distances) {
  double above = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    for (std::size_t j = i; j < distances.size(); ++j) {
      const double sum = distances[i] + distances[j];
      above += sum > 0 ? 1 : 0;
      above += sum == 0 ? 0.5 : 0;
    }
  }
  return above;
}

// Every way to give the distances signs.
double signed_p_by_counting(const Figures& distances) {
  const double seen = pairs_above(distances);
  const std::uint32_t all = 1U << distances.size();
  double as_high = 0;
  for (std::uint32_t negative = 0; negative < all; ++negative) {
    Figures turned = distances;
    for (std::size_t i = 0; i < turned.size(); ++i) {
      turned[i] = std::abs(turned[i]) * ((negative >> i & 1U) != 0 ? -1 : 1);
    }
    if (pairs_above(turned) >= seen) ++as_high;
  }
  return as_high / all;
}

TEST(RankSum, IsAsInTheTables) {
  // Complete separation: 1 of C(n+m, n).
  EXPECT_NEAR(p_of_greater(Figures{4, 5, 6}, Figures{1, 2, 3}), 1.0 / 20, 1e-12);
  EXPECT_NEAR(p_of_greater(Figures{6, 7, 8, 9, 10}, Figures{1, 2, 3, 4, 5}), 1.0 / 252, 1e-12);
  // Mann and Whitney's own table for n = m = 5: U <= 4 of 25 has a chance of 0.048.
  EXPECT_NEAR(p_of_greater(Figures{5, 6, 7, 8, 10}, Figures{1, 2, 3, 4, 9}), 0.048, 0.0005);
  EXPECT_DOUBLE_EQ(p_of_greater(Figures{1, 2, 3}, Figures{4, 5, 6}), 1);
  EXPECT_DOUBLE_EQ(p_of_greater(Figures{1, 1}, Figures{1, 1}), 1);
  EXPECT_DOUBLE_EQ(p_of_greater(Figures{}, Figures{1}), 1);
}

TEST(RankSum, IsWhatCountingEveryArrangementGives) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Rng rng(seed);
    const auto figures = [&](std::int64_t count, std::int64_t values) {
      Figures made;
      for (std::int64_t i = 0; i < count; ++i) {
        made.push_back(static_cast<double>(between(rng, 1, values)));
      }
      return made;
    };
    const std::int64_t values = between(rng, 2, 40);  // few: many ties
    const Figures x = figures(between(rng, 1, 6), values);
    const Figures y = figures(between(rng, 1, 6), values);
    ASSERT_NEAR(p_of_greater(x, y), p_by_counting(x, y), 1e-12) << "seed " << seed;
  }
}

TEST(RankSum, TheApproximationTakesOverWithoutAStep) {
  Rng rng(5);
  const auto figures = [&](std::size_t count, double shift) {
    Figures made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(shift + rng.unit());
    return made;
  };
  // 32 + 32 is exact; one more of each is not.
  const Figures x = figures(33, 0.1);
  const Figures y = figures(33, 0);
  const double exact = p_of_greater(std::span(x).first(32), std::span(y).first(32));
  const double approximate = p_of_greater(x, y);
  EXPECT_NEAR(exact, approximate, 0.05);
  const double nearly = p_of_greater(Figures(40, 2), Figures(40, 1));
  EXPECT_LT(nearly, 1e-12);
  EXPECT_NEAR(p_of_greater(Figures(40, 1), Figures(40, 1)), 1, 1e-9);
}

TEST(SignedRank, IsAsInTheTables) {
  EXPECT_NEAR(p_of_greater_than(Figures{2, 3, 4, 5, 6}, 1), 1.0 / 32, 1e-12);
  EXPECT_NEAR(p_of_less_than(Figures{0.5, 0.6, 0.7, 0.8, 0.9}, 1), 1.0 / 32, 1e-12);
  // Wilcoxon: n = 8, the smaller sum is 5: 10 of 256 arrangements go that far, or 0.0391.
  const Figures eight = {std::exp(-0.1), std::exp(0.2), std::exp(0.3), std::exp(-0.4),
                         std::exp(0.5),  std::exp(0.6), std::exp(0.7), std::exp(0.8)};
  EXPECT_NEAR(p_of_greater_than(eight, 1), 10.0 / 256, 1e-12);
}

TEST(SignedRank, IsWhatCountingEverySignGives) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Rng rng(seed);
    Figures distances;
    Figures figures;
    const std::int64_t count = between(rng, 1, 10);
    for (std::int64_t i = 0; i < count; ++i) {
      // Whole powers of two: their logarithms tie exactly, and none is 0.
      const auto power =
          static_cast<double>(between(rng, 1, 6) * (between(rng, 0, 2) == 0 ? -1 : 1));
      distances.push_back(power);
      figures.push_back(std::exp2(power));
    }
    ASSERT_NEAR(p_of_greater_than(figures, 1), signed_p_by_counting(distances), 1e-12)
        << "seed " << seed;
  }
}

TEST(SignedRank, WhatIsEqualIsNotAbove) {
  EXPECT_DOUBLE_EQ(p_of_greater_than(Figures(20, 1.0), 1), 1);
  EXPECT_DOUBLE_EQ(p_of_less_than(Figures(20, 1.0), 1), 1);
  EXPECT_GT(p_of_greater_than(Figures{1, 1, 1, 1, 2, 2}, 1), 0.05);
}

TEST(Estimates, AreTheMiddleOfAllQuotientsAndOfAllMeans) {
  EXPECT_DOUBLE_EQ(quotient(Figures{2, 4, 6}, Figures{2}, 0.9).value, 2);
  EXPECT_DOUBLE_EQ(quotient(Figures{2, 4}, Figures{1, 2}, 0.9).value, 2);
  EXPECT_DOUBLE_EQ(middle(Figures{1, 4, 16}, 0.9).value, 4);
  const Estimate wide = quotient(Figures{1, 2}, Figures{1, 2}, 0.99);
  EXPECT_EQ(wide.low, 0);
  EXPECT_EQ(wide.high, std::numeric_limits<double>::infinity());
}

// A bound is where the test changes its mind.
TEST(Estimates, BoundsAndTestsAgree) {
  constexpr double kConfidence = 0.99;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const auto figures = [&](std::int64_t count) {
      Figures made;
      for (std::int64_t i = 0; i < count; ++i) made.push_back(0.5 + rng.unit());
      return made;
    };
    const Figures x = figures(between(rng, 5, 12));
    const Figures y = figures(between(rng, 5, 12));
    const Estimate by = quotient(x, y, kConfidence);
    const auto p_above = [&](double factor) {
      Figures scaled = y;
      for (double& figure : scaled) figure *= factor;
      return p_of_greater(x, scaled);
    };
    EXPECT_LE(p_above(by.low * 0.999999), 1 - kConfidence) << "seed " << seed;
    EXPECT_GT(p_above(by.low * 1.000001), 1 - kConfidence) << "seed " << seed;
    const Figures many = figures(between(rng, 7, 14));
    const Estimate centre = middle(many, kConfidence);
    EXPECT_LE(p_of_less_than(many, centre.high * 1.000001), 1 - kConfidence) << "seed " << seed;
    EXPECT_GT(p_of_less_than(many, centre.high * 0.999999), 1 - kConfidence) << "seed " << seed;
  }
}

TEST(LeastP, IsThatOfCompleteSeparation) {
  EXPECT_NEAR(least_p_of_greater(5, 5), 1.0 / 252, 1e-12);
  EXPECT_NEAR(least_p_of_greater(3, 7), 1.0 / 120, 1e-12);
  EXPECT_NEAR(least_p_of_greater_than(7), 1.0 / 128, 1e-12);
}

}  // namespace
}  // namespace hilsa
