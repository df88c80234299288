// What the progress line says of a running experiment.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "harness/history/history.h"
#include "harness/run/experiment.h"

namespace hilsa {

class ProgressOfRun {
 public:
  ProgressOfRun(std::string title, bool sustained);

  // Checks one trial's history alone: anomalies so far are the sum of these. Those that only show
  // across trials are left to the end.
  void add_trial(const History& history);
  // `oversell: 12 of 40 rounds, for-update, 3 s, 812 done/s, 40 aborted/s, 2 violated, P4 x9`
  std::string line(const Experiment::Progress& now);

 private:
  struct Sample {
    Nanoseconds at = 0;
    std::int64_t done = 0;
    std::int64_t aborted = 0;
  };

  std::string title_;
  bool sustained_;
  Nanoseconds begun_ns_;
  std::deque<Sample> samples_;  // of the last two seconds
  std::map<std::string, std::int64_t> anomalies_;
};

}  // namespace hilsa
