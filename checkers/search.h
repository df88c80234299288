// Where a dependency has several explanations: is there a choice of them that a level allows?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/dependencies.h"
#include "checkers/details.h"
#include "checkers/graph.h"
#include "checkers/verdict.h"

namespace hilsa {

struct SearchOutcome {
  Validity validity = Validity::unknown;
  std::int64_t steps = 0;
  // invalid: the choices that cannot all be made.
  std::vector<std::uint32_t> core;
};

// For levels that are decided by cycles: read committed and those above it that are not about
// single transactions' reads.
SearchOutcome search(const Graph& graph, const Choices& choices, LevelForm level,
                     std::int64_t steps_max);

// The story of a core: each choice's explanations and the cycle that each of them would close, as
// far as one after the other is forced. Without a cycle where only trying all combinations shows
// it.
Evidence evidence_of_core(const History& history, const Graph& graph, const Dependencies& found,
                          const Details& details, const std::vector<std::uint32_t>& core,
                          LevelForm level);

}  // namespace hilsa
