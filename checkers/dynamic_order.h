// A topological order of a graph that is kept while edges come and go.
//
// An edge that agrees with the order costs nothing. One against it makes the part of the order
// between its ends, and only that, be searched and mended: Pearce, Kelly: A dynamic topological
// sort algorithm for directed acyclic graphs (JEA 2006). When edges leave, the order stays as it
// is: it is still good.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checkers/lifted_graph.h"

namespace hilsa {

class DynamicOrder {
 public:
  // `known` must outlive this; `order` is a topological order of it. Every edge that is looked at
  // is counted in `steps`.
  DynamicOrder(const LiftedGraph& known, std::span<const std::uint32_t> order, std::int64_t& steps);

  bool is_forward(std::uint32_t from, std::uint32_t to) const {
    return position_[from] < position_[to];
  }
  // The label is handed back where the edge is part of a path. False: the edge would close a cycle;
  // it is not added, and labels_of_path() are those of a shortest path from `to` to `from`.
  bool add(std::uint32_t from, std::uint32_t to, std::uint32_t label);
  // The nodes that the last add() has moved.
  std::span<const std::uint32_t> moved() const { return moved_; }
  // The last of the added edges goes.
  void remove_last();
  std::size_t added() const { return added_.size(); }
  // Whether there is a path over one edge or more; if so, labels_of_path() are those of a shortest.
  bool find_path(std::uint32_t from, std::uint32_t to);
  // Each once, in no particular order; known edges have no label.
  std::span<const std::uint32_t> labels_of_path() const { return labels_; }

 private:
  static constexpr std::uint32_t kNo = 0xffffffff;
  struct Added {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t label;
    std::uint32_t next_out;  // the one added before it from the same node, or kNo
    std::uint32_t next_in;
  };
  struct Arrival {
    std::uint32_t from = kNo;
    std::uint32_t label = kNo;
  };

  void begin_search(std::uint32_t at);
  bool search_forward(std::uint32_t from, std::uint32_t to);
  void search_backward(std::uint32_t from, std::uint32_t position_min);
  void collect_labels(std::uint32_t from, std::uint32_t to);
  void mend();

  const LiftedGraph& known_;
  std::int64_t& steps_;
  std::vector<std::uint32_t> position_;
  std::vector<Added> added_;             // a stack
  std::vector<std::uint32_t> head_out_;  // of each node: the last added edge, or kNo
  std::vector<std::uint32_t> head_in_;
  std::vector<std::uint32_t> seen_;  // the search in which a node was reached last
  std::uint32_t search_ = 0;
  std::vector<Arrival> arrival_;  // how the last search that goes forward came to a node
  std::vector<std::uint32_t> ahead_;
  std::vector<std::uint32_t> behind_;
  std::vector<std::uint32_t> moved_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> labels_;
};

}  // namespace hilsa
