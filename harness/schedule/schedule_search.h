// Which schedules of a few clients to run, and in which order: every client runs steps, one client
// at a time, and at each point somebody chooses who goes on. A schedule cannot be known before it
// is run (a client's next step depends on what it has read), so the search works by running from
// the start again and again, each time with a longer prefix of choices given: stateless search as
// in Godefroid's VeriSoft (POPL 1997). Fewest switches between clients first (Musuvathi, Qadeer:
// Iterative context bounding, PLDI 2007): most races need one or two.
//
// Of schedules that differ only in the order of neighbouring steps that cannot affect each other,
// one is run: sleep sets (Godefroid: Partial-order methods, LNCS 1032, 1996). How many schedules
// each run stands for is counted, so that the sum over an exhausted search is the number of all
// schedules.
//
// Knows no database and no threads.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "harness/history/rng.h"

namespace hilsa {

// What a step can do to other clients' steps.
enum class Effect : std::uint8_t {
  nothing,  // BEGIN: takes no lock, and no snapshot before the first statement
  reads,    // a plain read: other plain reads neither see nor stop it
  acts,     // anything else
};
// Whether two neighbouring steps of different clients may change places unnoticed.
inline bool may_swap(Effect one, Effect other) {
  return one == Effect::nothing || other == Effect::nothing ||
         (one == Effect::reads && other == Effect::reads);
}

struct Choice {
  int client = 0;  // from 1
  Effect effect = Effect::acts;
  int statement = 0;  // tells the client's possible steps apart
};

class ScheduleSearch {
 public:
  // Of the schedules run, at most `systematic_max` are chosen by the search; when those do not
  // exhaust it, up to `samples_max` more at random, by the seed.
  ScheduleSearch(std::int64_t systematic_max, std::int64_t samples_max, std::uint64_t seed);

  // Whether there is another schedule to run. Then call choose() at each of its points, and end().
  bool begin();
  // Who of these goes on; they are in the order of their numbers, and at least one. Nothing: the
  // rest would repeat a schedule that is run elsewhere; give it up.
  std::optional<int> choose(std::span<const Choice> waiting);
  // The schedule has come to its end, or was given up. Where its clients did not come to the steps
  // that they had come to before (a database chooses a deadlock's victim anew each time), it is
  // tried again, and the search is not exhausted if that never succeeds.
  void end();

  // Of the one that end() was just called for.
  bool given_up() const { return given_up_ || has_diverged(); }
  bool sampled() const { return sampling_; }
  const std::vector<Choice>& choices() const { return trace_; }
  int switches() const { return switches_of(trace_); }

  std::int64_t run() const { return run_; }  // schedules, to their ends; samples included
  double represented() const {
    return represented_;
  }  // schedules that the systematic ones stand for
  bool exhausted() const { return queue_.empty() && !sampling_ && lost_ == 0; }
  // All schedules with at most so many switches have been run (or stood for); -1: not even those
  // without any.
  int complete_switches() const;
  // About how many schedules there are: by Knuth's estimate from the samples (Estimating the
  // efficiency of backtrack programs, 1975); exact when exhausted.
  double estimated_total() const;

  static int switches_of(std::span<const Choice> trace);
  // How many schedules, this one included, differ from it only by swaps that go unnoticed.
  static double equivalents_of(std::span<const Choice> trace);

 private:
  struct Prefix {
    std::vector<std::uint8_t> clients;
    std::uint64_t digest = 0;      // of its choices
    std::vector<Choice> sleeping;  // behind the last of them
    int switches = 0;              // the fewest that a schedule which begins so can have
    std::int64_t number = 0;       // in the order in which they were found
    int tries = 0;
  };
  struct Later {
    bool operator()(const Prefix& a, const Prefix& b) const {
      return a.switches != b.switches ? a.switches > b.switches : a.number > b.number;
    }
  };

  std::optional<int> choose_systematically(std::span<const Choice> waiting);
  int choose_at_random(std::span<const Choice> waiting);
  void take(const Choice& choice);
  void try_again();
  bool has_diverged() const { return !sampling_ && trace_.size() < prefix_.clients.size(); }

  std::int64_t systematic_max_;
  std::int64_t samples_max_;
  Rng rng_;
  std::priority_queue<Prefix, std::vector<Prefix>, Later> queue_;
  std::int64_t found_ = 0;
  std::int64_t systematic_ = 0;
  std::int64_t samples_ = 0;
  std::int64_t run_ = 0;
  double represented_ = 0;
  double estimates_ = 0;  // Σ of the samples' estimates
  bool sampling_ = false;
  std::int64_t lost_ = 0;  // prefixes that could not be run again
  int lost_switches_ = 0;  // the fewest that one of them can have

  // Of the schedule at work.
  Prefix prefix_;
  std::vector<Choice> trace_;
  std::vector<Choice> sleeping_;
  double branches_ = 1;
  bool given_up_ = false;
};

}  // namespace hilsa
