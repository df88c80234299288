#include "harness/run/client_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>

namespace hilsa {
namespace {

TEST(ClientThreads, EveryClientRunsOncePerRound) {
  ClientThreads clients(10);
  for (int round = 0; round < 50; ++round) {
    std::mutex mutex;
    std::multiset<int> ran;
    clients.run(
        [&](int client) {
          const std::lock_guard lock(mutex);
          ran.insert(client);
        },
        [] {});
    EXPECT_EQ(ran, (std::multiset<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  }
}

TEST(ClientThreads, AllAreAtTheStartLineBeforeAnyIsLetGo) {
  // Each waits for all the others: that ends only if all run at the same time.
  constexpr int kClients = 50;
  ClientThreads clients(kClients);
  std::atomic<int> running{0};
  clients.run(
      [&](int) {
        ++running;
        while (running < kClients) std::this_thread::yield();
      },
      [] {});
  EXPECT_EQ(running, kClients);
}

TEST(ClientThreads, WhatAClientThrowsIsThrownWhenAllHaveEnded) {
  ClientThreads clients(8);
  std::atomic<int> ended{0};
  const auto run = [&] {
    clients.run(
        [&](int client) {
          ++ended;
          if (client == 3) throw std::runtime_error("planted");
        },
        [] {});
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(ended, 8);
  clients.run([](int) {}, [] {});  // and the next round is as good as ever
}

TEST(ClientThreads, TheSpanCoversTheWork) {
  ClientThreads clients(4);
  std::atomic<Nanoseconds> first{std::numeric_limits<Nanoseconds>::max()};
  std::atomic<Nanoseconds> last{0};
  const auto span = clients.run(
      [&](int) {
        const Nanoseconds now = now_ns();
        if (now < first) first = now;
        if (now > last) last = now;
      },
      [] {});
  EXPECT_LE(span.begin_ns, first);
  EXPECT_GE(span.end_ns, last);
}

TEST(ClientThreads, MeanwhileIsCalledWhileClientsWork) {
  ClientThreads clients(2);
  std::atomic<bool> told{false};
  clients.run(
      [&](int) {
        while (!told) std::this_thread::yield();
      },
      [&] { told = true; });
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace hilsa
