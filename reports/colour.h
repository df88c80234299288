// Colour for a terminal that shows it: by what a word means, never instead of the word.
#pragma once

#include <string>

namespace hilsa {

enum class Colour { none, ansi };
// From good to bad.
enum class Tone { plain, good, doubtful, bad };

// How a row that promised and measured this is to be seen.
Tone tone_of(const std::string& promised, const std::string& measured);

std::string tinted(const std::string& text, Tone tone, Colour colour);

}  // namespace hilsa
