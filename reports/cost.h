// What a strategy costs, as `hilsa ci` judges it: round by round, relative to a reference strategy
// that was measured in turns with it. Both ran within the same second or two, so what the machine
// was busy with meanwhile has slowed down both, and a ratio from one machine means something on the
// next. Whether ratios are worse than a limit, or than they were, a rank test decides: only what is
// sure at the stated confidence counts.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/rank_tests.h"
#include "reports/run_report.h"

namespace hilsa {

enum class Figure { throughput, p99, attempts };
inline constexpr std::size_t kFigureCount = 3;
std::string_view name_of(Figure figure);  // throughput, p99, attempts
std::optional<Figure> figure_named(std::string_view name);
// More is better for throughput alone.
bool more_is_better(Figure figure);

// The fewest rounds that anything is decided on.
inline constexpr std::size_t kRoundsMin = 5;

// One ratio for each round in which both have a figure: throughput, p99, or attempts per task done.
// Rounds with the same number ran one right after the other.
std::vector<double> relative_figures(Figure figure, std::span<const Round> rounds,
                                     std::span<const Round> reference);
// Attempts per task done, round by round.
std::vector<double> attempts_per_task(std::span<const Round> rounds);

using Ratios = std::map<Figure, std::vector<double>>;
Ratios all_relative_figures(std::span<const Round> rounds, std::span<const Round> reference);

// A limit on a figure: throughput at least, everything else at most. Throughput and p99 are
// relative to the reference, attempts are per task done.
struct CostLimit {
  Figure figure = Figure::throughput;
  double limit = 1;
};

struct RegressionRule {
  double tolerance = 0.10;  // the share by which a figure may get worse
  double confidence = 0.99;
  std::vector<Figure> figures = {Figure::throughput};
};

// How many rounds it takes at least until the tests can be as sure as that.
std::size_t rounds_needed_for_limit(double confidence);
std::size_t rounds_needed_for_regression(double confidence, std::size_t baseline_rounds);
std::size_t rounds_needed_for_regression(double confidence);  // of both

// How figures lie about a limit.
struct LimitFinding {
  bool is_beyond = false;  // its middle is
  bool is_broken = false;  // for sure
  bool is_kept = false;    // for sure; neither: the limit is within the noise
  Estimate figure;         // its middle, bounds at the confidence
  double p = 1;            // of figures like these, or worse, if it were at its limit
  std::size_t rounds = 0;
};
LimitFinding weigh(const CostLimit& limit, std::span<const double> figures, double confidence);

// How figures lie to those of a baseline.
struct CostChange {
  bool is_beyond = false;  // its middle is worse by more than the tolerance
  bool is_worse = false;   // by more than the tolerance, for sure
  bool is_better = false;  // likewise
  Estimate factor;         // by which they differ, bounds at the confidence
  double p = 1;            // of figures like these, or worse, if they were worse by the tolerance
  std::size_t rounds = 0;
  std::size_t baseline_rounds = 0;
};
CostChange compare(Figure figure, std::span<const double> figures, std::span<const double> baseline,
                   const RegressionRule& rule);

}  // namespace hilsa
