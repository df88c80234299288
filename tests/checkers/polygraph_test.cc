// solve() against its definition: every combination of alternatives, every simple cycle.
#include "checkers/polygraph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>

#include "harness/history/rng.h"
#include "tests/seeds.h"

namespace hilsa {
namespace {

using Answer = PolygraphResult::Answer;
using Choice = std::vector<std::vector<PolyEdge>>;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kSteps = 200'000'000;
constexpr std::array kAll = {Forbidden::dependency_cycles, Forbidden::single_anti_cycles,
                             Forbidden::nonadjacent_cycles, Forbidden::all_cycles};

PolyEdge dep(std::uint32_t from, std::uint32_t to) { return {from, to, false}; }
PolyEdge anti(std::uint32_t from, std::uint32_t to) { return {from, to, true}; }

Polygraph polygraph(std::uint32_t nodes, std::vector<PolyEdge> known,
                    const std::vector<Choice>& choices = {}) {
  Polygraph made{.nodes = nodes,
                 .known = std::move(known),
                 .choice_first_alternative = {0},
                 .alternative_first_edge = {0}};
  for (const Choice& choice : choices) {
    for (const std::vector<PolyEdge>& alternative : choice) {
      made.edges.insert(made.edges.end(), alternative.begin(), alternative.end());
      made.alternative_first_edge.push_back(static_cast<std::uint32_t>(made.edges.size()));
    }
    made.choice_first_alternative.push_back(
        static_cast<std::uint32_t>(made.alternative_first_edge.size() - 1));
  }
  return made;
}

// For each rule of kAll: is it broken?
using Broken = std::array<bool, kAll.size()>;

// Every simple cycle of a small graph, from its smallest node, over every mix of edges.
class CycleWalk {
 public:
  CycleWalk(std::uint32_t nodes, const std::vector<PolyEdge>& edges) : edges_(edges) {
    for (start_ = 0; start_ < nodes; ++start_) {
      is_on_path_.assign(nodes, false);
      walk(start_);
    }
  }
  Broken broken() const { return broken_; }

 private:
  void walk(std::uint32_t node) {
    is_on_path_[node] = true;
    for (const PolyEdge& edge : edges_) {
      if (edge.from != node || edge.from == edge.to || edge.to < start_) continue;
      path_.push_back(edge.anti);
      if (edge.to == start_) {
        judge();
      } else if (!is_on_path_[edge.to]) {
        walk(edge.to);
      }
      path_.pop_back();
    }
    is_on_path_[node] = false;
  }

  void judge() {
    const auto antis = std::count(path_.begin(), path_.end(), true);
    bool adjacent = false;
    for (std::size_t at = 0; at < path_.size(); ++at) {
      adjacent = adjacent || (path_[at] && path_[(at + 1) % path_.size()]);
    }
    broken_[0] = broken_[0] || antis == 0;
    broken_[1] = broken_[1] || antis <= 1;
    broken_[2] = broken_[2] || !adjacent;
    broken_[3] = true;
  }

