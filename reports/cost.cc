#include "reports/cost.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hilsa {
namespace {

constexpr std::array<std::string_view, kFigureCount> kNames = {"throughput", "p99", "attempts"};

double attempts_per_task(const Round& round) {
  return static_cast<double>(round.attempts) / static_cast<double>(round.done);
}

// Nothing where the round has no such figure: no task was done, so none took any time.
std::optional<double> figure_of(Figure figure, const Round& round) {
  switch (figure) {
    case Figure::throughput:
      if (round.running.count() <= 0) return std::nullopt;
      return round.throughput_per_s();
    case Figure::p99:
      if (round.p99 <= 0) return std::nullopt;
      return static_cast<double>(round.p99);
    case Figure::attempts:
      if (round.done <= 0) return std::nullopt;
      return attempts_per_task(round);
  }
  return std::nullopt;
}

std::vector<double> scaled(std::span<const double> figures, double factor) {
  std::vector<double> result(figures.begin(), figures.end());
  for (double& figure : result) figure *= factor;
  return result;
}

}  // namespace

std::string_view name_of(Figure figure) { return kNames[static_cast<std::size_t>(figure)]; }

std::optional<Figure> figure_named(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Figure>(found - kNames.begin());
}

bool more_is_better(Figure figure) { return figure == Figure::throughput; }

std::vector<double> relative_figures(Figure figure, std::span<const Round> rounds,
                                     std::span<const Round> reference) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(rounds.size(), reference.size()); ++i) {
    const auto own = figure_of(figure, rounds[i]);
    const auto other = figure_of(figure, reference[i]);
    if (own && other && *other > 0) ratios.push_back(*own / *other);
  }
  return ratios;
}

std::vector<double> attempts_per_task(std::span<const Round> rounds) {
  std::vector<double> figures;
  for (const Round& round : rounds) {
    if (const auto figure = figure_of(Figure::attempts, round)) figures.push_back(*figure);
  }
  return figures;
}

Ratios all_relative_figures(std::span<const Round> rounds, std::span<const Round> reference) {
  Ratios ratios;
  for (std::size_t i = 0; i < kFigureCount; ++i) {
    const auto figure = static_cast<Figure>(i);
    ratios[figure] = relative_figures(figure, rounds, reference);
  }
  return ratios;
}

std::size_t rounds_needed_for_limit(double confidence) {
  std::size_t rounds = kRoundsMin;
  while (least_p_of_greater_than(rounds) > 1 - confidence) ++rounds;
  return rounds;
}

std::size_t rounds_needed_for_regression(double confidence, std::size_t baseline_rounds) {
  std::size_t rounds = kRoundsMin;
  while (least_p_of_greater(rounds, baseline_rounds) > 1 - confidence) ++rounds;
  return rounds;
}

std::size_t rounds_needed_for_regression(double confidence) {
  std::size_t rounds = kRoundsMin;
  while (least_p_of_greater(rounds, rounds) > 1 - confidence) ++rounds;
  return rounds;
}

LimitFinding weigh(const CostLimit& limit, std::span<const double> figures, double confidence) {
  LimitFinding finding{.figure = middle(figures, confidence), .rounds = figures.size()};
  const double p_above = p_of_greater_than(figures, limit.limit);
  const double p_below = p_of_less_than(figures, limit.limit);
  finding.p = more_is_better(limit.figure) ? p_below : p_above;
  finding.is_beyond = more_is_better(limit.figure) ? finding.figure.value < limit.limit
                                                   : finding.figure.value > limit.limit;
  finding.is_broken = finding.p <= 1 - confidence;
  // What lies exactly at the limit keeps it.
  const bool all_at_limit =
      std::all_of(figures.begin(), figures.end(), [&](double f) { return f == limit.limit; });
  finding.is_kept =
      all_at_limit || (more_is_better(limit.figure) ? p_above : p_below) <= 1 - confidence;
  return finding;
}

CostChange compare(Figure figure, std::span<const double> figures, std::span<const double> baseline,
                   const RegressionRule& rule) {
  CostChange change{.factor = quotient(figures, baseline, rule.confidence),
                    .rounds = figures.size(),
                    .baseline_rounds = baseline.size()};
  // Were they exactly as much worse (better) as is tolerated, these would be like the baseline's.
  const double lower = 1 - rule.tolerance;
  const double higher = 1 + rule.tolerance;
  const double p_less = p_of_greater(scaled(baseline, lower), figures);
  const double p_more = p_of_greater(figures, scaled(baseline, higher));
  change.p = more_is_better(figure) ? p_less : p_more;
  change.is_beyond =
      more_is_better(figure) ? change.factor.value < lower : change.factor.value > higher;
  change.is_worse = change.p <= 1 - rule.confidence;
  change.is_better = (more_is_better(figure) ? p_more : p_less) <= 1 - rule.confidence;
  return change;
}

}  // namespace hilsa
