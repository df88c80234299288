#include "cli/progress_of_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "checkers/checker.h"

namespace hilsa {

ProgressOfRun::ProgressOfRun(std::string title, bool sustained)
    : title_(std::move(title)), sustained_(sustained), begun_ns_(monotonic_ns()) {}

void ProgressOfRun::add_trial(const History& history) {
  if (history.transactions() == 0) return;
  for (const Anomaly& anomaly : check(history, {}).anomalies) {
    anomalies_[class_name(anomaly.anomaly, anomaly.needs)] += anomaly.count;
  }
}

std::string ProgressOfRun::line(const Experiment::Progress& now) {
  constexpr Nanoseconds kWindow = 2'000'000'000;
  const Nanoseconds at = monotonic_ns();
  if (samples_.empty()) samples_.push_back({begun_ns_, 0, 0});
  samples_.push_back({at, now.done, now.aborted});
  while (samples_.size() > 2 && at - samples_[1].at > kWindow) samples_.pop_front();
  const Sample& before = samples_.front();
  const double seconds = std::max(1e-3, static_cast<double>(at - before.at) / 1e9);
  std::string line =
      fmt::format("{}: {} of {} {}, {}, {:.0f} s, {:.0f} done/s, {:.0f} aborted/s", title_,
                  now.trials_finished, now.trials, sustained_ ? "rounds" : "trials", now.strategy,
                  static_cast<double>(at - begun_ns_) / 1e9,
                  static_cast<double>(now.done - before.done) / seconds,
                  static_cast<double>(now.aborted - before.aborted) / seconds);
  if (now.trials_violated > 0) line += fmt::format(", {} violated", now.trials_violated);
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const auto& [name, count] : anomalies_) found.emplace_back(-count, name);
  std::sort(found.begin(), found.end());
  constexpr std::size_t kShownMax = 3;
  for (std::size_t i = 0; i < std::min(kShownMax, found.size()); ++i) {
    line += fmt::format(", {} x{}", found[i].second, -found[i].first);
  }
  return line;
}

}  // namespace hilsa
