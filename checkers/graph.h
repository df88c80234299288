// The dependency graph of a history: who must come before whom, and why. Compressed sparse rows:
// five bytes an edge.
//
// Real time needs O(n) edges, not n²: the ends of all transactions form a chain of time nodes; a
// transaction enters the chain at its end, and the chain leads to whatever begins before the next
// end:
//
//   T1 |----|            T1 -> e1 -> e2 -> …      (e1, e2: time nodes)
//   T2   |-------|       e1 -> T3                 T1 before T3, but not T2 before T3
//   T3        |------|
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

struct Edge {
  TxnIndex from = 0;
  TxnIndex to = 0;
  EdgeKind kind = EdgeKind::ww;
};

// Sets of edge kinds.
using KindMask = std::uint8_t;
constexpr KindMask mask_of(EdgeKind kind) {
  return static_cast<KindMask>(1U << static_cast<unsigned>(kind));
}
inline constexpr KindMask kWriteDependencies = mask_of(EdgeKind::ww);
inline constexpr KindMask kReadDependencies =
    mask_of(EdgeKind::wr) | mask_of(EdgeKind::predicate_wr);
inline constexpr KindMask kDependencies = kWriteDependencies | kReadDependencies;
inline constexpr KindMask kItemAnti = mask_of(EdgeKind::rw);
inline constexpr KindMask kPredicateAnti = mask_of(EdgeKind::predicate_rw);
inline constexpr KindMask kAnti = kItemAnti | kPredicateAnti;
inline bool is_anti(EdgeKind kind) { return (mask_of(kind) & kAnti) != 0; }

// The order of real time over some of the transactions.
class TimeChain {
 public:
  TimeChain() = default;
  // `ends` tells for each transaction whether its end is known (an in-doubt one's is not); only
  // transactions in `takes_part` do.
  TimeChain(const History& history, const std::vector<std::uint8_t>& takes_part);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(first_started_.size() - 1); }
  // The time node of the transaction's end; kNone: it never ended, or takes no part.
  std::uint32_t end_of(TxnIndex txn) const { return end_of_[txn]; }
  // What begins after this end and before (or at) the next.
  std::span<const TxnIndex> started_after(std::uint32_t node) const {
    return std::span(started_).subspan(first_started_[node],
                                       first_started_[node + 1] - first_started_[node]);
  }

 private:
  std::vector<std::uint32_t> end_of_;
  std::vector<std::uint32_t> first_started_{0};
  std::vector<TxnIndex> started_;
};

class Graph {
 public:
  Graph() = default;
  // Duplicates are kept. Edges from a transaction to itself are dropped.
  Graph(std::uint32_t transactions, std::span<const Edge> edges, TimeChain time);
  // Of the edges that each_edge(visit) calls visit(edge) for: twice, since their numbers have to be
  // known before there is room for them.
  template <typename EachEdge>
  Graph(std::uint32_t transactions, TimeChain time, const EachEdge& each_edge)
      : time_(std::move(time)) {
    begin_counting(transactions);
    each_edge([this](const Edge& edge) {
      if (edge.from != edge.to) ++first_[edge.from + 2];
    });
    end_counting();
    each_edge([this](const Edge& edge) {
      if (edge.from == edge.to) return;
      const std::uint32_t at = first_[edge.from + 1]++;
      to_[at] = edge.to;
      kind_[at] = edge.kind;
    });
    first_.pop_back();
  }

  std::uint32_t transactions() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  // Transactions first, then time nodes.
  std::uint32_t nodes() const { return transactions() + time_.nodes(); }
  bool is_transaction(std::uint32_t node) const { return node < transactions(); }
  std::uint32_t begin_of(TxnIndex txn) const { return first_[txn]; }
  std::uint32_t end_of(TxnIndex txn) const { return first_[txn + 1]; }
  TxnIndex target(std::uint32_t edge) const { return to_[edge]; }
  EdgeKind kind(std::uint32_t edge) const { return kind_[edge]; }
  std::size_t edges() const { return to_.size(); }
  const TimeChain& time() const { return time_; }

 private:
  void begin_counting(std::uint32_t transactions);
  void end_counting();

  std::vector<std::uint32_t> first_{0};
  std::vector<TxnIndex> to_;
  std::vector<EdgeKind> kind_;
  TimeChain time_;
};

