#include "cli/interrupts.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>

#include "cli/exit_status.h"

namespace hilsa {
namespace {

sigset_t awaited() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Whoever ignored one before us, as nohup does, meant it.
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t signals = awaited();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader that goes away (`| head`) is seen as a failed write, not as a signal.
  std::signal(SIGPIPE, SIG_IGN);
  listener_ = std::jthread([this](const std::stop_token& closing) { listen(closing); });
}

Interrupts::~Interrupts() = default;

void Interrupts::listen(const std::stop_token& closing) {
  const sigset_t signals = awaited();
  const timespec patience{.tv_sec = 0, .tv_nsec = 100'000'000};
  int times = 0;
  while (!closing.stop_requested()) {
    if (sigtimedwait(&signals, nullptr, &patience) < 0) continue;
    ++times;
    if (times == 1) {
      std::fputs("\nhilsa: stopping; what was created is being removed\n", stderr);
      source_.request_stop();
    } else if (times == 2) {
      std::fputs("hilsa: still stopping; once more ends it without cleaning up\n", stderr);
    } else {
      _exit(static_cast<int>(ExitStatus::unknown));
    }
  }
}

}  // namespace hilsa
