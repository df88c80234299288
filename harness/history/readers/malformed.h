// What is wrong at one place of a file, until the file's name and the line are put to it.
#pragma once

#include <string>
#include <string_view>

namespace hilsa {

struct Malformed {
  std::string found;
  std::string expected;
  const char* at = nullptr;  // in the window that is being read; null: where the window begins
};

// A piece of input as it may be shown: in quotes, short, without control characters.
std::string quoted(std::string_view input);

}  // namespace hilsa
