#include "checkers/time_windows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <tuple>

namespace hilsa {

void TimeWindows::build() {
  std::sort(windows_.begin(), windows_.end(), [](const Window& a, const Window& b) {
    return std::tie(a.begin, a.number, a.end) < std::tie(b.begin, b.number, b.end);
  });
  windows_.shrink_to_fit();
  leaves_ = std::bit_ceil(std::max<std::size_t>(1, (windows_.size() + kBlock - 1) / kBlock));
  latest_end_.assign(2 * leaves_, std::numeric_limits<Nanoseconds>::min());
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    Nanoseconds& latest = latest_end_[leaves_ + i / kBlock];
    latest = std::max(latest, windows_[i].end);
  }
  for (std::size_t node = leaves_ - 1; node > 0; --node) {
    latest_end_[node] = std::max(latest_end_[2 * node], latest_end_[2 * node + 1]);
  }
}

void TimeWindows::overlapping(Nanoseconds begin, Nanoseconds end,
                              std::vector<std::uint32_t>& numbers) const {
  // What begins in time stands in front; of that, parts of the tree that end too early are skipped.
  const auto begun = static_cast<std::size_t>(
      std::upper_bound(windows_.begin(), windows_.end(), end,
                       [](Nanoseconds at, const Window& window) { return at < window.begin; }) -
      windows_.begin());
  std::array<std::size_t, 128> open{};  // nodes still to look at, the next one last
  std::size_t count = 0;
  if (begun > 0) open[count++] = 1;
  while (count > 0) {
    const std::size_t node = open[--count];
    if (latest_end_[node] < begin) continue;
    if (node < leaves_) {
      open[count++] = 2 * node + 1;
      open[count++] = 2 * node;
      continue;
    }
    const std::size_t first = (node - leaves_) * kBlock;
    for (std::size_t i = first; i < std::min(begun, first + kBlock); ++i) {
      if (windows_[i].end >= begin) numbers.push_back(windows_[i].number);
    }
    if (first + kBlock >= begun) return;
  }
}

}  // namespace hilsa
