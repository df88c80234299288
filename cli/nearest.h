// For "did you mean": the known word nearest to an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hilsa {

// The known word with the fewest edits (insert, delete, replace, swap neighbours) from `word`;
// empty when even that one is too far off to be meant (more than a third of its letters, at least
// two).
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// A word of the command line as it may be shown: `'word'`, or `(a URL)`, which may hold a password.
std::string shown(std::string_view word);

// `; did you mean 'x'?`, or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace hilsa
