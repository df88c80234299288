#include "checkers/printable.h"

#include <array>
#include <cstdint>

namespace hilsa {
namespace {

struct CodePoint {
  std::uint32_t number = 0;
  std::size_t bytes = 0;  // 0: broken UTF-8
};

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Overlong forms, surrogates and what is beyond Unicode are broken.
CodePoint first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t number = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return {};
    number = (number << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLowest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = number >= 0xD800 && number <= 0xDFFF;
  if (number < kLowest[bytes] || surrogate || number > 0x10FFFF) return {};
  return {number, bytes};
}

bool is_harmless(std::uint32_t number) {
  if (number < 0x20 || (number >= 0x7F && number <= 0x9F)) return false;
  const bool marks = number >= 0x200B && number <= 0x200F;      // zero width, direction marks
  const bool separates = number >= 0x2028 && number <= 0x202E;  // lines, embedded directions
  const bool isolates = number >= 0x2060 && number <= 0x206F;   // likewise
  const bool is_mark = number == 0xFEFF;                        // of the byte order
  const bool is_none = number == 0xFFFE || number == 0xFFFF;  // no characters: XML cannot hold them
  return !marks && !separates && !isolates && !is_mark && !is_none;
}

std::string hex(std::uint32_t number, int digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += kHex[(number >> (4 * i)) & 15U];
  return text;
}

std::string escaped(std::uint32_t number) {
  if (number == '\n') return "\\n";
  if (number == '\r') return "\\r";
  if (number == '\t') return "\\t";
  return number < 0x80 ? "\\x" + hex(number, 2) : "\\u" + hex(number, 4);
}

// Where the character behind `at` begins.
std::size_t next(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && continues(text[at])) ++at;
  return at;
}

std::size_t place_of(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (; character > 0 && at < text.size(); --character) at = next(text, at);
  return at;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_of(text);
    const std::size_t taken = point.bytes == 0 ? 1 : point.bytes;
    if (point.bytes == 0) {
      shown += "\\x" + hex(static_cast<unsigned char>(text[0]), 2);
    } else if (is_harmless(point.number)) {
      shown += text.substr(0, taken);
    } else {
      shown += escaped(point.number);
    }
    text.remove_prefix(taken);
  }
  return shown;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += continues(c) ? 0 : 1;
  return width;
}

std::string elided(std::string_view text, std::size_t width_max) {
  const std::size_t width = width_of(text);
  if (width <= width_max) return std::string(text);
  const std::size_t tail = (width_max - 1) / 2;
  const std::size_t head = width_max - 1 - tail;
  return std::string(text.substr(0, place_of(text, head))) + "…" +
         std::string(text.substr(place_of(text, width - tail)));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width_max, std::size_t indent) {
  std::vector<std::string> lines;
  std::size_t room = width_max;
  while (width_of(text) > room) {
    const std::size_t limit = place_of(text, room);
    std::size_t cut = text.rfind(' ', limit);
    const bool at_blank = cut != std::string_view::npos && cut > 0;
    if (!at_blank) cut = limit;
    lines.push_back(std::string(lines.empty() ? 0 : indent, ' ') +
                    std::string(text.substr(0, cut)));
    text.remove_prefix(at_blank ? cut + 1 : cut);
    room = width_max - indent;
  }
  lines.push_back(std::string(lines.empty() ? 0 : indent, ' ') + std::string(text));
  return lines;
}

}  // namespace hilsa
