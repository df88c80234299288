#include "harness/run/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/harness/run/fake_database.h"

namespace hilsa {
namespace {

using namespace std::chrono_literals;
using tests::FakeDatabase;

constexpr std::chrono::seconds kPatience{30};

void connect_all(Pool& pool) {
  for (std::size_t place = 0; place < pool.size(); ++place) ASSERT_FALSE(pool.connect(place));
}

TEST(Pool, NeverLendsMoreThanItHas) {
  FakeDatabase database;
  Pool pool(database, 3);
  connect_all(pool);
  std::atomic<int> lent{0};
  std::atomic<int> most{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 12; ++client) {
    clients.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        auto lease = pool.acquire(kPatience, {});
        ASSERT_TRUE(lease);
        const int now = ++lent;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        --lent;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_LE(most, 3);
  EXPECT_EQ(database.sessions_opened, 3);
}

TEST(Pool, WaitingTooLongIsAPoolTimeout) {
  FakeDatabase database;
  Pool pool(database, 1);
  connect_all(pool);
  const auto held = pool.acquire(kPatience, {});
  ASSERT_TRUE(held);
  const auto refused = pool.acquire(1ms, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::pool_timeout);
}

TEST(Pool, ACutSessionIsClosedAtOnceAndReplacedForTheNext) {
  FakeDatabase database;
  Pool pool(database, 1);
  connect_all(pool);
  {
    auto lease = pool.acquire(kPatience, {});
    ASSERT_TRUE(lease);
    lease->cut();
    EXPECT_EQ(database.sessions_open, 0);
  }
  const auto next = pool.acquire(kPatience, {});
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->session().usable());
  EXPECT_EQ(database.sessions_opened, 2);
}

TEST(Pool, AStopEndsTheWait) {
  FakeDatabase database;
  Pool pool(database, 1);
  connect_all(pool);
  const auto held = pool.acquire(kPatience, {});
  std::stop_source source;
  std::thread stopper([&source] { source.request_stop(); });
  const auto refused = pool.acquire(kPatience, source.get_token());
  stopper.join();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::interrupted);
}

TEST(Pool, FirstComeFirstServed) {
  FakeDatabase database;
  Pool pool(database, 1);
  connect_all(pool);
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> clients;
  {
    const auto held = pool.acquire(kPatience, {});
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back([&, client] {
        const auto lease = pool.acquire(kPatience, {});
        const std::lock_guard lock(mutex);
        order.push_back(client);
      });
      // Until this one waits, the next must not start.
      while (pool.waiting() <= static_cast<std::size_t>(client)) std::this_thread::yield();
    }
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Pool, ALostSessionIsReplaced) {
  std::atomic<bool> break_it{true};
  FakeDatabase database([&](const Statement&) -> std::optional<Error> {
    if (!break_it.exchange(false)) return std::nullopt;
    return Error{ErrorKind::connection_lost, "", 0, ""};
  });
  Pool pool(database, 1);
  connect_all(pool);
  {
    const auto lease = pool.acquire(kPatience, {});
    EXPECT_FALSE(lease->session().execute(raw_sql("SELECT 1")));
  }
  EXPECT_EQ(database.sessions_open, 0);
  const auto lease = pool.acquire(kPatience, {});
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->session().execute(raw_sql("SELECT 1")));
  EXPECT_EQ(database.sessions_opened, 2);
}

TEST(Pool, APlaceThatCannotReconnectIsTriedAgainByTheNext) {
  FakeDatabase database([](const Statement&) -> std::optional<Error> {
    return Error{ErrorKind::connection_lost, "", 0, ""};
  });
  Pool pool(database, 1);
  connect_all(pool);
  {
    const auto lease = pool.acquire(kPatience, {});
    EXPECT_FALSE(lease->session().execute(raw_sql("SELECT 1")));
  }
  database.sessions_refused_after = 0;
  const auto refused = pool.acquire(kPatience, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::connection_lost);
  database.sessions_refused_after = 1;
  EXPECT_TRUE(pool.acquire(kPatience, {}));
}

TEST(Pool, InterruptReachesSessionsOnLoan) {
  FakeDatabase database;
  Pool pool(database, 2);
  connect_all(pool);
  const auto lease = pool.acquire(kPatience, {});
  pool.interrupt_loans();
  const auto result = lease->session().execute(raw_sql("SELECT 1"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::interrupted);
}

}  // namespace
}  // namespace hilsa
