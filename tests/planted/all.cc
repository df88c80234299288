// The list of workloads of `hilsa_planted`, a hilsa with planted faults that `hilsa ci` must catch.
// It takes the place of workloads/all.cc when that program is linked, and of nothing else: the tool
// itself has no such strategies.
//
// Planted into `oversell`: an `optimistic` that no longer looks at the revision and still promises
// to be safe, and an `atomic` that sleeps inside its transaction for HILSA_PLANTED_SLEEP_US
// microseconds (0 or unset: not at all).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "workloads/oversell.h"

namespace hilsa {
namespace {

const Strategy& strategy_of(const Workload& workload, std::string_view name) {
  return *std::find_if(workload.strategies.begin(), workload.strategies.end(),
                       [&](const Strategy& strategy) { return strategy.name == name; });
}

std::chrono::microseconds planted_sleep() {
  const char* const text = std::getenv("HILSA_PLANTED_SLEEP_US");
  return std::chrono::microseconds(text != nullptr ? std::atoi(text) : 0);
}

TaskResult slow_atomic(Transaction& txn, const Task& task) {
  static const std::chrono::microseconds sleep = planted_sleep();
  const TaskResult result = strategy_of(oversell(), "atomic").body(txn, task);
  if (sleep.count() > 0) std::this_thread::sleep_for(sleep);
  return result;
}

// What `optimistic` is without its version check.
TaskResult unchecked_optimistic(Transaction& txn, const Task& task) {
  return strategy_of(oversell(), "read-then-write").body(txn, task);
}

const Workload& planted_oversell() {
  static const std::vector<Strategy> strategies = [] {
    std::vector<Strategy> planted(oversell().strategies.begin(), oversell().strategies.end());
    for (Strategy& strategy : planted) {
      if (strategy.name == "atomic") strategy.body = slow_atomic;
      if (strategy.name == "optimistic") strategy.body = unchecked_optimistic;
    }
    return planted;
  }();
  static const Workload workload = [] {
    Workload planted = oversell();
    planted.strategies = strategies;
    return planted;
  }();
  return workload;
}

}  // namespace

std::span<const Workload* const> all_workloads() {
  static const std::array kAll = {&planted_oversell()};
  return kAll;
}

}  // namespace hilsa
