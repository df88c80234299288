// Dependencies that are known, and some with several possible explanations: is there a choice of
// explanations under which the transactions have an order? NP-hard in general (Papadimitriou: The
// serializability of concurrent database updates, JACM 1979, where polygraphs come from); here by a
// guess first, which is checked in linear time, and then by a search that learns, within a budget.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilsa {

struct PolyEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool anti = false;  // an rw edge; else ww, wr, session, realtime
  friend bool operator==(const PolyEdge&, const PolyEdge&) = default;
};

// Which cycles are forbidden. Cycles are simple: no node twice. Edges from a node to itself are
// ignored. Each of these forbids all that the one before it forbids.
enum class Forbidden {
  dependency_cycles,   // of edges that are not anti (read committed; anti edges do not matter)
  single_anti_cycles,  // those, and cycles with exactly one anti edge (consistent view)
  nonadjacent_cycles,  // those, and cycles in which no two anti edges are next to each other
                       // (snapshot isolation)
  all_cycles           // (serializable)
};

struct Polygraph {
  std::uint32_t nodes = 0;
  std::vector<PolyEdge> known;
  // A choice is a range of alternatives, an alternative a range of edges: all of its edges hold if
  // it is chosen. An alternative may have no edges. A choice has at least one alternative.
  std::vector<std::uint32_t> choice_first_alternative;  // one more than choices; starts with 0
  std::vector<std::uint32_t> alternative_first_edge;    // one more than alternatives; starts with 0
  std::vector<PolyEdge> edges;

  std::size_t choices() const { return choice_first_alternative.size() - 1; }
  std::size_t alternatives_of(std::size_t choice) const {
    return choice_first_alternative[choice + 1] - choice_first_alternative[choice];
  }
  std::span<const PolyEdge> edges_of(std::size_t choice, std::size_t alternative) const {
    const std::size_t at = choice_first_alternative[choice] + alternative;
    return std::span(edges).subspan(alternative_first_edge[at],
                                    alternative_first_edge[at + 1] - alternative_first_edge[at]);
  }
};

struct PolygraphResult {
  enum class Answer { possible, impossible, out_of_steps };
  Answer answer = Answer::out_of_steps;
  // possible: the alternative taken for each choice.
  std::vector<std::uint32_t> chosen;
  // impossible: choices that cannot all be made, few of them (by leaving out one after the other
  // while that stays impossible, as far as the budget goes); empty when the known edges alone are
  // impossible. In the order in which they are forced: the first has one alternative that does not
  // close a cycle with what is known, the next one with that as well, and so on up to one that has
  // none. Where nothing is forced without trying several choices together, by number.
  std::vector<std::uint32_t> core;
  std::int64_t steps = 0;
};

// Deterministic. A step is one edge, node or learned constraint looked at. Whether a number of
// steps is exceeded is asked between searches of the graph, each linear at most. Linear, and one
// pass, when every choice has an alternative that agrees with the topological order of the known
// edges that takes nodes by number where it is free to: so number them as they probably happened.
PolygraphResult solve(const Polygraph& polygraph, Forbidden forbidden, std::int64_t steps_max);

}  // namespace hilsa
