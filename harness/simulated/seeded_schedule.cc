#include "harness/simulated/seeded_schedule.h"

#include <algorithm>
#include <cerrno>

namespace hilsa::simulated {
namespace {

// What a turn takes: 1 to twice this, less one. About what a statement takes in a database nearby.
constexpr std::uint64_t kTurnNs = 20'000;

// Which client of its schedule the thread is.
thread_local int number_of_this_thread = 0;

void take_turn(sem_t& turn) {
  while (sem_wait(&turn) != 0 && errno == EINTR) {
  }
}

}  // namespace

SeededSchedule::SeededSchedule() = default;
SeededSchedule::~SeededSchedule() = default;

void SeededSchedule::seed(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  rng_ = Rng(seed);
}

int SeededSchedule::self() const { return number_of_this_thread; }

void SeededSchedule::expect(int clients) {
  const std::lock_guard lock(mutex_);
  while (clients_.size() < static_cast<std::size_t>(clients)) {
    clients_.push_back(std::make_unique<Client>());
  }
  expected_ = clients;
}

void SeededSchedule::enter(int client_number) {
  number_of_this_thread = client_number;
  {
    const std::lock_guard lock(mutex_);
    client(client_number).state = Client::State::runnable;
    if (--expected_ == 0) {
      // In the order of their numbers, whoever came first.
      for (int number = 1; number <= static_cast<int>(clients_.size()); ++number) {
        if (client(number).state == Client::State::runnable) make_runnable(number);
      }
      pass_time();
      sem_post(&client(choose()).turn);
    }
  }
  take_turn(client(client_number).turn);
}

void SeededSchedule::leave() {
  std::unique_lock lock(mutex_);
  const int number = self();
  remove_runnable(number);
  client(number).state = Client::State::absent;
  hand_over(lock, number, false);
}

void SeededSchedule::make_runnable(int number) {
  Client& c = client(number);
  c.state = Client::State::runnable;
  c.position = runnable_.size();
  runnable_.push_back(number);
}

void SeededSchedule::remove_runnable(int number) {
  const std::size_t position = client(number).position;
  runnable_[position] = runnable_.back();
  client(runnable_[position]).position = position;
  runnable_.pop_back();
}

void SeededSchedule::pass_time() {
  Nanoseconds now = now_ns() + 1 + static_cast<Nanoseconds>(rng_.below(2 * kTurnNs - 1));
  if (runnable_.empty() && !sleepers_.empty()) now = std::max(now, sleepers_.begin()->first);
  now_ns_.store(now, std::memory_order_release);
  while (!sleepers_.empty() && sleepers_.begin()->first <= now) {
    const int number = sleepers_.begin()->second;
    sleepers_.erase(sleepers_.begin());
    make_runnable(number);
  }
}

int SeededSchedule::choose() { return runnable_[rng_.below(runnable_.size())]; }

void SeededSchedule::hand_over(std::unique_lock<std::mutex>& lock, int self_number,
                               bool comes_back) {
  pass_time();
  if (runnable_.empty()) return;  // the last one leaves
  const int next = choose();
  if (next == self_number) return;
  sem_t& turn = client(next).turn;
  sem_t& own_turn = client(self_number).turn;
  lock.unlock();
  sem_post(&turn);
  if (comes_back) take_turn(own_turn);
}

void SeededSchedule::give_way() {
  std::unique_lock lock(mutex_);
  hand_over(lock, self(), true);
}

void SeededSchedule::pause(Nanoseconds length_ns) { sleep_until(now_ns() + length_ns, false); }

bool SeededSchedule::wait_until(Nanoseconds deadline_ns) { return sleep_until(deadline_ns, true); }

bool SeededSchedule::sleep_until(Nanoseconds time_ns, bool wakeable) {
  std::unique_lock lock(mutex_);
  const int number = self();
  Client& c = client(number);
  remove_runnable(number);
  c.state = Client::State::sleeping;
  c.wakeable = wakeable;
  c.woken = false;
  c.wakes_at = time_ns;
  sleepers_.emplace(time_ns, number);
  hand_over(lock, number, true);
  return c.woken;
}

void SeededSchedule::wake(int client_number) {
  const std::lock_guard lock(mutex_);
  Client& c = client(client_number);
  if (c.state != Client::State::sleeping || !c.wakeable) return;
  sleepers_.erase({c.wakes_at, client_number});
  c.woken = true;
  make_runnable(client_number);
}

}  // namespace hilsa::simulated
