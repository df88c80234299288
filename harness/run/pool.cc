#include "harness/run/pool.h"

#include <utility>

namespace hilsa {

Pool::Lease::~Lease() {
  if (pool_ != nullptr) pool_->give_back(place_);
}

Session& Pool::Lease::session() const { return pool_->session_at(place_); }

void Pool::Lease::cut() { pool_->cut(place_); }

Pool::Pool(Database& database, std::size_t size) : database_(database), sessions_(size) {}

std::optional<Error> Pool::connect(std::size_t place) {
  auto session = database_.open_session();
  if (!session) return session.error();
  const std::lock_guard lock(mutex_);
  sessions_[place] = *std::move(session);
  free_place(place);
  return std::nullopt;
}

Expected<Pool::Lease> Pool::acquire(std::chrono::nanoseconds wait, const std::stop_token& stop) {
  const auto place = acquire_place(wait, stop);
  if (!place) return tl::unexpected(place.error());
  Lease lease(*this, *place);  // gives the place back whatever happens below
  if (sessions_[*place] != nullptr) return lease;
  auto session = database_.open_session();
  if (!session) return tl::unexpected(session.error());
  const std::lock_guard lock(mutex_);
  sessions_[*place] = *std::move(session);
  return lease;
}

Expected<std::size_t> Pool::acquire_place(std::chrono::nanoseconds wait,
                                          const std::stop_token& stop) {
  const auto stopped = [] {
    return tl::unexpected(Error{ErrorKind::interrupted, "", 0, "stopped by the user"});
  };
  std::unique_lock lock(mutex_);
  if (stop.stop_requested()) return stopped();
  if (!free_.empty()) {
    const std::size_t place = free_.front();
    free_.pop_front();
    return place;
  }
  Waiter self;
  const auto entry = waiting_.insert(waiting_.end(), &self);
  self.schedule = ClientSchedule::of_this_thread();
  if (self.schedule != nullptr) {
    self.client = self.schedule->self();
    lock.unlock();
    self.schedule->wait_until(now_ns() + wait.count());
    lock.lock();
  } else {
    self.turn.wait_for(lock, stop, wait, [&self] { return self.place.has_value(); });
  }
  waiting_.erase(entry);
  if (self.place) return *self.place;
  if (stop.stop_requested()) return stopped();
  return tl::unexpected(Error{ErrorKind::pool_timeout, "", 0, "no connection became free"});
}

void Pool::cut(std::size_t place) {
  std::shared_ptr<Session> session;  // closed after the lock is released
  const std::lock_guard lock(mutex_);
  session = std::move(sessions_[place]);
}

void Pool::give_back(std::size_t place) {
  std::shared_ptr<Session> lost;  // closed after the lock is released
  const std::lock_guard lock(mutex_);
  if (sessions_[place] && !sessions_[place]->usable()) lost = std::move(sessions_[place]);
  free_place(place);
}

void Pool::free_place(std::size_t place) {
  for (Waiter* const waiter : waiting_) {
    if (waiter->place) continue;
    waiter->place = place;
    if (waiter->schedule != nullptr) {
      waiter->schedule->wake(waiter->client);
    } else {
      waiter->turn.notify_one();
    }
    return;
  }
  free_.push_front(place);
}

std::size_t Pool::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void Pool::interrupt_loans() {
  std::vector<std::shared_ptr<Session>> on_loan;
  {
    const std::lock_guard lock(mutex_);
    on_loan = sessions_;
    for (const std::size_t place : free_) on_loan[place] = nullptr;
  }
  for (const auto& session : on_loan) {
    if (session) session->interrupt();
  }
}

}  // namespace hilsa
