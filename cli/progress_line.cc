#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

namespace hilsa {

ProgressLine::ProgressLine(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(const std::string& text) {
  constexpr Nanoseconds kBetween = 200'000'000;
  if (!shown_ || now_ns() - last_ns_ < kBetween) return;
  last_ns_ = now_ns();
  drawn_ = true;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

}  // namespace hilsa
