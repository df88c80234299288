#include "checkers/lifted_graph.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace hilsa {
namespace {

// A stable counting sort of `edges` by one end, of which the other end is kept.
void fill_rows(std::span<const LiftedEdge> edges, std::uint32_t LiftedEdge::*row,
               std::uint32_t LiftedEdge::*kept, std::vector<std::uint32_t>& first,
               std::vector<std::uint32_t>& all) {
  for (const LiftedEdge& edge : edges) ++first[edge.*row + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  all.resize(edges.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const LiftedEdge& edge : edges) all[next[edge.*row]++] = edge.*kept;
}

bool numbers_are_an_order(const LiftedGraph& graph) {
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    for (const std::uint32_t next : graph.out(node)) {
      if (next <= node) return false;
    }
  }
  return true;
}

// Strongly connected components by Tarjan (1972), with a stack of its own in place of recursion.
class Components {
 public:
  explicit Components(const LiftedGraph& graph)
      : graph_(graph),
        number_(graph.nodes(), 0),
        low_(graph.nodes(), 0),
        component_(graph.nodes(), kNoComponent) {
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      if (number_[node] == 0) explore(node);
    }
  }
  bool are_together(std::uint32_t left, std::uint32_t right) const {
    return component_[left] == component_[right];
  }

 private:
  static constexpr std::uint32_t kNoComponent = 0xffffffff;
  struct Visit {
    std::uint32_t node;
    std::uint32_t next = 0;  // of its outgoing edges, the next one to follow
  };

  void enter(std::uint32_t node) {
    number_[node] = low_[node] = ++count_;
    open_.push_back(node);
    path_.push_back({node});
  }

  void explore(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      Visit& visit = path_.back();
      const std::span<const std::uint32_t> out = graph_.out(visit.node);
      if (visit.next == out.size()) {
        leave(visit.node);
        continue;
      }
      const std::uint32_t next = out[visit.next++];
      if (number_[next] == 0) {
        enter(next);
      } else if (component_[next] == kNoComponent) {
        low_[visit.node] = std::min(low_[visit.node], number_[next]);
      }
    }
  }

  void leave(std::uint32_t node) {
    path_.pop_back();
    if (!path_.empty()) {
      low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
    }
    if (low_[node] != number_[node]) return;
    std::uint32_t member = kNoComponent;
    while (member != node) {
      member = open_.back();
      open_.pop_back();
      component_[member] = node;
    }
  }

  const LiftedGraph& graph_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> number_;  // order of discovery, from 1; 0: not yet
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> component_;  // its first discovered node
  std::vector<std::uint32_t> open_;
  std::vector<Visit> path_;
};

}  // namespace

LiftedGraph::LiftedGraph(std::uint32_t nodes, std::span<const LiftedEdge> edges)
    : first_out_(std::size_t{nodes} + 1, 0), first_in_(std::size_t{nodes} + 1, 0) {
  fill_rows(edges, &LiftedEdge::from, &LiftedEdge::to, first_out_, out_);
  fill_rows(edges, &LiftedEdge::to, &LiftedEdge::from, first_in_, in_);
}

LiftedGraph lifted_known(const Polygraph& polygraph, const Lift& lift) {
  std::vector<LiftedEdge> edges;
  edges.reserve(polygraph.known.size() + (lift.is_doubled() ? polygraph.nodes : 0));
  if (lift.is_doubled()) {
    for (std::uint32_t node = 0; node < polygraph.nodes; ++node) {
      edges.push_back({2 * node, 2 * node + 1});
    }
  }
  for (const PolyEdge& edge : polygraph.known) {
    if (lift.matters(edge) && lift.orders(edge)) edges.push_back({lift.from(edge), lift.to(edge)});
  }
  return {lift.nodes(polygraph.nodes), edges};
}

std::optional<std::vector<std::uint32_t>> topological_order(const LiftedGraph& graph) {
  std::vector<std::uint32_t> order;
  if (numbers_are_an_order(graph)) {
    order.resize(graph.nodes());
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }
  order.reserve(graph.nodes());
  std::vector<std::uint32_t> waits_for(graph.nodes());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    waits_for[node] = static_cast<std::uint32_t>(graph.in(node).size());
    if (waits_for[node] == 0) ready.push(node);
  }
  while (!ready.empty()) {
    const std::uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const std::uint32_t next : graph.out(node)) {
      if (--waits_for[next] == 0) ready.push(next);
    }
  }
  if (order.size() < graph.nodes()) return std::nullopt;
  return order;
}

std::optional<std::vector<std::uint32_t>> dependency_order(const Polygraph& polygraph) {
  std::vector<LiftedEdge> edges;
  for (const PolyEdge& edge : polygraph.known) {
    if (edge.from != edge.to) edges.push_back({edge.from, edge.to});
  }
  const LiftedGraph all(polygraph.nodes, edges);
  if (auto order = topological_order(all)) return order;
  const Components components(all);
  edges.clear();
  for (const PolyEdge& edge : polygraph.known) {
    if (edge.from == edge.to) continue;
    if (edge.anti && components.are_together(edge.from, edge.to)) continue;
    edges.push_back({edge.from, edge.to});
  }
  return topological_order(LiftedGraph(polygraph.nodes, edges));
}

}  // namespace hilsa
