#include "harness/schedule/schedule_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

namespace hilsa {
namespace {

bool holds(std::span<const Choice> choices, int client) {
  return std::any_of(choices.begin(), choices.end(),
                     [client](const Choice& choice) { return choice.client == client; });
}

// Who was let through with what, and then `last` (FNV-1a).
std::uint64_t digest_of(std::span<const Choice> trace, const Choice& last) {
  std::uint64_t digest = 14695981039346656037U;
  const auto add = [&digest](const Choice& choice) {
    for (const int part : {choice.client, choice.statement}) {
      digest = (digest ^ static_cast<std::uint64_t>(part)) * 1099511628211U;
    }
  };
  for (const Choice& choice : trace) add(choice);
  add(last);
  return digest;
}

}  // namespace

ScheduleSearch::ScheduleSearch(std::int64_t systematic_max, std::int64_t samples_max,
                               std::uint64_t seed)
    : systematic_max_(systematic_max), samples_max_(samples_max), rng_(seed) {
  queue_.push({});
}

bool ScheduleSearch::begin() {
  trace_.clear();
  given_up_ = false;
  branches_ = 1;
  if (queue_.empty()) return false;
  if (systematic_ < systematic_max_) {
    prefix_ = queue_.top();
    queue_.pop();
    sleeping_.clear();
    return true;
  }
  sampling_ = true;
  return samples_ < samples_max_;
}

std::optional<int> ScheduleSearch::choose(std::span<const Choice> waiting) {
  branches_ *= static_cast<double>(waiting.size());
  if (sampling_) return choose_at_random(waiting);
  return choose_systematically(waiting);
}

int ScheduleSearch::choose_at_random(std::span<const Choice> waiting) {
  trace_.push_back(waiting[rng_.below(waiting.size())]);
  return trace_.back().client;
}

void ScheduleSearch::take(const Choice& choice) {
  std::erase_if(sleeping_, [&](const Choice& asleep) {
    return asleep.client == choice.client || !may_swap(asleep.effect, choice.effect);
  });
  trace_.push_back(choice);
}

std::optional<int> ScheduleSearch::choose_systematically(std::span<const Choice> waiting) {
  const std::size_t depth = trace_.size();
  if (depth < prefix_.clients.size()) {
    const int wanted = prefix_.clients[depth];
    const auto found = std::find_if(waiting.begin(), waiting.end(), [wanted](const Choice& choice) {
      return choice.client == wanted;
    });
    const bool last = depth + 1 == prefix_.clients.size();
    if (found == waiting.end() || (last && digest_of(trace_, *found) != prefix_.digest)) {
      return std::nullopt;  // has_diverged()
    }
    trace_.push_back(*found);
    if (last) sleeping_ = prefix_.sleeping;
    return wanted;
  }
  std::vector<Choice> awake;
  for (const Choice& choice : waiting) {
    if (!holds(sleeping_, choice.client)) awake.push_back(choice);
  }
  if (awake.empty()) {
    given_up_ = true;
    return std::nullopt;
  }
  // Whoever was at work goes on.
  const int last = trace_.empty() ? 0 : trace_.back().client;
  const auto same = std::find_if(awake.begin(), awake.end(),
                                 [last](const Choice& choice) { return choice.client == last; });
  if (same != awake.end()) std::rotate(awake.begin(), same, same + 1);
  std::vector<Choice> sleeping = sleeping_;
  for (std::size_t i = 1; i < awake.size(); ++i) {
    sleeping.push_back(awake[i - 1]);
    Prefix branch;
    branch.sleeping = sleeping;
    branch.number = ++found_;
    std::erase_if(branch.sleeping,
                  [&](const Choice& asleep) { return !may_swap(asleep.effect, awake[i].effect); });
    for (const Choice& choice : trace_) {
      branch.clients.push_back(static_cast<std::uint8_t>(choice.client));
    }
    branch.clients.push_back(static_cast<std::uint8_t>(awake[i].client));
    branch.digest = digest_of(trace_, awake[i]);
    // To this client, and in the end once to each of the others.
    const bool switches = last != 0 && awake[i].client != last;
    branch.switches =
        switches_of(trace_) + (switches ? 1 : 0) + static_cast<int>(waiting.size()) - 1;
    queue_.push(std::move(branch));
  }
  take(awake[0]);
  return awake[0].client;
}

void ScheduleSearch::end() {
  if (sampling_) {
    ++samples_;
    ++run_;
    estimates_ += branches_;
    return;
  }
  ++systematic_;
  if (has_diverged()) try_again();
  if (given_up()) return;
  ++run_;
  represented_ += equivalents_of(trace_);
}

void ScheduleSearch::try_again() {
  // Of three clients in a ring the one that is wanted is the victim in one of three.
  constexpr int kTriesMax = 30;
  if (++prefix_.tries < kTriesMax) {
    queue_.push(prefix_);
    return;
  }
  lost_switches_ = lost_ == 0 ? prefix_.switches : std::min(lost_switches_, prefix_.switches);
  ++lost_;
}

int ScheduleSearch::complete_switches() const {
  int missing = std::numeric_limits<int>::max();
  if (!queue_.empty()) missing = queue_.top().switches;
  if (lost_ > 0) missing = std::min(missing, lost_switches_);
  return missing == std::numeric_limits<int>::max() ? missing : missing - 1;
}

double ScheduleSearch::estimated_total() const {
  if (exhausted() || samples_ == 0) return represented_;
  return std::max(represented_, estimates_ / static_cast<double>(samples_));
}

int ScheduleSearch::switches_of(std::span<const Choice> trace) {
  int switches = 0;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    if (trace[i].client != trace[i - 1].client) ++switches;
  }
  return switches;
}

