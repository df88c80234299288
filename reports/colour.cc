#include "reports/colour.h"

namespace hilsa {

Tone tone_of(const std::string& promised, const std::string& measured) {
  if (measured == "safe") return Tone::good;
  return measured == "unsafe" && promised == "safe" ? Tone::bad : Tone::doubtful;
}

std::string tinted(const std::string& text, Tone tone, Colour colour) {
  if (colour == Colour::none || text.empty()) return text;
  switch (tone) {
    case Tone::good:
      return "\033[32m" + text + "\033[0m";
    case Tone::bad:
      return "\033[1;31m" + text + "\033[0m";
    case Tone::doubtful:
      return "\033[33m" + text + "\033[0m";
    case Tone::plain:
      break;
  }
  return text;
}

}  // namespace hilsa
