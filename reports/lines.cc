#include "reports/lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkers/printable.h"

namespace hilsa {
namespace {

// Nearly all texts are plain, and this is asked of every one in a file.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; });
}

// Where a character begins, at or before `at`.
std::size_t begin_of_character(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

std::string visible_lines(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string shown;
  while (true) {
    const std::size_t end = text.find_first_of("\n\t");
    shown += printable(text.substr(0, end));
    if (end == std::string_view::npos) return shown;
    shown += text[end];
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string shortened_at_line(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  constexpr std::size_t kRemarkMax = 60;
  std::size_t cut = bytes_max - kRemarkMax;
  const std::size_t line_end = text.rfind('\n', cut);
  // A very long line is cut itself.
  const bool at_line = line_end != std::string_view::npos && line_end >= cut / 2;
  cut = at_line ? line_end : begin_of_character(text, cut);
  return std::string(text.substr(0, cut)) +
         fmt::format("\n… ({} more bytes are left out)\n", text.size() - cut);
}

}  // namespace hilsa
