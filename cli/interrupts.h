// Ctrl-C, SIGTERM and SIGHUP: a stop is asked for, and the run ends in order and cleans up. A third
// one ends the process at once.
#pragma once

#include <stop_token>
#include <thread>

namespace hilsa {

class Interrupts {
 public:
  // Construct before any other thread is started: it blocks the signals for all of them.
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  std::stop_token stop() const { return source_.get_token(); }

 private:
  void listen(const std::stop_token& closing);

  std::stop_source source_;
  std::jthread listener_;
};

}  // namespace hilsa
