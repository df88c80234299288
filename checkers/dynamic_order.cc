#include "checkers/dynamic_order.h"

#include <algorithm>

namespace hilsa {

DynamicOrder::DynamicOrder(const LiftedGraph& known, std::span<const std::uint32_t> order,
                           std::int64_t& steps)
    : known_(known),
      steps_(steps),
      position_(known.nodes()),
      head_out_(known.nodes(), kNo),
      head_in_(known.nodes(), kNo),
      seen_(known.nodes(), 0),
      arrival_(known.nodes()) {
  for (std::uint32_t at = 0; at < order.size(); ++at) position_[order[at]] = at;
}

bool DynamicOrder::add(std::uint32_t from, std::uint32_t to, std::uint32_t label) {
  moved_.clear();
  if (!is_forward(from, to)) {
    if (search_forward(to, from)) {
      collect_labels(to, from);
      return false;
    }
    search_backward(from, position_[to]);
    mend();
  }
  const auto number = static_cast<std::uint32_t>(added_.size());
  added_.push_back({from, to, label, head_out_[from], head_in_[to]});
  head_out_[from] = number;
  head_in_[to] = number;
  return true;
}

void DynamicOrder::remove_last() {
  const Added& last = added_.back();
  head_out_[last.from] = last.next_out;
  head_in_[last.to] = last.next_in;
  added_.pop_back();
}

void DynamicOrder::begin_search(std::uint32_t at) {
  if (++search_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    search_ = 1;
  }
  seen_[at] = search_;
}

bool DynamicOrder::find_path(std::uint32_t from, std::uint32_t to) {
  if (!is_forward(from, to) || !search_forward(from, to)) return false;
  collect_labels(from, to);
  return true;
}

// Breadth first, over nodes that are not behind `to` in the order. True: it was reached. Else
// `ahead_` is all that was.
bool DynamicOrder::search_forward(std::uint32_t from, std::uint32_t to) {
  begin_search(from);
  ahead_.assign(1, from);
  const auto reach = [&](std::uint32_t node, std::uint32_t next, std::uint32_t label) {
    ++steps_;
    if (position_[next] > position_[to] || seen_[next] == search_) return false;
    seen_[next] = search_;
    arrival_[next] = {node, label};
    ahead_.push_back(next);
    return next == to;
  };
  for (std::size_t at = 0; at < ahead_.size(); ++at) {
    const std::uint32_t node = ahead_[at];
    for (const std::uint32_t next : known_.out(node)) {
      if (reach(node, next, kNo)) return true;
    }
    for (std::uint32_t edge = head_out_[node]; edge != kNo; edge = added_[edge].next_out) {
      if (reach(node, added_[edge].to, added_[edge].label)) return true;
    }
  }
  return false;
}

void DynamicOrder::search_backward(std::uint32_t from, std::uint32_t position_min) {
  begin_search(from);
  behind_.assign(1, from);
  const auto reach = [&](std::uint32_t previous) {
    ++steps_;
    if (position_[previous] < position_min || seen_[previous] == search_) return;
    seen_[previous] = search_;
    behind_.push_back(previous);
  };
  for (std::size_t at = 0; at < behind_.size(); ++at) {
    const std::uint32_t node = behind_[at];
    for (const std::uint32_t previous : known_.in(node)) reach(previous);
    for (std::uint32_t edge = head_in_[node]; edge != kNo; edge = added_[edge].next_in) {
      reach(added_[edge].from);
    }
  }
}

void DynamicOrder::collect_labels(std::uint32_t from, std::uint32_t to) {
  labels_.clear();
  for (std::uint32_t node = to; node != from; node = arrival_[node].from) {
    if (arrival_[node].label != kNo) labels_.push_back(arrival_[node].label);
  }
  std::sort(labels_.begin(), labels_.end());
  labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
}

// What leads to the new edge comes before what follows from it: in the places that both have now,
// each keeping its own order.
void DynamicOrder::mend() {
  const auto by_position = [&](std::uint32_t left, std::uint32_t right) {
    return position_[left] < position_[right];
  };
  std::sort(behind_.begin(), behind_.end(), by_position);
  std::sort(ahead_.begin(), ahead_.end(), by_position);
  moved_.assign(behind_.begin(), behind_.end());
  moved_.insert(moved_.end(), ahead_.begin(), ahead_.end());
  places_.clear();
  for (const std::uint32_t node : moved_) places_.push_back(position_[node]);
  std::sort(places_.begin(), places_.end());
  for (std::size_t at = 0; at < moved_.size(); ++at) position_[moved_[at]] = places_[at];
  steps_ += static_cast<std::int64_t>(moved_.size());
}

}  // namespace hilsa
