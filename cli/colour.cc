#include "cli/colour.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace hilsa {

Colour colour_of(std::FILE* stream) {
  const char* const forbidden = std::getenv("NO_COLOR");
  if (forbidden != nullptr && *forbidden != '\0') return Colour::none;
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return Colour::none;
  return isatty(fileno(stream)) == 1 ? Colour::ansi : Colour::none;
}

}  // namespace hilsa
