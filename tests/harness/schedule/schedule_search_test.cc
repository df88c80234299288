// The search alone, on clients that are lists of steps.
#include "harness/schedule/schedule_search.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hilsa::tests {
namespace {

using Steps = std::vector<Effect>;
constexpr Effect kBegin = Effect::nothing;
constexpr Effect kRead = Effect::reads;
constexpr Effect kAct = Effect::acts;

struct Explored {
  std::vector<std::string> schedules;  // `1 1 2 …`, in the order in which they were run
  std::vector<int> switches;
  int given_up = 0;
};

// `statement_of`: what the client's step is in this run, 0 for the usual one.
Explored explore(
    ScheduleSearch& search, const std::vector<Steps>& clients,
    const std::function<int(int run, int client)>& statement_of = [](int, int) { return 0; }) {
  Explored explored;
  for (int run = 1; search.begin(); ++run) {
    std::vector<std::size_t> at(clients.size(), 0);
    std::string schedule;
    while (true) {
      std::vector<Choice> waiting;
      for (std::size_t i = 0; i < clients.size(); ++i) {
        if (at[i] < clients[i].size()) {
          const int client = static_cast<int>(i) + 1;
          waiting.push_back({client, clients[i][at[i]], statement_of(run, client)});
        }
      }
      if (waiting.empty()) break;
      const auto chosen = search.choose(waiting);
      if (!chosen) break;
      ++at[static_cast<std::size_t>(*chosen - 1)];
      schedule += std::to_string(*chosen);
    }
    search.end();
    if (search.given_up()) {
      ++explored.given_up;
      continue;
    }
    explored.schedules.push_back(schedule);
    explored.switches.push_back(search.switches());
  }
  return explored;
}

// What a schedule comes to when swaps that go unnoticed are undone: for each pair of steps that may
// not be swapped, which was first.
std::set<std::string> order_of(const std::string& schedule, const std::vector<Steps>& clients) {
  std::vector<std::pair<int, std::size_t>> steps;
  std::map<int, std::size_t> at;
  for (const char c : schedule) steps.emplace_back(c - '0', at[c - '0']++);
  const auto effect = [&](std::size_t i) {
    return clients[static_cast<std::size_t>(steps[i].first - 1)][steps[i].second];
  };
  std::set<std::string> order;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t j = i + 1; j < steps.size(); ++j) {
      if (steps[i].first == steps[j].first || may_swap(effect(i), effect(j))) continue;
      order.insert(std::to_string(steps[i].first) + "." + std::to_string(steps[i].second) + "<" +
                   std::to_string(steps[j].first) + "." + std::to_string(steps[j].second));
    }
  }
  return order;
}

std::vector<std::string> all_interleavings(const std::vector<Steps>& clients) {
  std::string sorted;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    sorted += std::string(clients[i].size(), static_cast<char>('1' + i));
  }
  std::vector<std::string> all;
  do {
    all.push_back(sorted);
  } while (std::next_permutation(sorted.begin(), sorted.end()));
  return all;
}

