#include "checkers/polygraph_search.h"

#include <algorithm>
#include <numeric>

namespace hilsa {

PolygraphSearch::PolygraphSearch(const Polygraph& polygraph, const Lift& lift, DynamicOrder& order,
                                 std::vector<std::uint32_t> choices, std::int64_t& steps,
                                 std::int64_t steps_max)
    : polygraph_(polygraph),
      lift_(lift),
      order_(order),
      steps_(steps),
      steps_max_(steps_max),
      choices_(std::move(choices)),
      first_alternative_(1, 0),
      taken_(choices_.size(), 0),
      used_(choices_.size(), 0),
      is_waiting_(choices_.size(), 0),
      bumped_(choices_.size(), 0) {
  for (std::uint32_t choice = 0; choice < choices_.size(); ++choice) {
    const std::size_t count = polygraph.alternatives_of(choices_[choice]);
    choice_of_.insert(choice_of_.end(), count, choice);
    left_.push_back(static_cast<std::uint32_t>(count));
    first_alternative_.push_back(static_cast<std::uint32_t>(choice_of_.size()));
  }
  const std::size_t alternatives = choice_of_.size();
  truth_.assign(alternatives, Truth::open);
  level_.assign(alternatives, 0);
  reason_.assign(alternatives, kNoReason);
  seen_.assign(alternatives, 0);
  watched_.assign(2 * alternatives, kNo);
  index_nodes();
}

PolygraphSearch::~PolygraphSearch() {
  while (order_.added() > 0) order_.remove_last();
}

void PolygraphSearch::index_nodes() {
  first_of_node_.assign(std::size_t{polygraph_.nodes} + 1, 0);
  std::vector<std::uint32_t> next;
  // First count, then fill.
  for (const bool fill : {false, true}) {
    for (std::uint32_t alternative = 0; alternative < choice_of_.size(); ++alternative) {
      for (const PolyEdge& edge : edges_of(alternative)) {
        for (const std::uint32_t node : {edge.from, edge.to}) {
          if (fill) {
            choices_at_[next[node]++] = choice_of_[alternative];
          } else {
            ++first_of_node_[node + 1];
          }
        }
        ++steps_;
      }
    }
    if (fill) break;
    std::partial_sum(first_of_node_.begin(), first_of_node_.end(), first_of_node_.begin());
    choices_at_.resize(first_of_node_.back());
    next.assign(first_of_node_.begin(), first_of_node_.end() - 1);
  }
}

PolygraphSearch::Truth PolygraphSearch::truth(Literal literal) const {
  const Truth truth = truth_[literal / 2];
  if (truth == Truth::open || literal % 2 == 0) return truth;
  return truth == Truth::holds ? Truth::fails : Truth::holds;
}

std::span<const PolyEdge> PolygraphSearch::edges_of(std::uint32_t alternative) const {
  const std::uint32_t choice = choice_of_[alternative];
  return polygraph_.edges_of(choices_[choice], alternative - first_alternative_[choice]);
}

// --- the trail ---

void PolygraphSearch::set(Literal literal, std::uint32_t reason) {
  const std::uint32_t alternative = literal / 2;
  const std::uint32_t choice = choice_of_[alternative];
  truth_[alternative] = literal % 2 == 0 ? Truth::holds : Truth::fails;
  level_[alternative] = level();
  reason_[alternative] = reason;
  trail_.push_back(literal);
  if (literal % 2 == 0) {
    ++taken_[choice];
  } else {
    --left_[choice];
  }
  if (reason == kOnlyOneLeft && level() == 0) used_[choice] = 1;
}

void PolygraphSearch::open_level(Literal decision) {
  levels_.push_back({trail_.size(), order_.added(), bans_.size()});
  set(decision, kNoReason);
}

void PolygraphSearch::back_to(std::uint32_t level) {
  if (level >= this->level()) return;
  const Level start = levels_[level];
  while (trail_.size() > start.trail) {
    const std::uint32_t alternative = trail_.back() / 2;
    const std::uint32_t choice = choice_of_[alternative];
    if (truth_[alternative] == Truth::holds) {
      --taken_[choice];
      look_again_at(choice);
    } else {
      ++left_[choice];
    }
    truth_[alternative] = Truth::open;
    trail_.pop_back();
  }
  while (order_.added() > start.edges) order_.remove_last();
  bans_.resize(start.bans);
  levels_.resize(level);
  next_ = trail_.size();
}

// --- consequences ---

bool PolygraphSearch::propagate() {
  while (next_ < trail_.size()) {
    const Literal literal = trail_[next_++];
    const std::uint32_t alternative = literal / 2;
    if (literal % 2 == 0 ? !take_edges(alternative) : !count_out(alternative)) return false;
    if (!visit_clauses(literal ^ 1U)) return false;
  }
  return true;
}

bool PolygraphSearch::take_edges(std::uint32_t alternative) {
  for (const PolyEdge& edge : edges_of(alternative)) {
    ++steps_;
    if (!lift_.matters(edge)) continue;
    if (!lift_.orders(edge)) {
      bans_.emplace_back(edge, alternative);
      if (!check_ban(edge, alternative)) return false;
      continue;
    }
    if (!order_.add(lift_.from(edge), lift_.to(edge), alternative)) {
      conflict_on_path(alternative);
      return false;
    }
    for (const std::uint32_t node : order_.moved()) {
      const std::uint32_t base = lift_.base_of(node);
      for (std::uint32_t at = first_of_node_[base]; at < first_of_node_[base + 1]; ++at) {
        look_again_at(choices_at_[at]);
        ++steps_;
      }
    }
  }
  return true;
}

// The edges on the path that was found last and an edge of this alternative close a cycle.
void PolygraphSearch::conflict_on_path(std::uint32_t alternative) {
  conflict_.clear();
  if (alternative != kNo) conflict_.push_back(out(alternative));
  for (const std::uint32_t label : order_.labels_of_path()) {
    if (label != alternative) conflict_.push_back(out(label));
  }
}

bool PolygraphSearch::check_ban(const PolyEdge& edge, std::uint32_t alternative) {
  if (!order_.find_path(edge.to, edge.from)) return true;
  conflict_on_path(alternative);
  return false;
}

bool PolygraphSearch::check_bans() {
  if (!lift_.has_path_bans()) return true;
  for (const PolyEdge& edge : polygraph_.known) {
    ++steps_;
    if (edge.anti && lift_.matters(edge) && !check_ban(edge, kNo)) return false;
    if (steps_ > steps_max_) return true;
  }
  return std::all_of(bans_.begin(), bans_.end(),
                     [&](const auto& ban) { return check_ban(ban.first, ban.second); });
}

bool PolygraphSearch::count_out(std::uint32_t alternative) {
  const std::uint32_t choice = choice_of_[alternative];
  look_again_at(choice);
  if (left_[choice] > 1 || taken_[choice] > 0) return true;
  conflict_.clear();
  for (std::uint32_t at = first_alternative_[choice]; at < first_alternative_[choice + 1]; ++at) {
    ++steps_;
    if (truth_[at] == Truth::open) {
      set(taken(at), kOnlyOneLeft);
      return true;
    }
    conflict_.push_back(taken(at));
  }
  used_[choice] = 1;
  return false;
}

bool PolygraphSearch::visit_clauses(Literal failed) {
  std::uint32_t reference = std::exchange(watched_[failed], kNo);
  bool is_good = true;
  while (reference != kNo) {
    ++steps_;
    const std::uint32_t clause = reference / 2;
    const std::uint32_t slot = reference % 2;
    const std::uint32_t next = clauses_[clause + 1 + slot];
    if (is_good) {
      is_good = visit_clause(clause, slot);
    } else {
      watch(clause, slot);
    }
    reference = next;
  }
  return is_good;
}

// The literal in this slot has failed: watch another one, or draw the consequence.
bool PolygraphSearch::visit_clause(std::uint32_t clause, std::uint32_t slot) {
  Literal* literals = &clauses_[clause + 3];
  const std::uint32_t size = clauses_[clause];
  const Literal other = literals[1 - slot];
  if (truth(other) != Truth::holds) {
    for (std::uint32_t at = 2; at < size; ++at) {
      ++steps_;
      if (truth(literals[at]) == Truth::fails) continue;
      std::swap(literals[slot], literals[at]);
      break;
    }
  }
  const bool found = truth(literals[slot]) != Truth::fails;
  watch(clause, slot);
  if (found || truth(other) == Truth::holds) return true;
  if (truth(other) == Truth::open) {
    set(other, clause);
    return true;
  }
  conflict_.assign(literals, literals + size);
  return false;
}

void PolygraphSearch::watch(std::uint32_t clause, std::uint32_t slot) {
  const Literal literal = clauses_[clause + 3 + slot];
  clauses_[clause + 1 + slot] = watched_[literal];
  watched_[literal] = 2 * clause + slot;
}

// --- decisions ---

void PolygraphSearch::look_again_at(std::uint32_t choice) {
  if (is_waiting_[choice] != 0) return;
  is_waiting_[choice] = 1;
  waiting_.push({bumped_[choice], choice});
}

void PolygraphSearch::bump(std::uint32_t choice) {
  bumped_[choice] = ++bumps_;
  if (is_waiting_[choice] != 0) waiting_.push({bumped_[choice], choice});
}

// Everything is to be looked at, and what has one alternative only holds from the start.
bool PolygraphSearch::start() {
  for (std::uint32_t choice = 0; choice < choices_.size(); ++choice) {
    look_again_at(choice);
    if (left_[choice] == 1) set(taken(first_alternative_[choice]), kOnlyOneLeft);
  }
  return propagate();
}

// The next alternative to take; kNo: none has to be, the order is good for all choices.
std::uint32_t PolygraphSearch::decide() {
  while (!waiting_.empty()) {
    const Waiting next = waiting_.top();
    waiting_.pop();
    if (is_waiting_[next.choice] == 0 || next.bumped != bumped_[next.choice]) continue;
    is_waiting_[next.choice] = 0;
    if (taken_[next.choice] > 0) continue;
    std::size_t against = 0;
    const std::uint32_t alternative = best_alternative(next.choice, against);
    // A ban has to know all paths, also those that go with the order.
    if (against > 0 || lift_.has_path_bans()) return alternative;
  }
  return kNo;
}

// Of those that are not out, the one with the fewest edges against the order.
std::uint32_t PolygraphSearch::best_alternative(std::uint32_t choice, std::size_t& against) {
  std::uint32_t best = kNo;
  for (std::uint32_t at = first_alternative_[choice]; at < first_alternative_[choice + 1]; ++at) {
    if (truth_[at] != Truth::open) continue;
    std::size_t count = 0;
    for (const PolyEdge& edge : edges_of(at)) {
      ++steps_;
      if (lift_.matters(edge) && !order_.is_forward(lift_.from(edge), lift_.to(edge))) ++count;
    }
    if (best != kNo && count >= against) continue;
    best = at;
    against = count;
  }
  return best;
}

PolygraphResult::Answer PolygraphSearch::run() {
  using Answer = PolygraphResult::Answer;
  bool is_good = start();
  while (steps_ <= steps_max_) {
    if (is_good) {
      const std::uint32_t alternative = decide();
      if (alternative != kNo) {
        open_level(taken(alternative));
      } else if (check_bans()) {
        return steps_ > steps_max_ ? Answer::out_of_steps : Answer::possible;
      } else {
        is_good = false;
      }
    }
    if (!is_good && !learn_from_conflict()) return Answer::impossible;
    is_good = propagate();
  }
  return Answer::out_of_steps;
}

std::vector<std::uint32_t> PolygraphSearch::chosen() {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t choice = 0; choice < choices_.size(); ++choice) {
    const std::uint32_t first = first_alternative_[choice];
    std::uint32_t alternative = first;
    if (taken_[choice] > 0) {
      while (truth_[alternative] != Truth::holds) ++alternative;
    } else {
      std::size_t against = 0;
      alternative = best_alternative(choice, against);
    }
    chosen.push_back(alternative - first);
  }
  return chosen;
}

