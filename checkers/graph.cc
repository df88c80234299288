#include "checkers/graph.h"

#include <algorithm>
#include <numeric>

namespace hilsa {

TimeChain::TimeChain(const History& history, const std::vector<std::uint8_t>& takes_part) {
  const auto count = static_cast<std::uint32_t>(history.transactions());
  end_of_.assign(count, kNone);
  if (!history.has_times()) return;
  // Ends come in order already, but for files from elsewhere.
  std::vector<TxnIndex> by_end;
  std::vector<TxnIndex> by_begin;
  by_begin.reserve(count);
  by_end.reserve(count);
  for (TxnIndex txn = 0; txn < count; ++txn) {
    if (takes_part[txn] == 0) continue;
    by_begin.push_back(txn);
    if (history.txn_flags[txn].outcome != AttemptOutcome::unknown) by_end.push_back(txn);
  }
  const auto sort_by = [](std::vector<TxnIndex>& txns, const std::vector<Nanoseconds>& times) {
    const auto earlier = [&](TxnIndex a, TxnIndex b) {
      return times[a] != times[b] ? times[a] < times[b] : a < b;
    };
    if (!std::is_sorted(txns.begin(), txns.end(), earlier)) {
      std::sort(txns.begin(), txns.end(), earlier);
    }
  };
  sort_by(by_end, history.txn_end);
  sort_by(by_begin, history.txn_begin);
  first_started_.clear();
  first_started_.reserve(by_end.size() + 1);
  started_.reserve(by_begin.size());
  auto begun = by_begin.begin();
  for (std::size_t i = 0; i < by_end.size(); ++i) {
    // What begins at this end or before it does not come after it.
    const Nanoseconds end = history.txn_end[by_end[i]];
    while (begun != by_begin.end() && history.txn_begin[*begun] <= end) {
      if (i > 0) started_.push_back(*begun);
      ++begun;
    }
    first_started_.push_back(static_cast<std::uint32_t>(started_.size()));
    end_of_[by_end[i]] = static_cast<std::uint32_t>(i);
  }
  started_.insert(started_.end(), begun, by_begin.end());
  first_started_.push_back(static_cast<std::uint32_t>(started_.size()));
}

Graph::Graph(std::uint32_t transactions, std::span<const Edge> edges, TimeChain time)
    : time_(std::move(time)) {
  first_.assign(transactions + 2, 0);
  for (const Edge& edge : edges) {
    if (edge.from != edge.to) ++first_[edge.from + 2];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  to_.resize(first_.back());
  kind_.resize(first_.back());
  for (const Edge& edge : edges) {
    if (edge.from == edge.to) continue;
    const std::uint32_t at = first_[edge.from + 1]++;
    to_[at] = edge.to;
    kind_[at] = edge.kind;
  }
  first_.pop_back();
}

View whole_of(const Graph& graph) {
  return {&graph, kDependencies | kAnti | mask_of(EdgeKind::session), graph.time().nodes() > 0,
          false};
}

std::vector<Edge> edges_of(const View& view) {
  std::vector<Edge> edges;
  for (std::uint32_t node = 0; node < view.nodes(); ++node) {
    view.each(node, [&](std::uint32_t target, EdgeKind kind) {
      edges.push_back({node, target, kind});
    });
  }
  return edges;
}

}  // namespace hilsa
