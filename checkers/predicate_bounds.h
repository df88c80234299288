// How far predicate reads are compared with rows one by one, before rows that changed far from a
// read in time are left out.
#pragma once

#include <cstdint>

namespace hilsa {

struct PredicateBounds {
  // Comparisons of a predicate read with a stretch of versions of one row, all together. Where they
  // would be more, and the history has times, a read is compared only with rows that met its
  // predicate while its transaction ran, or shortly before or after.
  std::int64_t comparisons = 2'000'000;
  // Reads of a row with several explanations. Past these, and where the history has times, only
  // what all explanations have in common is used.
  std::int64_t choices = 200'000;
};

}  // namespace hilsa
