// Turns and time of clients that interleave by a seed instead of by the machine: one of them runs
// at a time, and time is what the schedule says. The simulated database offers one; a real database
// has none, and its clients run as the machine lets them.
//
// Whatever makes a client wait (a statement, a lock, a pause, a full pool) asks for the schedule of
// its thread, and where there is one, waits by it: no real time passes then.
#pragma once

#include "harness/history/clock.h"

namespace hilsa {

class ClientSchedule {
 public:
  virtual ~ClientSchedule() = default;

  // Of the thread that calls; null outside of Member and Observer.
  static ClientSchedule* of_this_thread();

  // From any thread. Never goes back.
  virtual Nanoseconds now_ns() const = 0;

  // --- for the client whose turn it is, in its own thread ---
  // Lets the seed choose who goes on; returns when this client is chosen.
  virtual void give_way() = 0;
  // Gives way for at least this long.
  virtual void pause(Nanoseconds length_ns) = 0;
  // Gives way until somebody wakes this client (true) or the time has come (false).
  virtual bool wait_until(Nanoseconds deadline_ns) = 0;
  // Which client this is, for wake().
  virtual int self() const = 0;
  // Ends that client's wait_until(); nothing if it does not wait.
  virtual void wake(int client) = 0;

  // --- for whoever lets clients go ---
  // Clients 1 … `clients` are about to enter: none gets a turn before all of them have.
  virtual void expect(int clients) = 0;

  // While it lives, its thread is that client. The constructor returns when it is its turn. With a
  // null schedule it does nothing.
  class Member {
   public:
    Member(ClientSchedule* schedule, int client);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    ClientSchedule* schedule_;
  };

  // While it lives, now_ns() is the schedule's in this thread, which is no client and never waits.
  // With a null schedule it does nothing.
  class Observer {
   public:
    explicit Observer(const ClientSchedule* schedule);
    ~Observer();
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;

   private:
    const ClientSchedule* before_;
  };

 protected:
  virtual void enter(int client) = 0;
  virtual void leave() = 0;
};

}  // namespace hilsa
