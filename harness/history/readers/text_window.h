// A moving window over a file: the bytes that are not used up yet, as far as they have been read.
// A reader takes what it can from the window's front, and asks for more when what it finds there
// breaks off.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/readers/byte_source.h"
#include "harness/history/readers/malformed.h"
#include "harness/history/readers/read_history.h"

namespace hilsa {

class TextWindow {
 public:
  // simdjson reads up to this many bytes behind a text, without looking at them.
  static constexpr std::size_t kPadding = 64;
  // No line and no form may be longer.
  static constexpr std::size_t kSizeMax = std::size_t{256} << 20;

  // `on_read` hears how many bytes came.
  TextWindow(std::string name, std::unique_ptr<ByteSource> source,
             std::function<void(std::size_t)> on_read = {});

  const std::string& name() const { return name_; }
  // Good until more().
  std::string_view rest() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Puts further bytes behind rest(); false: there are none. Throws Malformed when the window gets
  // too large.
  bool more();
  void consume(std::size_t bytes);
  // The line that rest() begins in, from 1.
  std::int64_t line() const { return line_; }
  bool broke_off() const { return source_->broke_off(); }

  struct Line {
    std::string_view text;  // without its end
    bool has_end = true;    // false: the last one, and the file ends without a newline
  };
  // The line at the front, which the next call uses up. None: the file has ended.
  std::optional<Line> next_line();

  HistoryUnreadable unreadable(const Malformed& malformed) const;

 private:
  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::function<void(std::size_t)> on_read_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t bytes_read_ = 0;
  std::int64_t line_ = 1;
  std::size_t line_in_use_ = 0;  // bytes of the line that next_line() gave out
};

}  // namespace hilsa
