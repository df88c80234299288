#include "harness/schedule/turnstile.h"

#include <algorithm>
#include <utility>

#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

thread_local Turnstile* turnstile_of_this_thread = nullptr;
thread_local int client_of_this_thread = 0;

// How long a statement may take before it is asked whether it waits, and how often it is asked.
constexpr std::chrono::microseconds kLookAfter{400};

// Whether its end may let others go on that wait in the database.
bool may_release_locks(const Statement& statement, const Expected<Result>& answer) {
  if (!answer) return true;
  switch (statement.kind()) {
    case StatementKind::begin:
    case StatementKind::read_row:
    case StatementKind::read_rows:
      return false;
    default:
      break;
  }
  return true;  // outside of a transaction, every write does
}

}  // namespace

Turnstile::Turnstile(int clients, BlockWatch& watch) : watch_(watch) {
  for (int i = 0; i < clients; ++i) places_.push_back(std::make_unique<Place>());
}

Turnstile* Turnstile::of_this_thread() { return turnstile_of_this_thread; }

Turnstile::Client::Client(Turnstile& turnstile, int number) : turnstile_(turnstile) {
  turnstile_of_this_thread = &turnstile;
  client_of_this_thread = number;
  turnstile_.enter(number);
}

Turnstile::Client::~Client() {
  turnstile_.leave(client_of_this_thread);
  turnstile_of_this_thread = nullptr;
  client_of_this_thread = 0;
}

void Turnstile::enter(int client) {
  const std::lock_guard lock(mutex_);
  place(client).state = State::working;
}

void Turnstile::leave(int client) {
  const std::lock_guard lock(mutex_);
  place(client).state = State::left;
  changed_.notify_one();
}

Expected<Result> Turnstile::pass(Session& session, const Statement& statement,
                                 std::span<const Value> parameters, Nanoseconds& sent_ns) {
  std::size_t taken = 0;
  {
    std::unique_lock lock(mutex_);
    Place& self = place(client_of_this_thread);
    self.call = {&statement, {parameters.begin(), parameters.end()}};
    self.session = session.server_id();
    self.state = State::waiting;
    if (open_) {
      let_through(client_of_this_thread);
    } else {
      changed_.notify_one();
      self.turn.wait(lock, [&self] { return self.state == State::running; });
    }
    taken = self.taken;
  }
  sent_ns = now_ns();
  Expected<Result> answer = session.execute(statement, parameters);
  const std::lock_guard lock(mutex_);
  Place& self = place(client_of_this_thread);
  self.state = State::working;
  self.blocked = false;
  TakenStep& step = taken_[taken];
  step.answer = answer;
  step.answered_after = static_cast<int>(taken_.size());
  if (may_release_locks(statement, answer)) doubt_blocked();
  changed_.notify_one();
  return answer;
}

void Turnstile::let_through(int client) {
  Place& chosen = place(client);
  chosen.taken = taken_.size();
  chosen.blocked = false;
  taken_.push_back({.client = client, .call = chosen.call});
  chosen.state = State::running;
  watch_.begins(chosen.session);
  chosen.turn.notify_one();
}

// Somebody has let go of locks: who waited for one may wait no more.
void Turnstile::doubt_blocked() {
  for (const auto& place : places_) {
    if (place->state != State::running || !place->blocked) continue;
    place->blocked = false;
    watch_.begins(place->session);
  }
}

bool Turnstile::is_settled() const {
  return std::all_of(places_.begin(), places_.end(), [](const auto& place) {
    return place->state == State::waiting || place->state == State::left ||
           (place->state == State::running && place->blocked);
  });
}

// When the last of them has left, nobody waits any more.
bool Turnstile::all_blocked() const {
  return !all_left() && std::all_of(places_.begin(), places_.end(), [](const auto& place) {
    return place->state == State::left || (place->state == State::running && place->blocked);
  });
}

bool Turnstile::all_left() const {
  return std::all_of(places_.begin(), places_.end(),
                     [](const auto& place) { return place->state == State::left; });
}

// Asks about every statement that is with the database. False when all of those wait.
bool Turnstile::look_for_blocked(std::unique_lock<std::mutex>& lock) {
  for (const auto& place : places_) {
    if (place->state != State::running || place->blocked) continue;
    const std::size_t taken = place->taken;
    const std::int64_t session = place->session;
    lock.unlock();
    const Expected<bool> blocked = watch_.is_blocked(session);
    lock.lock();
    if (!blocked) {
      throw DatabaseUnusable("cannot see who waits for whom: " + to_text(blocked.error()));
    }
    if (!*blocked) continue;
    taken_[taken].waited = true;  // also if it has ended since: no other one can have begun
    if (place->state == State::running && place->taken == taken) place->blocked = true;
  }
  return !is_settled();
}

// Returns when nobody moves any more by itself.
void Turnstile::settle(std::unique_lock<std::mutex>& lock) {
  while (!changed_.wait_for(lock, kLookAfter, [this] { return is_settled(); })) {
    if (!look_for_blocked(lock)) return;
  }
}

std::vector<TakenStep> Turnstile::run(const Choose& choose) {
  std::unique_lock lock(mutex_);
  const auto let_all_through = [this] {
    open_ = true;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i]->state == State::waiting) let_through(static_cast<int>(i) + 1);
    }
  };
  std::exception_ptr failure;
  std::vector<Waiting> waiting;
  while (!open_) {
    try {
      settle(lock);
      waiting.clear();
      for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i]->state != State::waiting) continue;
        waiting.push_back({static_cast<int>(i) + 1, &places_[i]->call});
      }
      if (waiting.empty()) {
        if (all_left()) break;
        // All wait in the database: its own deadlock detection decides, or its time limit.
        changed_.wait(lock, [this] { return !all_blocked(); });
        continue;
      }
      if (const std::optional<int> chosen = choose(waiting)) {
        let_through(*chosen);
      } else {
        let_all_through();
      }
    } catch (...) {
      failure = std::current_exception();
      let_all_through();
    }
  }
  changed_.wait(lock, [this] { return all_left(); });
  // For the next round, whose clients may come before this is called again.
  for (const auto& place : places_) place->state = State::away;
  open_ = false;
  if (failure) {
    taken_.clear();
    std::rethrow_exception(failure);
  }
  return std::exchange(taken_, {});
}

}  // namespace hilsa
