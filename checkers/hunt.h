// The hunt for evidence: cycles of each class of anomaly, within the part of the graph that fails.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "checkers/cycles.h"
#include "checkers/graph.h"
#include "checkers/verdict.h"

namespace hilsa {

// The nodes that are on some cycle, and the edges between those of one component, with numbers of
// their own. Session and real-time edges are edges like all others here; time nodes are nodes.
struct Core {
  Graph graph;
  std::vector<std::uint32_t> original;  // by node: the transaction, or kNone for a time node
  std::int64_t largest = 0;             // transactions in the largest component
};
// Of the whole graph, with real time as far as there is any. O(nodes + edges).
Core core_of(const Graph& graph);

// The strongly connected components of parts of the core, each found once: levels ask whether there
// are any, the hunt goes through them.
class CoreComponents {
 public:
  explicit CoreComponents(const Core& core);
  const Components& of(const View& view);
  bool is_acyclic(KindMask kinds, bool lifted);
  // Whether there are edges of any of these kinds.
  bool has(KindMask kinds) const { return (present_ & kinds) != 0; }
  const Core& core() const { return *core_; }

 private:
  bool are_in_order(KindMask kinds);

  const Core* core_;
  KindMask present_ = 0;  // kinds that the core has: others make no difference
  std::map<std::pair<KindMask, bool>, Components> found_;
  std::map<KindMask, bool> in_order_;  // of dependencies alone
};

// A cycle as transactions and edges between them; real time, through however many time nodes, is
// one edge.
struct Cycle {
  std::vector<Edge> edges;
};

struct Hunted {
  std::int64_t components = 0;  // with such a cycle
  std::vector<Cycle> shortest;  // at most as many as were wanted
};

// The kinds of edges that count at a need: session order with session; both with realtime.
KindMask order_kinds(Needs needs);

// Cycles of this class with the orders of `needs`. Exact about whether there is one for G0, G1c,
// G-single (unless there is a G1c), G-nonadjacent where there is no G-single, and for G2-item and
// G2 in components without those; what it finds is shortest unless a component is so large that
// going through all of it would cost more than a few passes.
Hunted hunt(CoreComponents& components, AnomalyClass anomaly, Needs needs, int wanted);

}  // namespace hilsa
