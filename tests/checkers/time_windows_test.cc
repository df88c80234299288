// Spans that overlap, against looking at all of them.
#include "checkers/time_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hilsa {
namespace {

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(TimeWindows, NoneOverlapWhereThereAreNone) {
  TimeWindows windows;
  windows.build();
  std::vector<std::uint32_t> numbers;
  windows.overlapping(0, 100, numbers);
  EXPECT_TRUE(numbers.empty());
}

TEST(TimeWindows, ExactlyThoseThatOverlapAreFound) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) {
      return static_cast<Nanoseconds>(random() % bound);
    };
    std::vector<std::pair<Nanoseconds, Nanoseconds>> spans(static_cast<std::size_t>(below(200)));
    TimeWindows windows;
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      const Nanoseconds begin = below(300);
      spans[i] = {begin, begin + below(i % 10 == 0 ? 300 : 10)};
      windows.add(spans[i].first, spans[i].second, i);
    }
    windows.build();
    for (int question = 0; question < 20; ++question) {
      const Nanoseconds begin = below(350);
      const Nanoseconds end = begin + below(20);
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < spans.size(); ++i) {
        if (spans[i].first <= end && spans[i].second >= begin) expected.push_back(i);
      }
      std::vector<std::uint32_t> numbers;
      windows.overlapping(begin, end, numbers);
      ASSERT_EQ(sorted(numbers), expected) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace hilsa
