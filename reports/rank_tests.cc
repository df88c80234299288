#include "reports/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace hilsa {
namespace {

constexpr std::size_t kExactMax = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Ranks from 1, doubled so that those of ties, which share the middle of their places, are whole.
std::vector<std::int64_t> doubled_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<std::int64_t> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) {
      ranks[order[i]] = static_cast<std::int64_t>(first + 1 + end);
    }
    first = end;
  }
  return ranks;
}

std::vector<std::int64_t> untied_ranks(std::size_t count) {
  std::vector<std::int64_t> ranks(count);
  for (std::size_t i = 0; i < count; ++i) ranks[i] = 2 * static_cast<std::int64_t>(i + 1);
  return ranks;
}

// The share of the area under the normal curve that lies at `z` and above.
double normal_tail(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

std::size_t sum_of(const std::vector<std::int64_t>& ranks) {
  return static_cast<std::size_t>(std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0}));
}

// Element s of a distribution is the chance of a (doubled) rank sum of s or more.
std::vector<double> tails_of(std::vector<double> ways) {
  std::partial_sum(ways.rbegin(), ways.rend(), ways.rbegin());
  const double all = ways.front();
  for (double& count : ways) count /= all;
  return ways;
}

// The rank sum of `chosen` of these when every choice is as likely as any other. By counting
// subsets, one item after the other, from the lowest rank to the highest: so the sums that k of the
// first items can have lie between those of the k lowest and of the k highest of them.
std::vector<double> rank_sums(std::vector<std::int64_t> ranks, std::size_t chosen) {
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::size_t> first(ranks.size() + 1);  // the sum of so many
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    first[i + 1] = first[i] + static_cast<std::size_t>(ranks[i]);
  }
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(first.back() + 1));
  ways[0][0] = 1;
  for (std::size_t item = 0; item < ranks.size(); ++item) {
    const auto step = static_cast<std::size_t>(ranks[item]);
    for (std::size_t k = std::min(chosen, item + 1); k > 0; --k) {
      const std::size_t lowest = first[k - 1];
      const std::size_t highest = first[item] - first[item - (k - 1)];
      const double* const without = ways[k - 1].data();
      double* const with = ways[k].data() + step;
      for (std::size_t sum = lowest; sum <= highest; ++sum) with[sum] += without[sum];
    }
  }
  return tails_of(std::move(ways[chosen]));
}

// The sum of these when each is taken or left with even chances.
std::vector<double> signed_rank_sums(const std::vector<std::int64_t>& ranks) {
  const std::size_t total = sum_of(ranks);
  std::vector<double> chances(total + 1);
  chances[0] = 1;
  for (const std::int64_t rank : ranks) {
    const auto step = static_cast<std::size_t>(rank);
    for (std::size_t sum = total + 1; sum-- > 0;) {
      chances[sum] = (chances[sum] + (sum >= step ? chances[sum - step] : 0)) / 2;
    }
  }
  return tails_of(std::move(chances));
}

double tail_from(const std::vector<double>& tails, std::int64_t sum) {
  const auto place = static_cast<std::size_t>(sum);
  return place < tails.size() ? tails[place] : 0;
}

// Mean and spread of a doubled rank sum.
struct Spread {
  double mean = 0;
  double deviation = 0;

  // Of a sum of `sum` or more; possible sums are `step` apart.
  double tail_from(double sum, double step) const {
    if (deviation <= 0) return sum > mean ? 0 : 1;
    return normal_tail((sum - mean - step / 2) / deviation);
  }
};

// Of `chosen` ranks drawn without putting back: the ranks' own spread holds the ties' correction.
Spread spread_of_choice(const std::vector<std::int64_t>& ranks, std::size_t chosen) {
  const auto count = static_cast<double>(ranks.size());
  const auto drawn = static_cast<double>(chosen);
  double sum = 0;
  double squares = 0;
  for (const std::int64_t rank : ranks) {
    sum += static_cast<double>(rank);
    squares += static_cast<double>(rank) * static_cast<double>(rank);
  }
  const double variance = squares / count - sum / count * (sum / count);
  return {drawn * sum / count, std::sqrt(drawn * (count - drawn) / (count - 1) * variance)};
}

Spread spread_of_signs(const std::vector<std::int64_t>& ranks) {
  double sum = 0;
  double squares = 0;
  for (const std::int64_t rank : ranks) {
    sum += static_cast<double>(rank);
    squares += static_cast<double>(rank) * static_cast<double>(rank);
  }
  return {sum / 2, std::sqrt(squares) / 2};
}

// How many of `count` sorted values to pass over at each end for a bound that holds at the
// confidence: the most for which the chance of a statistic below it stays within what is left.
template <typename Tail>
std::size_t passed_over(std::size_t count, double confidence, Tail tail_from_above) {
  std::size_t passed = 0;
  while (passed < count && tail_from_above(count - passed) <= 1 - confidence) ++passed;
  return passed;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return (sorted[half - 1] + sorted[half]) / 2;
}

