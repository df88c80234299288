// The turnstile alone: sessions that answer as a test wants, and a watch that is told who waits.
#include "harness/schedule/turnstile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "harness/database/usage_error.h"

namespace hilsa::tests {
namespace {

const Statement kA = raw_sql("a");
const Statement kB = raw_sql("b");

// One lock in all: `take` waits for it, `free` gives it back. Everything else answers at once.
class LockServer {
 public:
  bool take(std::int64_t session) {
    std::unique_lock lock(mutex_);
    waiting_.insert(session);
    changed_.wait(lock, [this] { return !taken_ || gone_ || time_is_up_; });
    waiting_.erase(session);
    seen_.erase(session);
    if (waiting_.empty()) time_is_up_ = false;
    const bool got = !taken_ && !gone_;
    if (got) taken_ = true;
    return got;
  }
  // As soon as so many were seen waiting they have all waited for too long, at one moment. 0:
  // nobody ever has. To be set while nobody takes.
  std::size_t patience = 0;
  void free() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
    changed_.notify_all();
  }
  bool waits(std::int64_t session) {
    const std::lock_guard lock(mutex_);
    if (!taken_ || !waiting_.contains(session)) return false;
    seen_.insert(session);
    if (patience > 0 && seen_.size() >= patience) {
      time_is_up_ = true;
      changed_.notify_all();
    }
    return true;
  }
  // The server goes away, whoever waits.
  void go_away() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    changed_.notify_all();
  }
  bool gone() {
    const std::lock_guard lock(mutex_);
    return gone_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool taken_ = false;
  bool gone_ = false;
  bool time_is_up_ = false;
  std::set<std::int64_t> waiting_;
  std::set<std::int64_t> seen_;
};

const Statement kTake = raw_sql("take");
const Statement kFree = commit();
const Statement kDie = raw_sql("die");         // the server ends this session, and frees its lock
const Statement kGoAway = raw_sql("go away");  // … all of them

class ToldSession final : public Session {
 public:
  ToldSession(LockServer& server, std::int64_t number) : server_(server), number_(number) {}
  using Session::execute;
  Expected<Result> execute(const Statement& statement, std::span<const Value>) override {
    ++running;
    if (running > 1) overlapped = true;
    if (statement.id() == kTake.id()) {
      --running;  // it may wait
      const bool got = server_.take(number_);
      ++running;
      if (!got) {
        --running;
        const ErrorKind kind =
            server_.gone() ? ErrorKind::connection_lost : ErrorKind::lock_timeout;
        return tl::unexpected(Error{kind, "", 0, "no lock"});
      }
    }
    if (statement.id() == kGoAway.id()) server_.go_away();
    if (statement.id() == kFree.id() || statement.id() == kDie.id()) server_.free();
    --running;
    if (statement.id() == kDie.id() || server_.gone()) {
      return tl::unexpected(Error{ErrorKind::connection_lost, "", 0, "gone"});
    }
    return Result();
  }
  bool usable() const override { return true; }
  void interrupt() noexcept override {}
  std::int64_t server_id() const override { return number_; }

  static std::atomic<int> running;
  static std::atomic<bool> overlapped;

 private:
  LockServer& server_;
  std::int64_t number_;
};
std::atomic<int> ToldSession::running = 0;
std::atomic<bool> ToldSession::overlapped = false;

class ToldWatch final : public BlockWatch {
 public:
  explicit ToldWatch(LockServer& server) : server_(server) {}
  Expected<bool> is_blocked(std::int64_t session) override {
    if (fails) return tl::unexpected(Error{ErrorKind::connection_lost, "", 0, "gone"});
    return server_.waits(session);
  }
  std::string how() const override { return "told"; }
  std::atomic<bool> fails = false;

 private:
  LockServer& server_;
};

using Lines = std::vector<const Statement*>;

// Runs the clients' lines; `choose` as in Turnstile::run().
std::vector<TakenStep> run(Turnstile& turnstile, LockServer& server,
                           const std::vector<Lines>& clients, const Turnstile::Choose& choose) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    threads.emplace_back([&, i] {
      const int number = static_cast<int>(i) + 1;
      const Turnstile::Client passes(turnstile, number);
      ToldSession session(server, number);
      Nanoseconds sent_ns = 0;
      for (const Statement* const line : clients[i]) turnstile.pass(session, *line, {}, sent_ns);
    });
  }
  std::vector<TakenStep> taken;
  std::exception_ptr failure;
  try {
    taken = turnstile.run(choose);
  } catch (...) {
    failure = std::current_exception();
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return taken;
}

