#include "cli/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "checkers/printable.h"

namespace hilsa {

ProgressLine::ProgressLine(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(const std::function<std::string()>& text) {
  constexpr Nanoseconds kBetween = 200'000'000;
  if (!shown_ || monotonic_ns() - last_ns_ < kBetween) return;
  last_ns_ = monotonic_ns();
  drawn_ = true;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  std::string line = printable(text());
  // A line that wraps could not be drawn over.
  if (known && line.size() >= size.ws_col) line.resize(size.ws_col - 1U);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
}

}  // namespace hilsa