TEST(ScheduleSearch, RunsEveryInterleavingOfStepsThatMatter) {
  const std::vector<Steps> clients = {Steps(5, kAct), Steps(5, kAct)};
  ScheduleSearch search(10'000, 0, 1);
  const Explored explored = explore(search, clients);
  EXPECT_EQ(explored.schedules.size(), 252U);
  const std::set<std::string> distinct(explored.schedules.begin(), explored.schedules.end());
  EXPECT_EQ(distinct.size(), 252U);
  EXPECT_TRUE(search.exhausted());
  EXPECT_EQ(search.represented(), 252);
}

TEST(ScheduleSearch, FewestSwitchesComeFirst) {
  const std::vector<Steps> clients = {Steps(4, kAct), Steps(3, kAct), Steps(2, kAct)};
  ScheduleSearch search(10'000, 0, 1);
  const Explored explored = explore(search, clients);
  EXPECT_EQ(explored.schedules.size(), 1260U);  // 9! / (4! 3! 2!)
  EXPECT_TRUE(std::is_sorted(explored.switches.begin(), explored.switches.end()));
  EXPECT_EQ(explored.schedules.front(), "111122233");
}

// Brute force: every class of schedules that differ by unnoticed swaps has exactly one run, and the
// runs stand for all schedules.
TEST(ScheduleSearch, OneOfEachClassIsRunAndStandsForTheOthers) {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Steps> clients(2 + rng.below(2));
    for (Steps& steps : clients) {
      for (std::uint64_t i = 1 + rng.below(clients.size() == 2 ? 5 : 3); i > 0; --i) {
        steps.push_back(std::vector<Effect>{kBegin, kRead, kAct}[rng.below(3)]);
      }
    }
    std::map<std::set<std::string>, double> classes;
    for (const std::string& schedule : all_interleavings(clients)) {
      ++classes[order_of(schedule, clients)];
    }
    ScheduleSearch search(100'000, 0, 1);
    const Explored explored = explore(search, clients);
    std::set<std::set<std::string>> run;
    for (const std::string& schedule : explored.schedules) {
      EXPECT_TRUE(run.insert(order_of(schedule, clients)).second) << "twice: " << schedule;
    }
    EXPECT_EQ(run.size(), classes.size());
    EXPECT_EQ(search.represented(), static_cast<double>(all_interleavings(clients).size()));
  }
}

TEST(ScheduleSearch, BeginAndReadsAreNotTriedInEveryOrder) {
  // BEGIN, read, write, COMMIT.
  const Steps steps = {kBegin, kRead, kAct, kAct};
  ScheduleSearch search(10'000, 0, 1);
  const Explored explored = explore(search, {steps, steps});
  EXPECT_EQ(search.represented(), 70);
  EXPECT_LT(explored.schedules.size(), 20U);
}

TEST(ScheduleSearch, PastItsBoundItSamplesAndEstimates) {
  const std::vector<Steps> clients = {Steps(8, kAct), Steps(8, kAct)};
  ScheduleSearch search(100, 500, 1);
  const Explored explored = explore(search, clients);
  EXPECT_EQ(explored.schedules.size(), 600U);
  EXPECT_FALSE(search.exhausted());
  EXPECT_GE(search.complete_switches(), 2);
  EXPECT_NEAR(search.estimated_total(), 12870, 12870 * 0.5);  // 16! / (8! 8!)
}

TEST(ScheduleSearch, OneSeedOneSample) {
  const std::vector<Steps> clients = {Steps(6, kAct), Steps(6, kAct)};
  ScheduleSearch one(5, 20, 3);
  ScheduleSearch same(5, 20, 3);
  ScheduleSearch other(5, 20, 4);
  const auto schedules = explore(one, clients).schedules;
  EXPECT_EQ(explore(same, clients).schedules, schedules);
  EXPECT_NE(explore(other, clients).schedules, schedules);
}

// As a database that chooses a deadlock's victim anew each time: what follows is not the same.
TEST(ScheduleSearch, WhatComesOtherwiseIsTriedAgain) {
  const std::vector<Steps> clients = {{kAct, kAct}, {kAct, kAct}};
  ScheduleSearch steady(1000, 0, 1);
  const Explored expected = explore(steady, clients);
  ScheduleSearch search(1000, 0, 1);
  const Explored explored = explore(search, clients, [](int run, int /*client*/) {
    return run % 3 == 0 ? 1 : 0;  // every third run is another one
  });
  EXPECT_TRUE(search.exhausted());
  EXPECT_GT(explored.given_up, 0);
  EXPECT_EQ(std::set<std::string>(explored.schedules.begin(), explored.schedules.end()),
            std::set<std::string>(expected.schedules.begin(), expected.schedules.end()));
  EXPECT_EQ(search.represented(), steady.represented());
}

TEST(ScheduleSearch, WhatNeverComesAgainIsMissing) {
  ScheduleSearch search(1000, 0, 1);
  explore(search, {{kAct, kAct}, {kAct, kAct}},
          [](int run, int client) { return client == 2 ? run : 0; });
  EXPECT_FALSE(search.exhausted()) << "called all, though most could not be run";
  EXPECT_LE(search.complete_switches(), 1);
}

}  // namespace
}  // namespace hilsa::tests