// A part of the graph: edges of some kinds, with or without real time, and perhaps lifted: then
// every node stands twice, for "reached by a dependency" (even) and "reached by an anti-dependency"
// (odd), from where no further anti-dependency leads on. A cycle of the lifted graph is a cycle in
// which no two anti-dependencies are adjacent, and the other way round (Cerone, Gotsman 2018: these
// are what snapshot isolation forbids).
struct View {
  const Graph* graph = nullptr;
  KindMask kinds = 0;
  bool realtime = false;
  bool lifted = false;

  std::uint32_t nodes() const {
    const std::uint32_t plain = realtime ? graph->nodes() : graph->transactions();
    return lifted ? 2 * plain : plain;
  }
  std::uint32_t plain(std::uint32_t node) const { return lifted ? node / 2 : node; }
  std::uint32_t lift(std::uint32_t plain_node) const {
    return lifted ? 2 * plain_node : plain_node;
  }

  // Calls visit(target, kind) for every edge out of the node. The fast way through a graph.
  template <typename Visit>
  void each(std::uint32_t node, Visit&& visit) const {
    const std::uint32_t from = plain(node);
    if (!graph->is_transaction(from)) {
      const std::uint32_t time_node = from - graph->transactions();
      for (const TxnIndex txn : graph->time().started_after(time_node)) {
        visit(lift(txn), EdgeKind::realtime);
      }
      if (time_node + 1 < graph->time().nodes()) visit(lift(from + 1), EdgeKind::realtime);
      return;
    }
    const bool after_anti = lifted && (node & 1U) != 0;
    const KindMask wanted = after_anti ? static_cast<KindMask>(kinds & ~kAnti) : kinds;
    const std::uint32_t end = graph->end_of(from);
    for (std::uint32_t edge = graph->begin_of(from); edge < end; ++edge) {
      const EdgeKind kind = graph->kind(edge);
      if ((mask_of(kind) & wanted) == 0) continue;
      const std::uint32_t target = graph->target(edge);
      visit(lifted ? 2 * target + (is_anti(kind) ? 1 : 0) : target, kind);
    }
    if (!realtime) return;
    const std::uint32_t end_node = graph->time().end_of(from);
    if (end_node != kNone) visit(lift(graph->transactions() + end_node), EdgeKind::realtime);
  }

  // The edge at `cursor`, which starts as 0, and moves it on; false when there is none left.
  bool next(std::uint32_t node, std::uint32_t& cursor, std::uint32_t& target,
            EdgeKind& kind) const {
    const std::uint32_t from = plain(node);
    if (!graph->is_transaction(from)) return next_in_time(from, cursor, target, kind);
    const std::uint32_t begin = graph->begin_of(from);
    const std::uint32_t count = graph->end_of(from) - begin;
    while (cursor < count) {
      const std::uint32_t edge = begin + cursor++;
      kind = graph->kind(edge);
      if ((mask_of(kind) & kinds) == 0) continue;
      target = graph->target(edge);
      if (lifted) {
        const bool anti = is_anti(kind);
        if (anti && (node & 1U) != 0) continue;
        target = 2 * target + (anti ? 1 : 0);
      }
      return true;
    }
    if (!realtime || cursor > count) return false;
    ++cursor;
    const std::uint32_t end = graph->time().end_of(from);
    if (end == kNone) return false;
    kind = EdgeKind::realtime;
    target = lift(graph->transactions() + end);
    return true;
  }

 private:
  bool next_in_time(std::uint32_t from, std::uint32_t& cursor, std::uint32_t& target,
                    EdgeKind& kind) const {
    const std::uint32_t node = from - graph->transactions();
    const auto started = graph->time().started_after(node);
    kind = EdgeKind::realtime;
    if (cursor < started.size()) {
      target = lift(started[cursor++]);
      return true;
    }
    if (cursor > started.size() || node + 1 >= graph->time().nodes()) return false;
    ++cursor;
    target = lift(from + 1);
    return true;
  }
};

// All of it: every kind of edge, session order, and real time as far as there is any.
View whole_of(const Graph& graph);
// The edges of a view that is not lifted, one after the other.
std::vector<Edge> edges_of(const View& view);

}  // namespace hilsa
