// The line on a terminal that says how far a long command is. Silent when standard error is not a
// terminal, or with --quiet.
#pragma once

#include <functional>
#include <string>

#include "harness/history/clock.h"

namespace hilsa {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether anybody looks.
  bool is_shown() const { return shown_; }
  // Draws at most five times a second, cut to the terminal's width; `text` is asked for only then.
  void show(const std::function<std::string()>& text);

 private:
  bool shown_;
  bool drawn_ = false;
  Nanoseconds last_ns_ = 0;
};

}  // namespace hilsa
