#include "harness/run/client_threads.h"

#include <chrono>

namespace hilsa {

ClientThreads::ClientThreads(int clients) {
  try {
    for (int client = 1; client <= clients; ++client) {
      threads_.emplace_back([this, client] { live(client); });
    }
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    throw;
  }
}

ClientThreads::~ClientThreads() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

ClientThreads::Span ClientThreads::run(const std::function<void(int)>& work,
                                       const std::function<void()>& meanwhile) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  at_start_ = 0;
  failure_ = nullptr;
  running_ = size();
  ++round_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return at_start_ == size(); });
  Span span;
  span.begin_ns = now_ns();
  released_ = round_;
  released_.notify_all();
  while (
      !changed_.wait_for(lock, std::chrono::milliseconds(50), [this] { return running_ == 0; })) {
    lock.unlock();
    std::exception_ptr failure;
    try {
      meanwhile();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
  }
  span.end_ns = now_ns();
  if (failure_) std::rethrow_exception(failure_);
  return span;
}

void ClientThreads::live(int client) {
  int seen_round = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || round_ != seen_round; });
    if (closing_) return;
    seen_round = round_;
    const std::function<void(int)>& work = *work_;
    if (++at_start_ == size()) changed_.notify_all();
    lock.unlock();
    released_.wait(seen_round - 1);
    std::exception_ptr failure;
    try {
      work(client);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--running_ == 0) changed_.notify_all();
  }
}

}  // namespace hilsa