Estimate estimate_from(std::vector<double>& values, std::size_t passed) {
  std::sort(values.begin(), values.end());
  Estimate estimate{median_of_sorted(values), 0, kInfinity};
  if (passed > 0) {
    estimate.low = values[passed - 1];
    estimate.high = values[values.size() - passed];
  }
  return estimate;
}

// `sign`: 1 for above, -1 for below.
double signed_rank_p(std::span<const double> figures, double than, double sign) {
  if (figures.empty()) return 1;
  std::vector<double> sizes;
  std::vector<bool> counts;
  for (const double figure : figures) {
    const double distance = sign * std::log(figure / than);
    sizes.push_back(std::abs(distance));
    counts.push_back(distance > 0);
  }
  const std::vector<std::int64_t> ranks = doubled_ranks(sizes);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) sum += counts[i] ? ranks[i] : 0;
  if (ranks.size() <= kExactMax) return tail_from(signed_rank_sums(ranks), sum);
  return spread_of_signs(ranks).tail_from(static_cast<double>(sum), 2);
}

}  // namespace

double p_of_greater(std::span<const double> x, std::span<const double> y) {
  if (x.empty() || y.empty()) return 1;
  std::vector<double> all(x.begin(), x.end());
  all.insert(all.end(), y.begin(), y.end());
  const std::vector<std::int64_t> ranks = doubled_ranks(all);
  const std::int64_t sum =
      std::accumulate(ranks.begin(), ranks.begin() + std::ssize(x), std::int64_t{0});
  if (all.size() <= kExactMax) return tail_from(rank_sums(ranks, x.size()), sum);
  return spread_of_choice(ranks, x.size()).tail_from(static_cast<double>(sum), 2);
}

double p_of_greater_than(std::span<const double> figures, double than) {
  return signed_rank_p(figures, than, 1);
}

double p_of_less_than(std::span<const double> figures, double than) {
  return signed_rank_p(figures, than, -1);
}

// The number of quotients above a factor c is Mann and Whitney's U of x/c and y, so the values of c
// at which the test would just reject are among the quotients.
Estimate quotient(std::span<const double> x, std::span<const double> y, double confidence) {
  std::vector<double> quotients;
  quotients.reserve(x.size() * y.size());
  for (const double above : x) {
    for (const double below : y) quotients.push_back(above / below);
  }
  const std::vector<std::int64_t> ranks = untied_ranks(x.size() + y.size());
  const auto least = static_cast<std::int64_t>(x.size() * (x.size() + 1));  // doubled: U = 0
  std::size_t passed = 0;
  if (ranks.size() <= kExactMax) {
    const std::vector<double> tails = rank_sums(ranks, x.size());
    passed = passed_over(quotients.size(), confidence, [&](std::size_t u) {
      return tail_from(tails, least + 2 * static_cast<std::int64_t>(u));
    });
  } else {
    const Spread spread = spread_of_choice(ranks, x.size());
    passed = passed_over(quotients.size(), confidence, [&](std::size_t u) {
      return spread.tail_from(static_cast<double>(least) + 2 * static_cast<double>(u), 2);
    });
  }
  return estimate_from(quotients, passed);
}

// Tukey's observation: the signed rank sum is the number of pairs, each figure with itself
// included, whose mean lies above.
Estimate middle(std::span<const double> figures, double confidence) {
  std::vector<double> means;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    for (std::size_t j = i; j < figures.size(); ++j) {
      means.push_back(std::sqrt(figures[i]) * std::sqrt(figures[j]));
    }
  }
  const std::vector<std::int64_t> ranks = untied_ranks(figures.size());
  std::size_t passed = 0;
  if (ranks.size() <= kExactMax) {
    const std::vector<double> tails = signed_rank_sums(ranks);
    passed = passed_over(means.size(), confidence, [&](std::size_t t) {
      return tail_from(tails, 2 * static_cast<std::int64_t>(t));
    });
  } else {
    const Spread spread = spread_of_signs(ranks);
    passed = passed_over(means.size(), confidence, [&](std::size_t t) {
      return spread.tail_from(2 * static_cast<double>(t), 2);
    });
  }
  return estimate_from(means, passed);
}

double least_p_of_greater(std::size_t x, std::size_t y) {
  double ways = 1;
  for (std::size_t i = 1; i <= x; ++i) {
    ways = ways * static_cast<double>(y + i) / static_cast<double>(i);
  }
  return 1 / ways;
}

double least_p_of_greater_than(std::size_t figures) {
  return std::pow(0.5, static_cast<double>(figures));
}

}  // namespace hilsa