  const std::vector<PolyEdge>& edges_;
  std::uint32_t start_ = 0;
  std::vector<bool> is_on_path_;
  std::vector<bool> path_;  // of each edge: is it an anti edge?
  Broken broken_{};
};

std::vector<PolyEdge> edges_with(const Polygraph& polygraph,
                                 const std::vector<std::uint32_t>& chosen) {
  std::vector<PolyEdge> edges = polygraph.known;
  for (std::size_t choice = 0; choice < chosen.size(); ++choice) {
    const auto more = polygraph.edges_of(choice, chosen[choice]);
    edges.insert(edges.end(), more.begin(), more.end());
  }
  return edges;
}

// For each rule: is there a combination that keeps it?
std::array<bool, kAll.size()> possible_by_definition(const Polygraph& polygraph) {
  std::array<bool, kAll.size()> possible{};
  std::vector<std::uint32_t> chosen(polygraph.choices(), 0);
  for (;;) {
    const Broken broken = CycleWalk(polygraph.nodes, edges_with(polygraph, chosen)).broken();
    for (std::size_t rule = 0; rule < kAll.size(); ++rule) {
      possible[rule] = possible[rule] || !broken[rule];
    }
    if (possible.back()) return possible;
    std::size_t at = 0;
    while (at < chosen.size() && ++chosen[at] == polygraph.alternatives_of(at)) chosen[at++] = 0;
    if (at == chosen.size()) return possible;
  }
}

// Only these choices of it.
Polygraph only(const Polygraph& whole, std::vector<std::uint32_t> choices) {
  std::sort(choices.begin(), choices.end());
  std::vector<Choice> kept;
  for (const std::uint32_t choice : choices) {
    kept.emplace_back();
    for (std::size_t at = 0; at < whole.alternatives_of(choice); ++at) {
      const auto edges = whole.edges_of(choice, at);
      kept.back().emplace_back(edges.begin(), edges.end());
    }
  }
  return polygraph(whole.nodes, whole.known, kept);
}

Polygraph random_polygraph(std::uint64_t seed) {
  Rng rng(seed);
  const auto nodes = static_cast<std::uint32_t>(2 + rng.below(5));
  const std::uint64_t anti_percent = 15 * rng.below(5);
  // Mostly forward, so that neither answer is rare.
  const std::uint64_t forward_percent = 20 * rng.below(5);
  const auto edge = [&] {
    auto from = static_cast<std::uint32_t>(rng.below(nodes));
    auto to = static_cast<std::uint32_t>(rng.below(nodes));
    if (from > to && rng.below(100) < forward_percent) std::swap(from, to);
    return PolyEdge{from, to, rng.below(100) < anti_percent};
  };
  const auto edges = [&](std::uint64_t count) {
    std::vector<PolyEdge> made(count);
    for (PolyEdge& each : made) each = edge();
    return made;
  };
  std::vector<PolyEdge> known = edges(rng.below(nodes + 2));
  std::vector<Choice> choices(rng.below(7));
  for (Choice& choice : choices) {
    choice.resize(1 + rng.below(3));
    for (auto& alternative : choice) alternative = edges(rng.below(8) == 0 ? 0 : 1 + rng.below(3));
  }
  return polygraph(nodes, std::move(known), choices);
}

TEST(Polygraph, NothingAtAllIsPossible) {
  for (const Forbidden rule : kAll) {
    const PolygraphResult result = solve(polygraph(0, {}), rule, kSteps);
    EXPECT_EQ(result.answer, Answer::possible);
    EXPECT_THAT(result.chosen, IsEmpty());
  }
}

// A known graph that exactly the rules from this one on forbid.
void expect_forbidden_from(std::size_t rule, std::uint32_t nodes,
                           const std::vector<PolyEdge>& known) {
  for (std::size_t at = 0; at < kAll.size(); ++at) {
    const PolygraphResult result = solve(polygraph(nodes, known), kAll[at], kSteps);
    EXPECT_EQ(result.answer, at < rule ? Answer::possible : Answer::impossible) << at;
    EXPECT_THAT(result.core, IsEmpty());
  }
}

TEST(Polygraph, ACycleOfDependenciesIsForbiddenByAll) {
  expect_forbidden_from(0, 3, {dep(0, 1), dep(1, 2), dep(2, 0)});
}

TEST(Polygraph, OneAntiEdgeInACycleIsForbiddenFromConsistentViewOn) {
  expect_forbidden_from(1, 3, {dep(0, 1), dep(1, 2), anti(2, 0)});
}

TEST(Polygraph, SeparatedAntiEdgesAreForbiddenFromSnapshotIsolationOn) {
  expect_forbidden_from(2, 4, {dep(0, 1), anti(1, 2), dep(2, 3), anti(3, 0)});
}

TEST(Polygraph, AdjacentAntiEdgesAreForbiddenBySerializabilityOnly) {
  expect_forbidden_from(3, 2, {anti(0, 1), anti(1, 0)});
  expect_forbidden_from(3, 3, {anti(0, 1), dep(1, 2), anti(2, 0)});
  expect_forbidden_from(3, 3, {anti(1, 2), dep(2, 0), anti(0, 1)});
}

TEST(Polygraph, AnEdgeToItselfIsIgnored) {
  expect_forbidden_from(4, 2, {dep(0, 0), anti(1, 1), dep(1, 0)});
}

TEST(Polygraph, ADependencyAndAnAntiEdgeBetweenTheSameTwoBothCount) {
  expect_forbidden_from(0, 2, {dep(0, 1), anti(0, 1), dep(1, 0)});
  expect_forbidden_from(1, 2, {dep(0, 1), anti(0, 1), anti(1, 0)});
}

TEST(Polygraph, TheAlternativeThatClosesACycleIsNotChosen) {
  const Polygraph doubt =
      polygraph(3, {dep(2, 1), dep(1, 0)}, {{{dep(0, 1)}, {dep(1, 0)}}, {{dep(0, 2)}, {}}});
  const PolygraphResult result = solve(doubt, Forbidden::all_cycles, kSteps);
  EXPECT_EQ(result.answer, Answer::possible);
  EXPECT_THAT(result.chosen, ElementsAre(1, 1));
}

// x: 0 wrote it, 1 wrote it, 2 read 1's; y: 2 read 0's. Whichever came first.
TEST(Polygraph, HalfOfEachOfTwoWritersIsSeenUnderNoOrderOfTheirs) {
  const Polygraph doubt =
      polygraph(3, {dep(0, 2), dep(1, 2)},
                {{{dep(0, 1)}, {dep(1, 0), anti(2, 0)}}, {{dep(0, 1), anti(2, 1)}, {dep(1, 0)}}});
  const PolygraphResult result = solve(doubt, Forbidden::all_cycles, kSteps);
  EXPECT_EQ(result.answer, Answer::impossible);
  EXPECT_THAT(result.core, testing::UnorderedElementsAre(0, 1));
  EXPECT_EQ(solve(doubt, Forbidden::single_anti_cycles, kSteps).answer, Answer::impossible);
  EXPECT_EQ(solve(doubt, Forbidden::dependency_cycles, kSteps).answer, Answer::possible);
}

TEST(Polygraph, AnAntiEdgeMindsPathsThatAreChosenLater) {
  const Polygraph doubt = polygraph(4, {anti(3, 0), anti(0, 3)},
                                    {{{dep(0, 1)}}, {{dep(1, 2)}}, {{dep(2, 3)}, {dep(3, 2)}}});
  const PolygraphResult result = solve(doubt, Forbidden::single_anti_cycles, kSteps);
  EXPECT_EQ(result.answer, Answer::possible);
  EXPECT_THAT(result.chosen, ElementsAre(0, 0, 1));
}

TEST(Polygraph, TheCoreIsInTheOrderInWhichItIsForced) {
  // What is known forces 2, that forces 0, and with that 3 has nothing left. 1 does not matter.
  const Polygraph doubt = polygraph(5, {dep(0, 1), dep(1, 2)},
                                    {{{dep(3, 1)}, {dep(3, 4)}},
                                     {{dep(1, 2)}, {dep(2, 1)}},
                                     {{dep(2, 0)}, {dep(2, 3)}},
                                     {{dep(4, 0)}, {dep(4, 2)}}});
  const PolygraphResult result = solve(doubt, Forbidden::all_cycles, kSteps);
  EXPECT_EQ(result.answer, Answer::impossible);
  EXPECT_THAT(result.core, ElementsAre(2, 0, 3));
}

TEST(Polygraph, AgreesWithItsDefinitionOnRandomOnes) {
  std::array<int, kAll.size()> possible{};
  constexpr int kSeeds = static_cast<int>(tests::seeds_to_try(200'000));
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Polygraph doubt = random_polygraph(seed);
    const auto expected = possible_by_definition(doubt);
    for (std::size_t rule = 0; rule < kAll.size(); ++rule) {
      const PolygraphResult result = solve(doubt, kAll[rule], kSteps);
      ASSERT_EQ(result.answer, expected[rule] ? Answer::possible : Answer::impossible)
          << "seed " << seed << ", rule " << rule;
      possible[rule] += expected[rule] ? 1 : 0;
      if (expected[rule]) {
        ASSERT_THAT(result.chosen, SizeIs(doubt.choices()));
        ASSERT_FALSE(CycleWalk(doubt.nodes, edges_with(doubt, result.chosen)).broken()[rule])
            << "seed " << seed << ", rule " << rule;
        continue;
      }
      // The core is impossible by itself, and no longer without any one of it.
      ASSERT_FALSE(possible_by_definition(only(doubt, result.core))[rule])
          << "seed " << seed << ", rule " << rule;
      for (std::size_t at = 0; at < result.core.size(); ++at) {
        std::vector<std::uint32_t> less = result.core;
        less.erase(less.begin() + static_cast<std::ptrdiff_t>(at));
        ASSERT_TRUE(possible_by_definition(only(doubt, less))[rule])
            << "seed " << seed << ", rule " << rule;
      }
    }
  }
  for (std::size_t rule = 0; rule < kAll.size(); ++rule) {
    EXPECT_GT(possible[rule], kSeeds / 10) << rule;
    EXPECT_LT(possible[rule], kSeeds - kSeeds / 10) << rule;
  }
}

TEST(Polygraph, GivesTheSameAnswerEveryTime) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Polygraph doubt = random_polygraph(seed);
    for (const Forbidden rule : kAll) {
      const PolygraphResult once = solve(doubt, rule, kSteps);
      const PolygraphResult again = solve(doubt, rule, kSteps);
      ASSERT_EQ(once.answer, again.answer);
      ASSERT_EQ(once.chosen, again.chosen);
      ASSERT_EQ(once.core, again.core);
      ASSERT_EQ(once.steps, again.steps);
    }
  }
}

// Every pair has an order, and some are known to be against the numbers.
Polygraph tournament(std::uint32_t nodes, std::uint64_t seed, bool possible) {
  std::vector<std::uint32_t> place(nodes);
  std::iota(place.begin(), place.end(), 0U);
  Rng rng(seed);
  for (std::uint32_t at = nodes; at > 1; --at) std::swap(place[at - 1], place[rng.below(at)]);
  std::vector<PolyEdge> known;
  for (std::uint32_t at = 0; at + 2 < nodes; ++at) {
    known.push_back(dep(place[at], place[at + 1 + rng.below(2)]));
  }
  std::vector<Choice> choices;
  for (std::uint32_t left = 0; left < nodes; ++left) {
    for (std::uint32_t right = left + 1; right < nodes; ++right) {
      choices.push_back({{dep(left, right)}, {dep(right, left)}});
    }
  }
  if (!possible) {
    // Neither of these two closes a cycle without the other.
    choices.push_back({{dep(nodes, nodes + 1)}, {dep(nodes, nodes + 1), dep(nodes, 0)}});
    choices.push_back({{dep(nodes + 1, nodes)}, {dep(nodes + 1, nodes), dep(nodes + 1, 0)}});
  }
  return polygraph(nodes + 2, std::move(known), choices);
}

TEST(Polygraph, OrdersWhatIsKnownAgainstTheNumbers) {
  EXPECT_EQ(solve(tournament(60, 1, true), Forbidden::all_cycles, kSteps).answer, Answer::possible);
  const PolygraphResult bad = solve(tournament(60, 1, false), Forbidden::all_cycles, kSteps);
  EXPECT_EQ(bad.answer, Answer::impossible);
  EXPECT_THAT(bad.core, SizeIs(2));
}

TEST(Polygraph, TooFewStepsAreReported) {
  const Polygraph doubt = tournament(60, 2, false);
  for (const Forbidden rule : kAll) {
    for (const std::int64_t steps_max : {0, 10, 100, 1000}) {
      const PolygraphResult result = solve(doubt, rule, steps_max);
      EXPECT_EQ(result.answer, Answer::out_of_steps);
      EXPECT_GE(result.steps, steps_max);
    }
  }
}

TEST(Polygraph, AHundredThousandEasyChoicesTakeFewStepsEach) {
  constexpr std::uint32_t kNodes = 100'000;
  Rng rng(3);
  std::vector<PolyEdge> known;
  std::vector<Choice> choices;
  for (std::uint32_t at = 8; at < kNodes; ++at) {
    const auto near = [&] { return at - 1 - static_cast<std::uint32_t>(rng.below(8)); };
    known.push_back(dep(near(), at));
    known.push_back(anti(near(), at));
    const std::uint32_t other = near();
    choices.push_back({{dep(at, other), anti(at - 4, other)}, {dep(other, at)}});
  }
  for (const Forbidden rule : kAll) {
    const PolygraphResult result = solve(polygraph(kNodes, known, choices), rule, kSteps);
    EXPECT_EQ(result.answer, Answer::possible);
    EXPECT_LT(result.steps, 20 * kNodes);
  }
}

}  // namespace
}  // namespace hilsa
