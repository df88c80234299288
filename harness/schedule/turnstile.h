// Clients' statements, one at a time and in an order that somebody else decides. Every client runs
// in its own thread with its own connection; before each statement it stops here until it is let
// through, and nobody is let through while another client's statement may still move: each has
// returned, or is known to wait for a lock inside the database.
//
//   client 1   --| BEGIN |----| UPDATE |-----------------| COMMIT |--
//   client 2   ----------| BEGIN |------| UPDATE ...waits......... |--| COMMIT |--
//
// That a statement waits is seen, not guessed: BlockWatch asks the database.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "harness/database/block_watch.h"
#include "harness/database/session.h"

namespace hilsa {

// A statement that a client has come to: not sent yet.
struct Call {
  const Statement* statement = nullptr;
  std::vector<Value> parameters;
};

// A step that was taken.
struct TakenStep {
  int client = 0;
  Call call;
  bool waited = false;  // for a lock, so that others went on meanwhile
  // Nothing while it is with the database.
  std::optional<Expected<Result>> answer;
  int answered_after = -1;  // how many steps had been taken when the answer came
};

class Turnstile {
 public:
  // Clients are numbered from 1. The watch outlives this.
  Turnstile(int clients, BlockWatch& watch);
  Turnstile(const Turnstile&) = delete;
  Turnstile& operator=(const Turnstile&) = delete;

  // --- in a client's thread ---

  // While it lives, its thread is that client. The number of clients given to the constructor must
  // come, and leave, before the next round.
  class Client {
   public:
    Client(Turnstile& turnstile, int number);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

   private:
    Turnstile& turnstile_;
  };
  // The turnstile that the calling thread is a client of, or null.
  static Turnstile* of_this_thread();
  // Runs the statement on the session when it is this client's turn, which is at `sent_ns`.
  Expected<Result> pass(Session& session, const Statement& statement,
                        std::span<const Value> parameters, Nanoseconds& sent_ns);

  // --- in the thread that decides ---

  // A client that may go on, and with what.
  struct Waiting {
    int client = 0;
    const Call* call = nullptr;  // valid until it is let through
  };
  // Lets clients through until all have left. `choose` names one of those that may go on, which are
  // in the order of their numbers; nothing: the round is of no further interest, and everybody is
  // let through as they come. Throws what a client's thread cannot report itself: DatabaseUnusable
  // when the watch is lost.
  using Choose = std::function<std::optional<int>(const std::vector<Waiting>& waiting)>;
  std::vector<TakenStep> run(const Choose& choose);

 private:
  enum class State {
    away,     // not there yet
    working,  // in its own code
    waiting,  // for its turn
    running,  // its statement is with the database
    left,
  };
  struct Place {
    State state = State::away;
    Call call;
    std::int64_t session = 0;  // the number of the one that runs it
    bool blocked = false;      // running: in the database, for a lock
    std::size_t taken = 0;     // running: its place among the steps taken
    std::condition_variable turn;
  };

  void enter(int client);
  void leave(int client);
  // All below: mutex_ held.
  Place& place(int client) { return *places_[static_cast<std::size_t>(client - 1)]; }
  void let_through(int client);
  void settle(std::unique_lock<std::mutex>& lock);
  bool is_settled() const;
  bool all_blocked() const;
  bool look_for_blocked(std::unique_lock<std::mutex>& lock);
  void doubt_blocked();
  bool all_left() const;

  BlockWatch& watch_;
  std::mutex mutex_;
  std::condition_variable changed_;  // for the thread that decides
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<TakenStep> taken_;
  bool open_ = false;  // everybody is let through
};

}  // namespace hilsa
