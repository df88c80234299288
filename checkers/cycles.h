// Cycles in a part of the dependency graph: whether there are any, where, and short ones.
// No recursion: histories are long.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "checkers/graph.h"

namespace hilsa {

// Kahn's algorithm (1962). O(nodes + edges). `layers`, if wanted, becomes for each node the length
// of the longest path that leads to it: smaller along every edge. Meaningless for nodes on or
// behind a cycle.
bool is_acyclic(const View& view, std::vector<std::uint32_t>* layers = nullptr);

// By node: its rank in the order that the edges allow and that, where they leave a choice, takes
// the smallest node first. The view must be acyclic. O(edges + nodes log nodes).
std::vector<std::uint32_t> earliest_first_order(const View& view);

// Strongly connected components of more than one node (Tarjan 1972, with a stack of our own).
// O(nodes + edges).
struct Components {
  std::vector<std::uint32_t> of;                    // by node; kNone: on no cycle
  std::vector<std::vector<std::uint32_t>> members;  // in ascending order; components by their first
  bool same(std::uint32_t a, std::uint32_t b) const { return of[a] != kNone && of[a] == of[b]; }
};
Components components_of(const View& view);

struct Step {
  std::uint32_t from = 0;  // nodes of the view
  std::uint32_t to = 0;
  EdgeKind kind = EdgeKind::ww;
};
using Path = std::vector<Step>;

// Shortest paths by breadth-first search, one after the other in one view. Keeps its memory.
class PathFinder {
 public:
  // Edges to nodes for which `is_free` holds (time nodes) do not count in a path's length.
  PathFinder(const View& view, std::function<bool(std::uint32_t)> is_free)
      : view_(view),
        is_free_(std::move(is_free)),
        seen_in_(view.nodes(), 0),
        reached_by_(view.nodes()) {}

  // A shortest path from `from` to `to` of a length below `length_max`, over nodes for which
  // `may_pass` holds (asked for neither end). Empty: there is none.
  template <typename MayPass>
  Path find(std::uint32_t from, std::uint32_t to, std::uint32_t length_max, MayPass may_pass) {
    ++search_;
    seen_in_[from] = search_;
    layer_.assign(1, from);
    bool found = false;
    for (std::uint32_t length = 1; length < length_max && !layer_.empty(); ++length) {
      next_layer_.clear();
      // Grows while it is gone through: what a free edge leads to is in the same layer.
      for (std::size_t i = 0; i < layer_.size() && !found; ++i) {
        const std::uint32_t node = layer_[i];
        view_.each(node, [&](std::uint32_t target, EdgeKind kind) {
          ++steps_;
          if (found) return;
          if (target == to) found = true;
          if (!found && (seen_in_[target] == search_ || !may_pass(target))) return;
          seen_in_[target] = search_;
          reached_by_[target] = {node, kind};
          (is_free_(target) ? layer_ : next_layer_).push_back(target);
        });
      }
      if (found) return path_to(from, to);
      layer_.swap(next_layer_);
    }
    return {};
  }
  // Edges looked at so far, by all searches.
  std::int64_t steps() const { return steps_; }

 private:
  struct Arrival {
    std::uint32_t from;
    EdgeKind kind;
  };
  Path path_to(std::uint32_t from, std::uint32_t to) const;

  View view_;
  std::function<bool(std::uint32_t)> is_free_;
  std::vector<std::uint32_t> seen_in_;  // the number of the search that saw the node last
  std::vector<Arrival> reached_by_;
  std::vector<std::uint32_t> layer_;
  std::vector<std::uint32_t> next_layer_;
  std::uint32_t search_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace hilsa
