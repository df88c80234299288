// Text from files and databases on its way to a terminal: it may hold anything, and must neither
// move the cursor nor pretend to be ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hilsa {

// The text in one line without control characters: those, broken UTF-8, and what turns the
// direction of writing around are shown as `\n`, `\x1b`, `\u202e`.
std::string printable(std::string_view text);

// How many columns a printable text takes; every character counts as one.
std::size_t width_of(std::string_view text);

// Shortened in its middle by `…` when it is wider than `width_max` (at least 3).
std::string elided(std::string_view text, std::size_t width_max);

// Broken at blanks into lines of at most `width_max`; longer words are broken anywhere. At least
// one line. Lines after the first begin with `indent` blanks, fewer than width_max.
std::vector<std::string> wrapped(std::string_view text, std::size_t width_max,
                                 std::size_t indent = 0);

}  // namespace hilsa
