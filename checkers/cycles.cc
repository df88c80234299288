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
    std::sort(found_.members.begin(), found_.members.end(),
              [](const auto& a, const auto& b) { return a.front() < b.front(); });
    for (std::uint32_t i = 0; i < found_.members.size(); ++i) {
      for (const std::uint32_t node : found_.members[i]) found_.of[node] = i;
    }
    return std::move(found_);
  }

 private:
  struct Frame {
    std::uint32_t node;
    std::uint32_t cursor = 0;
  };
  static constexpr std::uint32_t kFinished = kNone;

  void enter(std::uint32_t node) {
    number_[node] = lowest_[node] = ++last_number_;
    open_.push_back(node);
    frames_.push_back({node});
  }

  void explore(std::uint32_t start) {
    enter(start);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::uint32_t node = frame.node;
      std::uint32_t target = 0;
      EdgeKind kind{};
      if (view_.next(node, frame.cursor, target, kind)) {
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
    std::vector<std::uint32_t> members;
    const bool alone = open_.back() == root;
    while (true) {
      const std::uint32_t node = open_.back();
      open_.pop_back();
      number_[node] = kFinished;
      if (!alone) members.push_back(node);
      if (node == root) break;
    }
    if (alone) return;
    std::sort(members.begin(), members.end());
    found_.members.push_back(std::move(members));
  }

  View view_;
  std::vector<std::uint32_t> number_;  // from 1, in the order of discovery; kFinished: closed
  std::vector<std::uint32_t> lowest_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t last_number_ = 0;
  Components found_;
};

}  // namespace

Components components_of(const View& view) { return Tarjan(view).run(); }

Path PathFinder::find(std::uint32_t from, std::uint32_t to, std::uint32_t length_max,
                      const std::function<bool(std::uint32_t)>& may_pass) {
  ++search_;
  seen_in_[from] = search_;
  layer_.assign(1, from);
  for (std::uint32_t length = 1; length < length_max && !layer_.empty(); ++length) {
    next_layer_.clear();
    // Grows while it is gone through: what a free edge leads to is in the same layer.
    for (std::size_t i = 0; i < layer_.size(); ++i) {
      const std::uint32_t node = layer_[i];
      std::uint32_t cursor = 0;
      std::uint32_t target = 0;
      EdgeKind kind{};
      while (view_.next(node, cursor, target, kind)) {
        ++steps_;
        if (target == to) {
          reached_by_[target] = {node, kind};
          return path_to(from, to);
        }
        if (seen_in_[target] == search_ || !may_pass(target)) continue;
        seen_in_[target] = search_;
        reached_by_[target] = {node, kind};
        (is_free_ && is_free_(target) ? layer_ : next_layer_).push_back(target);
      }
    }
    layer_.swap(next_layer_);
  }
  return {};
}

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
