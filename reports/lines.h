// Texts of several lines from outside, on their way into a report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hilsa {

// As printable() (checkers/printable.h), but line ends and tabs stay what they are. The same again
// for what it has made.
std::string visible_lines(std::string_view text);

// Without the line end of the last one.
std::vector<std::string_view> lines_of(std::string_view text);
// What they are views of must outlive them.
std::vector<std::string_view> lines_of(std::string&& text) = delete;
inline std::vector<std::string_view> lines_of(const char* text) {
  return lines_of(std::string_view(text));
}

// At most `bytes_max` bytes: whole lines if it can be, with a last line that says how much is
// missing. `bytes_max` is at least 100.
std::string shortened_at_line(std::string_view text, std::size_t bytes_max);

}  // namespace hilsa