// The linear extensions of the order in which steps that may not be swapped happened. A state is
// how many steps each client has taken; O(product of the clients' steps x clients^2).
double ScheduleSearch::equivalents_of(std::span<const Choice> trace) {
  int clients = 0;
  for (const Choice& choice : trace) clients = std::max(clients, choice.client);
  const auto count = static_cast<std::size_t>(clients);
  // For each step of each client: how many steps of every other one come before it in any case,
  // and how many may.
  struct Bounds {
    std::vector<std::size_t> least;
    std::vector<std::size_t> most;
  };
  std::vector<std::vector<Bounds>> steps(count);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    Bounds bounds{std::vector<std::size_t>(count, 0),
                  std::vector<std::size_t>(count, trace.size())};
    std::vector<std::size_t> seen(count, 0);
    for (std::size_t j = 0; j < trace.size(); ++j) {
      const auto other = static_cast<std::size_t>(trace[j].client - 1);
      const bool fixed =
          trace[j].client != trace[i].client && !may_swap(trace[i].effect, trace[j].effect);
      if (fixed && j < i) bounds.least[other] = seen[other] + 1;
      if (fixed && j > i) bounds.most[other] = std::min(bounds.most[other], seen[other]);
      ++seen[other];
    }
    steps[static_cast<std::size_t>(trace[i].client - 1)].push_back(std::move(bounds));
  }
  std::map<std::vector<std::size_t>, double> ways = {{std::vector<std::size_t>(count, 0), 1.0}};
  for (std::size_t taken = 0; taken < trace.size(); ++taken) {
    std::map<std::vector<std::size_t>, double> next;
    for (const auto& [at, number] : ways) {
      for (std::size_t client = 0; client < count; ++client) {
        if (at[client] == steps[client].size()) continue;
        const Bounds& bounds = steps[client][at[client]];
        bool allowed = true;
        for (std::size_t other = 0; other < count; ++other) {
          if (other == client) continue;
          allowed = allowed && at[other] >= bounds.least[other] && at[other] <= bounds.most[other];
        }
        if (!allowed) continue;
        std::vector<std::size_t> after = at;
        ++after[client];
        next[after] += number;
      }
    }
    ways = std::move(next);
  }
  return ways.empty() ? 1 : ways.begin()->second;
}

}  // namespace hilsa
