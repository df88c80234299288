#include "checkers/graph.h"

#include <algorithm>
#include <numeric>

#include "checkers/large_array.h"

namespace hilsa {

TimeChain::TimeChain(const History& history, const std::vector<std::uint8_t>& takes_part) {
  const auto count = static_cast<std::uint32_t>(history.transactions());
  end_of_ = large_array(count, kNone);
  if (!history.has_times()) return;
  // Ends come in order already, but for files from elsewhere.
  std::vector<TxnIndex> by_end;
  std::vector<TxnIndex> by_begin;
  reserve_large(by_begin, count);
  reserve_large(by_end, count);
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
  reserve_large(first_started_, by_end.size() + 1);
  reserve_large(started_, by_begin.size());
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
    : Graph(transactions, std::move(time), [edges](auto visit) {
        for (const Edge& edge : edges) visit(edge);
      }) {}

// While edges are counted, first_[n + 2] is how many leave n; then first_[n + 1] is where n's next
// edge goes, so that in the end it is where those of n + 1 begin.
void Graph::begin_counting(std::uint32_t transactions) {
  first_ = large_array<std::uint32_t>(std::size_t{transactions} + 2, 0);
}

void Graph::end_counting() {
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  to_ = large_array<TxnIndex>(first_.back(), 0);
  kind_ = large_array(first_.back(), EdgeKind::ww);
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
