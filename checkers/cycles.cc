#include "checkers/cycles.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace hilsa {

bool is_acyclic(const View& view, std::vector<std::uint32_t>* layers) {
  const std::uint32_t count = view.nodes();
  std::vector<std::uint32_t> arriving(count, 0);
  for (std::uint32_t node = 0; node < count; ++node) {
    view.each(node, [&](std::uint32_t target, EdgeKind) { ++arriving[target]; });
  }
  std::vector<std::uint32_t> ready;
  ready.reserve(count);
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

class Tarjan {
 public:
  explicit Tarjan(const View& view)
      : view_(view), number_(view.nodes(), 0), lowest_(view.nodes(), 0) {
    found_.of.assign(view.nodes(), kNone);
  }

  Components run() {
    for (std::uint32_t node = 0; node < view_.nodes(); ++node) {
      if (number_[node] == 0) explore(node);
    }
    number_components();
    return std::move(found_);
  }

 private:
  // Edges of transactions are gone through in place; `cursor` is for what else there is.
  struct Frame {
    std::uint32_t node;
    std::uint32_t edge;
    std::uint32_t end;
    std::uint32_t cursor;
  };
  static constexpr std::uint32_t kFinished = kNone;

  void enter(std::uint32_t node) {
    number_[node] = lowest_[node] = ++last_number_;
    open_.push_back(node);
    const std::uint32_t from = view_.plain(node);
    if (view_.graph->is_transaction(from)) {
      const std::uint32_t edges = view_.graph->end_of(from) - view_.graph->begin_of(from);
      frames_.push_back({node, view_.graph->begin_of(from), view_.graph->end_of(from), edges});
    } else {
      frames_.push_back({node, 0, 0, 0});
    }
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
      const std::uint32_t node = frame.node;
      std::uint32_t target = 0;
      if (next(frame, target)) {
        if (number_[target] == 0) {
          enter(target);
        } else if (number_[target] != kFinished) {
          lowest_[node] = std::min(lowest_[node], number_[target]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        std::uint32_t& above = lowest_[frames_.back().node];
        above = std::min(above, lowest_[node]);
      }
      if (lowest_[node] == number_[node]) close(node);
    }
  }

  void close(std::uint32_t root) {
    const bool alone = open_.back() == root;
    while (true) {
      const std::uint32_t node = open_.back();
      open_.pop_back();
      number_[node] = kFinished;
      if (!alone) found_.of[node] = closed_;
      if (node == root) break;
    }
    if (!alone) ++closed_;
  }

  // By their first nodes, whatever order they were closed in.
  void number_components() {
    std::vector<std::uint32_t> numbers(closed_, kNone);
    for (std::uint32_t node = 0; node < view_.nodes(); ++node) {
      std::uint32_t& of = found_.of[node];
      if (of == kNone) continue;
      if (numbers[of] == kNone) {
        numbers[of] = static_cast<std::uint32_t>(found_.members.size());
        found_.members.emplace_back();
      }
      of = numbers[of];
      found_.members[of].push_back(node);
    }
  }

  View view_;
  std::vector<std::uint32_t> number_;  // from 1, in the order of discovery; kFinished: closed
  std::vector<std::uint32_t> lowest_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t last_number_ = 0;
  std::uint32_t closed_ = 0;
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
