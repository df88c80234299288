// A bounded pool of sessions, first come, first served. Fewer connections than clients is a thing
// to study, so waiting for one has a limit and an outcome of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "harness/database/database.h"

namespace hilsa {

class Pool {
 public:
  // A session on loan; goes back when destroyed. A session that has become unusable is closed then,
  // and its place opens a new one for the next who asks.
  class Lease {
   public:
    Lease(Pool& pool, std::size_t place) : pool_(&pool), place_(place) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), place_(other.place_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Session& session() const;
    // Closes the session as it is, with whatever transaction is open: as when the application that
    // had it dies. Its place opens a new one for the next who asks. session() is gone.
    void cut();

   private:
    Pool* pool_;
    std::size_t place_;
  };

  // `size` places, at least 1; none is connected yet. The database must outlive the pool.
  Pool(Database& database, std::size_t size);

  // Connects the place. Each place once, before anybody acquires; different places may be connected
  // by different threads at the same time.
  std::optional<Error> connect(std::size_t place);

  // Waits for a free session at most `wait`: pool_timeout after that, interrupted on stop or after
  // it. A place whose session was lost reconnects here; the error of that is returned.
  Expected<Lease> acquire(std::chrono::nanoseconds wait, const std::stop_token& stop);

  // Interrupts the sessions on loan. From any thread.
  void interrupt_loans();

  std::size_t size() const { return sessions_.size(); }
  // How many clients wait for a session at this moment.
  std::size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable_any turn;
    ClientSchedule* schedule = nullptr;  // by which it waits, instead of by `turn`
    int client = 0;                      // then: which of the schedule's it is
    std::optional<std::size_t> place;
  };

  Session& session_at(std::size_t place) { return *sessions_[place]; }
  Expected<std::size_t> acquire_place(std::chrono::nanoseconds wait, const std::stop_token& stop);
  void cut(std::size_t place);
  void give_back(std::size_t place);
  void free_place(std::size_t place);  // mutex_ held

  Database& database_;
  mutable std::mutex mutex_;
  // Shared with interrupt_loans(), which must not hold the mutex while it talks to the server.
  std::vector<std::shared_ptr<Session>> sessions_;
  std::deque<std::size_t> free_;  // the longest unused last: a warm connection is used first
  std::list<Waiter*> waiting_;
};

}  // namespace hilsa
