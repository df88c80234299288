#include "harness/history/readers/text_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hilsa {
namespace {

// Small files are many in tests, large ones want few rounds.
constexpr std::size_t kFirstSize = std::size_t{16} << 10;
constexpr std::size_t kUsualSize = std::size_t{1} << 20;

std::int64_t newlines_in(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

std::string quoted(std::string_view input) {
  constexpr std::size_t kShown = 40;
  std::size_t size = std::min(input.size(), kShown);
  const auto continues_a_character = [&](std::size_t at) {
    return at < input.size() && (static_cast<unsigned char>(input[at]) & 0xc0) == 0x80;
  };
  while (size > 0 && continues_a_character(size)) --size;
  std::string shown = "'";
  for (const char c : input.substr(0, size)) {
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return shown + (input.size() > size ? "…'" : "'");
}

TextWindow::TextWindow(std::string name, std::unique_ptr<ByteSource> source,
                       std::function<void(std::size_t)> on_read)
    : name_(std::move(name)),
      source_(std::move(source)),
      on_read_(std::move(on_read)),
      buffer_(kFirstSize + kPadding) {}

bool TextWindow::more() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > kSizeMax) throw Malformed{"one record of more than 256 MiB", "shorter ones"};
  const bool is_filled = end_ > buffer_.size() / 2;
  const bool may_grow = bytes_read_ >= buffer_.size() - kPadding && buffer_.size() < kUsualSize;
  if (is_filled || may_grow) buffer_.resize(2 * buffer_.size());
  // A full window each time: whoever starts over when a record breaks off then does so for a
  // multiple of its size, however small the pieces are that the source gives.
  const std::size_t before = end_;
  while (end_ < buffer_.size() - kPadding) {
    const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - kPadding - end_);
    if (got == 0) break;
    end_ += got;
  }
  bytes_read_ += end_ - before;
  if (on_read_ && end_ > before) on_read_(end_ - before);
  return end_ > before;
}

void TextWindow::consume(std::size_t bytes) {
  line_ += newlines_in(rest().substr(0, bytes));
  begin_ += bytes;
}

std::optional<TextWindow::Line> TextWindow::next_line() {
  consume(std::exchange(line_in_use_, 0));
  std::size_t searched = 0;
  for (;;) {
    const std::string_view text = rest();
    const std::size_t end = text.find('\n', searched);
    if (end != std::string_view::npos) {
      line_in_use_ = end + 1;
      return Line{text.substr(0, end), true};
    }
    searched = text.size();
    if (more()) continue;
    if (text.empty()) return std::nullopt;
    line_in_use_ = rest().size();
    return Line{rest(), false};
  }
}

HistoryUnreadable TextWindow::unreadable(const Malformed& malformed) const {
  std::int64_t line = line_;
  if (malformed.at != nullptr) {
    line += newlines_in(rest().substr(0, static_cast<std::size_t>(malformed.at - rest().data())));
  }
  return HistoryUnreadable(name_ + ":" + std::to_string(line) + ": " + malformed.found +
                           "; expected " + malformed.expected);
}

}  // namespace hilsa