// `1a 2b …`
std::string text_of(const std::vector<TakenStep>& taken, Product product = Product::postgresql) {
  std::string text;
  for (const TakenStep& step : taken) {
    text += std::to_string(step.client) + step.call.statement->rendering(product).back().text +
            (step.waited ? "~" : "") + " ";
  }
  return text;
}

// The clients in this order, each as often as it is named.
Turnstile::Choose in_order(std::vector<int> order) {
  auto next = std::make_shared<std::size_t>(0);
  return [order = std::move(order), next](const std::vector<Turnstile::Waiting>&) {
    return std::optional(order.at((*next)++));
  };
}

TEST(Turnstile, LetsClientsThroughInTheOrderThatIsAskedFor) {
  LockServer server;
  ToldWatch watch(server);
  Turnstile turnstile(2, watch);
  const std::vector<Lines> clients = {{&kA, &kB}, {&kA, &kB}};
  ToldSession::overlapped = false;
  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(text_of(run(turnstile, server, clients, in_order({1, 2, 2, 1}))), "1a 2a 2b 1b ");
    EXPECT_EQ(text_of(run(turnstile, server, clients, in_order({2, 2, 1, 1}))), "2a 2b 1a 1b ");
  }
  EXPECT_FALSE(ToldSession::overlapped);
}

TEST(Turnstile, OthersGoOnWhileOneWaitsInTheDatabase) {
  LockServer server;
  ToldWatch watch(server);
  Turnstile turnstile(2, watch);
  const std::vector<Lines> clients = {{&kTake, &kA, &kFree}, {&kTake, &kB, &kFree}};
  std::vector<std::vector<int>> offered;
  const auto order = in_order({1, 2, 1, 1, 2, 2});
  const auto taken = run(turnstile, server, clients, [&](const auto& waiting) {
    offered.emplace_back();
    for (const auto& one : waiting) offered.back().push_back(one.client);
    return order(waiting);
  });
  EXPECT_EQ(text_of(taken), "1take 2take~ 1a 1COMMIT 2b 2COMMIT ");
  using Offers = std::vector<std::vector<int>>;
  // Who waits is not offered; after the lock was given back, nobody is chosen before it goes on.
  EXPECT_EQ(offered, (Offers{{1, 2}, {1, 2}, {1}, {1}, {2}, {2}}));
  EXPECT_EQ(taken[1].answered_after, 4);
}

// As after a deadlock: nobody can go on until the database ends somebody's statement.
TEST(Turnstile, WhenAllWaitTheDatabaseDecides) {
  for (int round = 0; round < 50; ++round) {
    LockServer server;
    server.patience = 2;
    ToldWatch watch(server);
    Turnstile turnstile(2, watch);
    const std::vector<Lines> clients = {{&kTake, &kTake, &kFree}, {&kTake, &kA, &kFree}};
    const auto taken = run(turnstile, server, clients, [](const auto& waiting) {
      return std::optional(waiting.front().client);
    });
    EXPECT_EQ(taken.size(), 6U);
    EXPECT_TRUE(taken[1].waited);
  }
}

TEST(Turnstile, WhoIsStillBlockedStaysSo) {
  LockServer server;
  ToldWatch watch(server);
  Turnstile turnstile(3, watch);
  const std::vector<Lines> clients = {{&kTake, &kFree}, {&kTake, &kFree}, {&kTake, &kFree}};
  const auto taken = run(turnstile, server, clients,
                         [](const auto& waiting) { return std::optional(waiting.front().client); });
  EXPECT_EQ(taken.size(), 6U);
  EXPECT_EQ(taken[0].client, 1);
}

TEST(Turnstile, ARoundThatIsGivenUpEndsAndTheNextIsInOrder) {
  LockServer server;
  ToldWatch watch(server);
  Turnstile turnstile(2, watch);
  const std::vector<Lines> clients = {{&kA, &kB}, {&kA, &kB}};
  for (int round = 0; round < 50; ++round) {
    int points = 0;
    const auto taken = run(turnstile, server, clients, [&](const auto&) -> std::optional<int> {
      return ++points == 2 ? std::nullopt : std::optional(1);
    });
    EXPECT_EQ(taken.size(), 4U);
    EXPECT_EQ(text_of(run(turnstile, server, clients, in_order({2, 1, 2, 1}))), "2a 1a 2b 1b ");
  }
}