std::vector<std::uint32_t> PolygraphSearch::refuted() const {
  std::vector<std::uint32_t> refuted;
  for (std::uint32_t choice = 0; choice < choices_.size(); ++choice) {
    if (used_[choice] != 0) refuted.push_back(choices_[choice]);
  }
  return refuted;
}

// --- what is forced, for people to read ---

// False: a conflict that follows from nothing that was decided.
bool PolygraphSearch::force_by_trying(std::uint32_t choice, bool& changed) {
  for (std::uint32_t at = first_alternative_[choice]; at < first_alternative_[choice + 1]; ++at) {
    if (truth_[at] != Truth::open) continue;
    open_level(taken(at));
    const bool is_good = propagate() && check_bans();
    back_to(0);
    if (is_good) continue;
    changed = true;
    set(out(at), kNoReason);
    if (!propagate()) return false;
  }
  return true;
}

bool PolygraphSearch::force_all_by_trying() {
  if (!start()) return false;
  for (bool changed = true; changed && steps_ <= steps_max_;) {
    changed = false;
    for (std::uint32_t choice = 0; choice < choices_.size(); ++choice) {
      if (taken_[choice] == 0 && !force_by_trying(choice, changed)) return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> PolygraphSearch::forced_first() {
  force_all_by_trying();
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> is_named(choices_.size(), 0);
  const auto name = [&](std::uint32_t choice) {
    if (is_named[choice] == 0) order.push_back(choices_[choice]);
    is_named[choice] = 1;
  };
  for (const Literal literal : trail_) {
    if (literal % 2 == 0) name(choice_of_[literal / 2]);
  }
  for (std::uint32_t choice = 0; choice < choices_.size(); ++choice) {
    if (left_[choice] == 0) name(choice);
  }
  for (std::uint32_t choice = 0; choice < choices_.size(); ++choice) name(choice);
  return order;
}

}  // namespace hilsa
