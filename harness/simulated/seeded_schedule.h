// A ClientSchedule in which one client runs at a time, and a seed decides who is next: a baton that
// client threads hand to each other. Time goes on by a small seeded amount at each turn; when
// nobody can run, it jumps to the first moment at which somebody wakes up.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "harness/history/client_schedule.h"
#include "harness/history/rng.h"

namespace hilsa::simulated {

class SeededSchedule final : public ClientSchedule {
 public:
  SeededSchedule();
  ~SeededSchedule() override;

  // While no client runs.
  void seed(std::uint64_t seed);

  Nanoseconds now_ns() const override { return now_ns_.load(std::memory_order_acquire); }
  void give_way() override;
  void pause(Nanoseconds length_ns) override;
  bool wait_until(Nanoseconds deadline_ns) override;
  int self() const override;
  void wake(int client) override;
  void expect(int clients) override;

 private:
  struct Client {
    Client() { sem_init(&turn, 0, 0); }
    ~Client() { sem_destroy(&turn); }
    sem_t turn;
    enum class State { absent, runnable, sleeping } state = State::absent;
    bool wakeable = false;     // sleeping: wake() ends it
    bool woken = false;        // it was wake() that ended it
    Nanoseconds wakes_at = 0;  // sleeping: its place in sleepers_
    std::size_t position = 0;  // runnable: its place in runnable_
  };

  void enter(int client) override;
  void leave() override;

  // All below: mutex_ held.
  Client& client(int number) { return *clients_[static_cast<std::size_t>(number - 1)]; }
  void make_runnable(int number);
  void remove_runnable(int number);
  bool sleep_until(Nanoseconds time_ns, bool wakeable);
  void pass_time();
  int choose();
  // Hands the baton to whoever is chosen; returns when `self` has it again, if it wants it again.
  void hand_over(std::unique_lock<std::mutex>& lock, int self, bool comes_back);

  std::mutex mutex_;
  Rng rng_{1};
  std::atomic<Nanoseconds> now_ns_{0};
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<int> runnable_;
  std::set<std::pair<Nanoseconds, int>> sleepers_;
  int expected_ = 0;  // clients that have not entered yet
};

}  // namespace hilsa::simulated
