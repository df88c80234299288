// Spans of time, each with a number, and which of them overlap another span: O(n log n) to build,
// O(log n + found) to ask, up to a constant of kBlock.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/attempt.h"

namespace hilsa {

class TimeWindows {
 public:
  // Both ends belong to it. All are added before build(), all questions come after it.
  void add(Nanoseconds begin, Nanoseconds end, std::uint32_t number) {
    windows_.push_back({begin, end, number});
  }
  void build();

  // Appends the numbers of all that overlap the span, in the order of their begins.
  void overlapping(Nanoseconds begin, Nanoseconds end, std::vector<std::uint32_t>& numbers) const;

 private:
  static constexpr std::size_t kBlock = 16;
  struct Window {
    Nanoseconds begin;
    Nanoseconds end;
    std::uint32_t number;
  };

  std::vector<Window> windows_;  // in the order of their begins, in blocks
  // A binary tree over the blocks, the root at 1, node k's children at 2k and 2k + 1: the latest
  // end below each node.
  std::vector<Nanoseconds> latest_end_;
  std::size_t leaves_ = 0;
};

}  // namespace hilsa
