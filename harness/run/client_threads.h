// The clients: one thread each, started once and used for every trial.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/history/clock.h"

namespace hilsa {

class ClientThreads {
 public:
  // Throws std::system_error when the system refuses that many threads.
  explicit ClientThreads(int clients);
  ~ClientThreads();
  ClientThreads(const ClientThreads&) = delete;
  ClientThreads& operator=(const ClientThreads&) = delete;

  int size() const { return static_cast<int>(threads_.size()); }

  struct Span {
    Nanoseconds begin_ns = 0;  // when all clients were let go
    Nanoseconds end_ns = 0;    // when the last one had ended
  };
  // Runs `work(client)` for client 1 … size() on all threads. All of them reach the start line
  // before any is let go. While they run, `meanwhile` is called on this thread about every 50 ms.
  // What any of them throws is thrown here, the first of it, when all have ended.
  Span run(const std::function<void(int client)>& work, const std::function<void()>& meanwhile);

 private:
  void live(int client);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)>* work_ = nullptr;
  int round_ = 0;     // which run() the threads are to take part in
  int at_start_ = 0;  // threads that have reached the start line of this round
  // The round whose clients are let go. They wait on the number itself, not for the mutex, so that
  // all of them become runnable at once and not one after the other.
  std::atomic<int> released_{0};
  int running_ = 0;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hilsa
