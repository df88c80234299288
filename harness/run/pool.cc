#include "harness/run/pool.h"

#include <utility>

namespace hilsa {

Pool::Lease::~Lease() {
  if (pool_ != nullptr) pool_->give_back(place_);
}

Session& Pool::Lease::session() const { return pool_->session_at(place_); }

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
  std::unique_lock lock(mutex_);
  std::size_t place = 0;
  if (!free_.empty()) {
    place = free_.front();
    free_.pop_front();
  } else {
    Waiter self;
    const auto entry = waiting_.insert(waiting_.end(), &self);
    self.turn.wait_for(lock, stop, wait, [&self] { return self.place.has_value(); });
    waiting_.erase(entry);
    if (!self.place) {
      if (stop.stop_requested()) {
        return tl::unexpected(Error{ErrorKind::interrupted, "", 0, "stopped by the user"});
      }
      return tl::unexpected(Error{ErrorKind::pool_timeout, "", 0, "no connection became free"});
    }
    place = *self.place;
  }
  if (sessions_[place] != nullptr) return Lease(*this, place);
  lock.unlock();
  if (auto error = connect(place)) {
    lock.lock();
    free_place(place);  // somebody else may have more luck
    return tl::unexpected(*error);
  }
  // connect() gave the place to whoever comes next; take one again in turn.
  return acquire(wait, stop);
}

void Pool::give_back(std::size_t place) {
  std::unique_ptr<Session> lost;  // closed after the lock is released
  const std::lock_guard lock(mutex_);
  if (!sessions_[place]->usable()) lost = std::move(sessions_[place]);
  free_place(place);
}

void Pool::free_place(std::size_t place) {
  for (Waiter* const waiter : waiting_) {
    if (waiter->place) continue;
    waiter->place = place;
    waiter->turn.notify_one();
    return;
  }
  free_.push_front(place);
}

std::size_t Pool::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void Pool::interrupt_all() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& session : sessions_) {
    if (session) session->interrupt();
  }
}

}  // namespace hilsa
