// Forbidden cycles of a polygraph as plain cycles of another graph, the lifted one, so that one
// topological order of it shows that there are none.
//
// all_cycles: the graph itself. dependency_cycles: the graph without its anti edges.
//
// nonadjacent_cycles: every transaction v becomes two nodes, its start S(v) and its commit C(v),
// with an edge S(v) → C(v). A dependency u → v becomes C(u) → S(v), an anti edge u → v becomes S(u)
// → C(v). Claim: the lifted graph has a cycle exactly if the graph has a simple cycle in which no
// two anti edges are next to each other, the last and the first being next to each other too.
//   ⇐ In such a cycle each anti edge u → v has a dependency before it, which arrives at S(u), and
//   one
//     behind it, which leaves from C(v). Two dependencies in a row are joined by S(v) → C(v). So
//     the lifted edges close. (A cycle with one anti edge is of this kind, since it has a
//     dependency too: there are no edges a → a.)
//   ⇒ Along a lifted cycle, an anti edge ends at some C(v), from which only dependencies leave;
//   that
//     holds around the end as well, since it is a property of the node. So the cycle is a closed
//     walk of the graph without adjacent anti edges. If the walk comes to some v twice, by the edge
//     i then leaving by o, and by j then leaving by p, it falls into two closed walks, one from o
//     to j and one from p to i. If in the first one j and o are both anti edges, then i and p are
//     both dependencies, as i is next to o and j next to p, and the second walk is a good one. Else
//     the first one is. Take the good one, which is shorter, until no node comes twice. ∎
// (An order of these starts and commits is at once a run of snapshot isolation: Cerone, Gotsman:
// Analysing snapshot isolation, JACM 2018.)
//
// single_anti_cycles: dependencies alone are lifted, as themselves; anti edges are no part of the
// order: each forbids a path back. An anti edge that agrees with the order has no such path.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checkers/polygraph.h"

namespace hilsa {

// What an edge of the polygraph means in the lifted graph.
class Lift {
 public:
  explicit Lift(Forbidden forbidden) : forbidden_(forbidden) {}

  std::uint32_t nodes(std::uint32_t base_nodes) const { return base_nodes * per_node(); }
  std::uint32_t base_of(std::uint32_t node) const { return node / per_node(); }
  // Lifted nodes of one node of the polygraph: adjacent, in the order in which they happen.
  std::uint32_t per_node() const { return is_doubled() ? 2 : 1; }
  bool is_doubled() const { return forbidden_ == Forbidden::nonadjacent_cycles; }

  // Edges that can be in no forbidden cycle do not matter.
  bool matters(const PolyEdge& edge) const {
    return edge.from != edge.to && !(edge.anti && forbidden_ == Forbidden::dependency_cycles);
  }
  // Of those that matter: an edge of the lifted graph, or (false) one that only forbids a path
  // back.
  bool orders(const PolyEdge& edge) const {
    return !edge.anti || forbidden_ != Forbidden::single_anti_cycles;
  }
  bool has_path_bans() const { return forbidden_ == Forbidden::single_anti_cycles; }
  std::uint32_t from(const PolyEdge& edge) const {
    return is_doubled() ? 2 * edge.from + (edge.anti ? 0 : 1) : edge.from;
  }
  std::uint32_t to(const PolyEdge& edge) const {
    return is_doubled() ? 2 * edge.to + (edge.anti ? 1 : 0) : edge.to;
  }

 private:
  Forbidden forbidden_;
};

struct LiftedEdge {
  std::uint32_t from;
  std::uint32_t to;
};

// A graph that does not change, in compressed sparse rows, both ways.
class LiftedGraph {
 public:
  LiftedGraph(std::uint32_t nodes, std::span<const LiftedEdge> edges);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(first_out_.size() - 1); }
  std::size_t edges() const { return out_.size(); }
  std::span<const std::uint32_t> out(std::uint32_t node) const {
    return row(first_out_, out_, node);
  }
  std::span<const std::uint32_t> in(std::uint32_t node) const { return row(first_in_, in_, node); }

 private:
  using Column = std::vector<std::uint32_t>;
  static std::span<const std::uint32_t> row(const Column& first, const Column& all,
                                            std::uint32_t node) {
    return std::span(all).subspan(first[node], first[node + 1] - first[node]);
  }
  Column first_out_;
  Column out_;
  Column first_in_;
  Column in_;
};

// The known edges of a polygraph, lifted.
LiftedGraph lifted_known(const Polygraph& polygraph, const Lift& lift);

// The nodes in a topological order, of all those the one with the smallest numbers first; none if
// there is a cycle. O(edges + nodes log nodes), linear if the numbers are an order already.
std::optional<std::vector<std::uint32_t>> topological_order(const LiftedGraph& graph);

// A topological order of the known dependencies in which anti edges go forward as well, as far as
// they are in no cycle with dependencies and other anti edges; for single_anti_cycles.
std::optional<std::vector<std::uint32_t>> dependency_order(const Polygraph& polygraph);

}  // namespace hilsa