TEST(Turnstile, AWatchThatIsLostEndsTheRoundWithAnError) {
  LockServer server;
  ToldWatch watch(server);
  Turnstile turnstile(2, watch);
  const std::vector<Lines> clients = {{&kTake, &kFree}, {&kTake, &kFree}};
  const auto order = in_order({1, 2});
  EXPECT_THROW(run(turnstile, server, clients,
                   [&](const auto& waiting) {
                     if (waiting.size() == 1) return std::optional(waiting[0].client);
                     watch.fails = watch.fails || waiting[0].client == 1;
                     return order(waiting);
                   }),
               DatabaseUnusable);
}

TEST(Turnstile, WhoWaitsForAClientThatDiesGoesOn) {
  LockServer server;
  ToldWatch watch(server);
  Turnstile turnstile(2, watch);
  const std::vector<Lines> clients = {{&kTake, &kDie}, {&kTake, &kB, &kFree}};
  for (int round = 0; round < 50; ++round) {
    const auto taken = run(turnstile, server, clients, in_order({1, 2, 1, 2, 2}));
    EXPECT_EQ(text_of(taken), "1take 2take~ 1die 2b 2COMMIT ");
    EXPECT_EQ(taken[2].answer->error().kind, ErrorKind::connection_lost);
    EXPECT_TRUE(*taken[1].answer);
  }
}

// Somebody outside has the lock and keeps it. Both end at the same moment, and may both have left
// before anybody looks: that is an end, and not two who wait.
TEST(Turnstile, AStatementThatNeverReturnsEndsByItsTimeLimit) {
  for (int round = 0; round < 200; ++round) {
    LockServer server;
    server.take(99);
    server.patience = 2;
    ToldWatch watch(server);
    Turnstile turnstile(2, watch);
    const std::vector<Lines> clients = {{&kTake}, {&kTake}};
    const auto taken = run(turnstile, server, clients, [](const auto& waiting) {
      return std::optional(waiting.front().client);
    });
    ASSERT_EQ(taken.size(), 2U);
    for (const TakenStep& step : taken) {
      EXPECT_TRUE(step.waited);
      EXPECT_EQ(step.answer->error().kind, ErrorKind::lock_timeout);
    }
  }
}

// One client waits for a lock, the other is in mid-statement, and then there is nobody to ask.
TEST(Turnstile, AServerThatGoesAwayEndsTheRound) {
  for (int round = 0; round < 50; ++round) {
    LockServer server;
    ToldWatch watch(server);
    Turnstile turnstile(3, watch);
    const std::vector<Lines> clients = {
        {&kTake, &kGoAway, &kA}, {&kTake, &kB, &kFree}, {&kA, &kB, &kFree}};
    const auto order = in_order({1, 2, 3, 1, 1, 2, 2, 3, 3});
    const auto choose = [&](const std::vector<Turnstile::Waiting>& waiting) {
      const bool goes_away =
          waiting[0].client == 1 && waiting[0].call->statement->id() == kGoAway.id();
      watch.fails = watch.fails || (goes_away && waiting.size() == 2);
      return order(waiting);
    };
    std::vector<TakenStep> taken;
    try {
      taken = run(turnstile, server, clients, choose);
    } catch (const DatabaseUnusable&) {
      continue;  // the watch was asked, and has lost its connection too
    }
    EXPECT_EQ(taken.size(), 9U);
    EXPECT_EQ(taken.back().answer->error().kind, ErrorKind::connection_lost);
  }
}

TEST(Turnstile, ThreadsThatAreNoClientsHaveNone) {
  EXPECT_EQ(Turnstile::of_this_thread(), nullptr);
  LockServer server;
  ToldWatch watch(server);
  Turnstile turnstile(1, watch);
  std::thread decides([&] { turnstile.run(in_order({})); });
  {
    const Turnstile::Client passes(turnstile, 1);
    EXPECT_EQ(Turnstile::of_this_thread(), &turnstile);
  }
  decides.join();
  EXPECT_EQ(Turnstile::of_this_thread(), nullptr);
}

}  // namespace
}  // namespace hilsa::tests
