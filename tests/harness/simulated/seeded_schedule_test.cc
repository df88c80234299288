#include "harness/simulated/seeded_schedule.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace hilsa {
namespace {

using simulated::SeededSchedule;

// Runs `work(client)` in a thread for each of the clients; all are let go together.
void let_go(SeededSchedule& schedule, int clients, const std::function<void(int)>& work) {
  schedule.expect(clients);
  std::vector<std::thread> threads;
  for (int client = 1; client <= clients; ++client) {
    threads.emplace_back([&, client] {
      const ClientSchedule::Member turns(&schedule, client);
      work(client);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Who had which turn, when. Written without a lock: only one client runs at a time.
std::string turns_of(std::uint64_t seed) {
  SeededSchedule schedule;
  schedule.seed(seed);
  std::string turns;
  let_go(schedule, 5, [&](int client) {
    for (int i = 0; i < 20; ++i) {
      turns += std::to_string(client) + "@" + std::to_string(now_ns()) + " ";
      if (i % 7 == 6) {
        schedule.pause(100'000);
      } else {
        schedule.give_way();
      }
    }
  });
  return turns;
}

TEST(SeededSchedule, OneSeedGivesOneOrderOfTurnsAndTimes) {
  const std::string turns = turns_of(7);
  EXPECT_EQ(turns_of(7), turns);
  EXPECT_NE(turns_of(8), turns);
}

TEST(SeededSchedule, APauseTakesItsTimeButNoRealTime) {
  SeededSchedule schedule;
  constexpr Nanoseconds kHour = 3'600'000'000'000;
  let_go(schedule, 2, [&](int) {
    const Nanoseconds before = now_ns();
    schedule.pause(kHour);
    EXPECT_GE(now_ns() - before, kHour);
    EXPECT_LT(now_ns() - before, 2 * kHour);
  });
}

TEST(SeededSchedule, WhoWaitsIsWokenOrRunsOutOfTime) {
  SeededSchedule schedule;
  bool waits = false;
  let_go(schedule, 2, [&](int client) {
    if (client == 1) {
      waits = true;
      EXPECT_TRUE(schedule.wait_until(now_ns() + 1'000'000'000'000));
      const Nanoseconds deadline = now_ns() + 1'000'000;
      EXPECT_FALSE(schedule.wait_until(deadline));
      EXPECT_GE(now_ns(), deadline);
    } else {
      while (!waits) schedule.give_way();
      schedule.wake(1);
      schedule.wake(1);  // once is enough
    }
  });
}

TEST(SeededSchedule, TimeIsTheSchedulesOnlyForItsClientsAndObservers) {
  SeededSchedule schedule;
  EXPECT_EQ(ClientSchedule::of_this_thread(), nullptr);
  {
    const ClientSchedule::Observer time(&schedule);
    EXPECT_EQ(now_ns(), schedule.now_ns());
    EXPECT_EQ(ClientSchedule::of_this_thread(), nullptr) << "an observer has no turns";
  }
  EXPECT_GT(now_ns(), schedule.now_ns() + 1'000'000) << "the machine's, which has been up a while";
}

TEST(SeededSchedule, ServesOneRunAfterTheOther) {
  SeededSchedule schedule;
  int turns = 0;
  for (int round = 0; round < 20; ++round) {
    let_go(schedule, 3, [&](int) {
      schedule.give_way();
      ++turns;
    });
  }
  EXPECT_EQ(turns, 60);
}

}  // namespace
}  // namespace hilsa
