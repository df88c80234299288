#include "checkers/cycles.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "checkers/large_array.h"

namespace hilsa {

bool is_acyclic(const View& view, std::vector<std::uint32_t>* layers) {
  const std::uint32_t count = view.nodes();
  std::vector<std::uint32_t> arriving = large_array<std::uint32_t>(count, 0);
  for (std::uint32_t node = 0; node < count; ++node) {
    view.each(node, [&](std::uint32_t target, EdgeKind) { ++arriving[target]; });
  }
  std::vector<std::uint32_t> ready;
  reserve_large(ready, count);
  for (std::uint32_t node = 0; node < count; ++node) {
    if (arriving[node] == 0) ready.push_back(node);
  }
  if (layers != nullptr) layers->assign(count, 0);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const std::uint32_t node = ready[i];
    view.each(node, [&](std::uint32_t target, EdgeKind) {
      if (layers != nullptr) (*layers)[target] = std::max((*layers)[target], (*layers)[node] + 1);
      if (--arriving[target] == 0) ready.push_back(target);
    });
  }
  return ready.size() == count;
}

std::vector<std::uint32_t> earliest_first_order(const View& view) {
  const std::uint32_t count = view.nodes();
  std::vector<std::uint32_t> arriving(count, 0);
  for (std::uint32_t node = 0; node < count; ++node) {
    view.each(node, [&](std::uint32_t target, EdgeKind) { ++arriving[target]; });
  }
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t node = 0; node < count; ++node) {
    if (arriving[node] == 0) ready.push(node);
  }
  std::vector<std::uint32_t> rank(count, 0);
  std::uint32_t next = 0;
  while (!ready.empty()) {
    const std::uint32_t node = ready.top();
    ready.pop();
    rank[node] = next++;
    view.each(node, [&](std::uint32_t target, EdgeKind) {
      if (--arriving[target] == 0) ready.push(target);
    });
  }
  return rank;
}

namespace {

// Tarjan's algorithm with one number a node (Pearce: A space-efficient algorithm for finding
// strongly connected components, 2016): while a node is open, the earliest open node that it is
// known to reach; afterwards, that of its component, which is above all those.
class Tarjan {
 public:
  explicit Tarjan(const View& view) : view_(view), lowest_(large_array(view.nodes(), kUnseen)) {}

  Components run() {
    for (std::uint32_t node = 0; node < view_.nodes(); ++node) {
      if (lowest_[node] == kUnseen) explore(node);
    }
    number_components();
    return std::move(found_);
  }

 private:
  // Edges of transactions are gone through in place; `cursor` is for what else there is.
  struct Frame {
    std::uint32_t node;
    std::uint32_t number;  // from 1, in the order of discovery
    std::uint32_t edge;
    std::uint32_t end;
    std::uint32_t cursor;
  };
  static constexpr std::uint32_t kUnseen = 0;
  static constexpr std::uint32_t kAlone = kNone;

  void enter(std::uint32_t node) {
    lowest_[node] = ++last_number_;
    const std::uint32_t from = view_.plain(node);
    if (!view_.graph->is_transaction(from)) {
      frames_.push_back({node, last_number_, 0, 0, 0});
      return;
    }
    const std::uint32_t begin = view_.graph->begin_of(from);
    const std::uint32_t end = view_.graph->end_of(from);
    frames_.push_back({node, last_number_, begin, end, end - begin});
  }

  // The next node that an edge of the frame leads to.
  bool next(Frame& frame, std::uint32_t& target) const {
    while (frame.edge < frame.end) {
      const std::uint32_t edge = frame.edge++;
      const EdgeKind kind = view_.graph->kind(edge);
      if ((mask_of(kind) & view_.kinds) == 0) continue;
      target = view_.graph->target(edge);
      if (!view_.lifted) return true;
      if (is_anti(kind) && (frame.node & 1U) != 0) continue;
      target = 2 * target + (is_anti(kind) ? 1 : 0);
      return true;
    }
    EdgeKind kind{};
    return view_.realtime && view_.next(frame.node, frame.cursor, target, kind);
  }

  void explore(std::uint32_t start) {
    enter(start);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      std::uint32_t& lowest = lowest_[frame.node];
      std::uint32_t target = 0;
      bool went_on = false;
      while (next(frame, target)) {
        if (lowest_[target] == kUnseen) {
          enter(target);
          went_on = true;
          break;
        }
        lowest = std::min(lowest, lowest_[target]);
      }
      if (!went_on) leave();
    }
  }

  void leave() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    const std::uint32_t lowest = lowest_[frame.node];
    if (!frames_.empty()) {
      std::uint32_t& above = lowest_[frames_.back().node];
      above = std::min(above, lowest);
    }
    if (lowest == frame.number) {
      close(frame);
    } else {
      waiting_.push_back(frame.node);
    }
  }

  void close(const Frame& root) {
    std::uint32_t component = kAlone;
    for (; !waiting_.empty() && lowest_[waiting_.back()] >= root.number; waiting_.pop_back()) {
      if (component == kAlone) component = --last_component_;
      lowest_[waiting_.back()] = component;
    }
    lowest_[root.node] = component;
  }

  // By their first nodes, whatever order they were closed in.
  void number_components() {
    std::vector<std::uint32_t> numbers(kAlone - last_component_, kNone);
    found_.of = std::move(lowest_);
    for (std::uint32_t node = 0; node < view_.nodes(); ++node) {
      std::uint32_t& of = found_.of[node];
      if (of == kAlone) continue;
      std::uint32_t& number = numbers[of - last_component_];
      if (number == kNone) {
        number = static_cast<std::uint32_t>(found_.members.size());
        found_.members.emplace_back();
      }
      of = number;
      found_.members[of].push_back(node);
    }
  }

  View view_;
  std::vector<std::uint32_t> lowest_;
  std::vector<std::uint32_t> waiting_;  // left, but their components are still open
  std::vector<Frame> frames_;
  std::uint32_t last_number_ = 0;
  std::uint32_t last_component_ = kAlone;  // downwards
  Components found_;
};

}  // namespace

Components components_of(const View& view) { return Tarjan(view).run(); }

Path PathFinder::path_to(std::uint32_t from, std::uint32_t to) const {
  Path path;
  std::uint32_t node = to;
  do {
    const Arrival& arrival = reached_by_[node];
    path.push_back({arrival.from, node, arrival.kind});
    node = arrival.from;
  } while (node != from);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace hilsa
