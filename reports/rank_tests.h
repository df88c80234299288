// Rank tests and the estimates that belong to them: they ask only which of two figures is larger,
// so a round that was disturbed counts as one bad round, however bad, and nobody has to say how
// figures are distributed. All figures are ratios: 0 or more, infinity allowed.
#pragma once

#include <cstddef>
#include <span>

namespace hilsa {

// An estimate, and bounds that each hold at the confidence asked for (so both at once at a little
// less). Too few figures for a bound at that confidence: it is 0 or infinity.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// The chance of `x` lying as high above `y` as it does, or higher, if both had the same
// distribution: Mann & Whitney, On a test of whether one of two random variables is stochastically
// larger than the other (1947). Exact, ties included, up to 64 figures together, in O(n³·|x|), n
// being all of them; beyond that by the normal approximation, corrected for ties and continuity. 1
// when either is empty.
double p_of_greater(std::span<const double> x, std::span<const double> y);

// The chance of figures lying as high above `than` as these do, or higher, if they lay
// symmetrically about it on a logarithmic scale: Wilcoxon, Individual comparisons by ranking
// methods (1945). Figures equal to `than` count as not above it. Exact up to 64 figures, in O(n³).
double p_of_greater_than(std::span<const double> figures, double than);
double p_of_less_than(std::span<const double> figures, double than);

// By which factor `x` lies above `y`: Hodges & Lehmann, Estimates of location based on rank tests
// (1963): the median of all quotients, with the bounds at which p_of_greater would just reject.
// Every figure of `y` is above 0; neither is empty.
Estimate quotient(std::span<const double> x, std::span<const double> y, double confidence);

// Where the middle of the figures lies: the median of the geometric means of all pairs (likewise).
Estimate middle(std::span<const double> figures, double confidence);

// The smallest chances that the tests can come to: with fewer figures they cannot be surer.
double least_p_of_greater(std::size_t x, std::size_t y);
double least_p_of_greater_than(std::size_t figures);

}  // namespace hilsa
