// What was counted while clients ran: how tasks ended, how attempts failed, how long tasks took.
// One Tally a client while it runs (no sharing), merged when the trial is over.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/history/attempt.h"
#include "harness/history/error.h"
#include "harness/history/histogram.h"

namespace hilsa {

// What a task has told whoever wanted it done, in numbers whose meaning is the workload's own: an
// amount paid out of an account, the order that a request ended with.
struct Answer {
  std::int64_t about = 0;
  std::int64_t number = 0;
};

struct Tally {
  std::array<std::int64_t, kTaskEndCount> ends{};      // by TaskEnd
  std::array<std::int64_t, kErrorKindCount> errors{};  // attempts that ended so, by ErrorKind
  // The first error of each kind, in the server's words.
  std::array<std::string, kErrorKindCount> error_texts;
  std::int64_t attempts = 0;
  std::int64_t committed = 0;  // attempts that committed
  // Attempts that the business logic asked to repeat (an optimistic version did not match).
  std::int64_t conflicts = 0;
  std::int64_t retries = 0;          // attempts that repeated an earlier one
  Histogram latency;                 // of tasks that ended done or refused, from wish to answer
  std::vector<Answer> acknowledged;  // by tasks that ended done
  std::vector<Answer> refused;       // by tasks that ended refused
  std::vector<Answer> in_doubt;      // by tasks whose COMMIT was never answered

  std::int64_t count(TaskEnd end) const { return ends[static_cast<std::size_t>(end)]; }
  std::int64_t count(ErrorKind kind) const { return errors[static_cast<std::size_t>(kind)]; }
  void add(TaskEnd end) { ++ends[static_cast<std::size_t>(end)]; }
  void add(const Error& error);
  void merge(const Tally& other);

  std::int64_t tasks() const;
};

// One trial of a sustained run. Rows take turns round by round: those with the same number ran
// right after each other.
struct Round {
  std::chrono::nanoseconds running{0};
  std::int64_t done = 0;
  std::int64_t attempts = 0;
  Nanoseconds p99 = 0;  // of tasks done or refused; 0: there were none

  double throughput_per_s() const;
};

}  // namespace hilsa
