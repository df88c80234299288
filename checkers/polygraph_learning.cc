// The part of PolygraphSearch that learns from conflicts, and forgets.
#include <algorithm>

#include "checkers/polygraph_search.h"

namespace hilsa {
namespace {

constexpr std::int64_t kConflictsUntilRestartMax = 10'000;

}  // namespace

// False: it follows from nothing that was decided, so nothing is possible.
bool PolygraphSearch::learn_from_conflict() {
  std::uint32_t deepest = 0;
  for (const Literal literal : conflict_) deepest = std::max(deepest, level_[literal / 2]);
  if (deepest == 0) return false;
  back_to(deepest);
  find_first_implication_point();
  std::uint32_t next_deepest = 0;
  for (std::size_t at = 1; at < learned_.size(); ++at) {
    const std::uint32_t level = level_[learned_[at] / 2];
    if (level <= next_deepest && at > 1) continue;
    next_deepest = level;
    std::swap(learned_[1], learned_[at]);
  }
  back_to(next_deepest);
  const std::uint32_t reason = learned_.size() == 1 ? kNoReason : keep_clause();
  set(learned_[0], reason);
  restart_now_and_then();
  return true;
}

// Resolves the conflict with the reasons of its literals, the latest first, until one of them is
// left on the present level: that one, first in learned_, would have been out earlier.
void PolygraphSearch::find_first_implication_point() {
  learned_.assign(1, 0);
  seen_here_ = 0;
  std::vector<std::uint32_t> resolved;
  for (const Literal literal : conflict_) see(literal);
  for (std::size_t at = trail_.size(); at-- > 0;) {
    const std::uint32_t alternative = trail_[at] / 2;
    if (seen_[alternative] == 0) continue;
    if (--seen_here_ == 0) {
      learned_[0] = trail_[at] ^ 1U;
      resolved.push_back(alternative);
      break;
    }
    resolved.push_back(alternative);
    reason_of(alternative);
    for (const Literal literal : conflict_) see(literal);
  }
  for (const std::uint32_t alternative : resolved) seen_[alternative] = 0;
  for (const Literal literal : learned_) seen_[literal / 2] = 0;
}

void PolygraphSearch::see(Literal failed) {
  ++steps_;
  const std::uint32_t alternative = failed / 2;
  if (seen_[alternative] != 0 || level_[alternative] == 0) return;
  seen_[alternative] = 1;
  bump(choice_of_[alternative]);
  if (level_[alternative] == level()) {
    ++seen_here_;
  } else {
    learned_.push_back(failed);
  }
}

// Into conflict_: the failed literals because of which this one had to be as it is.
void PolygraphSearch::reason_of(std::uint32_t alternative) {
  conflict_.clear();
  const std::uint32_t reason = reason_[alternative];
  if (reason != kOnlyOneLeft) {
    for (std::uint32_t at = 0; at < clauses_[reason]; ++at) {
      const Literal literal = clauses_[reason + 3 + at];
      if (literal / 2 != alternative) conflict_.push_back(literal);
    }
    return;
  }
  const std::uint32_t choice = choice_of_[alternative];
  used_[choice] = 1;
  for (std::uint32_t at = first_alternative_[choice]; at < first_alternative_[choice + 1]; ++at) {
    if (at != alternative) conflict_.push_back(taken(at));
  }
}

std::uint32_t PolygraphSearch::keep_clause() {
  const auto clause = static_cast<std::uint32_t>(clauses_.size());
  clauses_.insert(clauses_.end(), {static_cast<std::uint32_t>(learned_.size()), kNo, kNo});
  clauses_.insert(clauses_.end(), learned_.begin(), learned_.end());
  watch(clause, 0);
  watch(clause, 1);
  return clause;
}

void PolygraphSearch::restart_now_and_then() {
  if (--conflicts_left_ > 0) return;
  conflicts_until_restart_ = std::min(conflicts_until_restart_ * 5 / 4, kConflictsUntilRestartMax);
  conflicts_left_ = conflicts_until_restart_;
  // What was just learned goes with its level; the clause stays and will show it again.
  if (level() == 0) return;
  back_to(0);
  if (clauses_.size() > clauses_max_) forget_older_clauses();
}

// On level 0, where no reason is needed any more.
void PolygraphSearch::forget_older_clauses() {
  std::vector<std::uint32_t> old = std::move(clauses_);
  clauses_.clear();
  std::fill(watched_.begin(), watched_.end(), kNo);
  for (std::size_t at = 0; at < old.size(); at += 3 + old[at]) {
    if (at < old.size() / 2 && old[at] > 3) continue;
    const Literal* literals = &old[at + 3];
    learned_.assign(literals, literals + old[at]);
    // Watched literals must not have failed; what follows on level 0 was drawn already.
    const bool holds_already = std::any_of(learned_.begin(), learned_.end(), [&](Literal each) {
      return truth(each) == Truth::holds;
    });
    if (holds_already) continue;
    std::erase_if(learned_, [&](Literal each) { return truth(each) == Truth::fails; });
    if (learned_.size() >= 2) keep_clause();
  }
  clauses_max_ = std::max(clauses_max_, 2 * clauses_.size());
}

}  // namespace hilsa
