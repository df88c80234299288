#include "harness/history/readers/edn_tokens.h"

#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "harness/history/readers/malformed.h"

namespace hilsa {
namespace {

constexpr std::size_t kDepthMax = 512;

enum Class : std::uint8_t { kOther, kBlank, kDigit, kBracket, kQuote, kComment };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v', ',', '\0'}) {
    classes[static_cast<unsigned char>(c)] = kBlank;
  }
  for (char c = '0'; c <= '9'; ++c) classes[static_cast<unsigned char>(c)] = kDigit;
  for (const char c : {'{', '}', '[', ']', '(', ')'}) {
    classes[static_cast<unsigned char>(c)] = kBracket;
  }
  classes[static_cast<unsigned char>('"')] = kQuote;
  classes[static_cast<unsigned char>(';')] = kComment;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool ends_an_atom(char c) { return class_of(c) != kOther && class_of(c) != kDigit; }

char closer_of(char open) {
  if (open == '{') return '}';
  return open == '[' ? ']' : ')';
}

}  // namespace

std::string_view EdnToken::name() const {
  std::string_view name = text();
  if (kind == Kind::string) name = name.substr(1, name.size() - 2);
  if (name.starts_with(':')) name.remove_prefix(1);
  return name;
}

EdnToken EdnTokens::token(EdnToken::Kind kind, const char* begin, const char* end) {
  at_ = end;
  return {.kind = kind, .begin = begin, .end = end};
}

EdnToken EdnTokens::broken_off(const char* begin) {
  at_ = begin;
  return {.begin = begin, .end = end_};
}

// False when the text ends in blanks or in a comment.
bool EdnTokens::skip_blanks() {
  while (at_ != end_) {
    const std::uint8_t what = class_of(*at_);
    if (what == kBlank) {
      ++at_;
    } else if (what == kComment) {
      const auto* newline =
          static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
      if (newline == nullptr) return false;
      at_ = newline + 1;
    } else {
      return true;
    }
  }
  return false;
}

EdnToken EdnTokens::next() {
  if (!skip_blanks()) return broken_off(at_);
  const char* begin = at_;
  const char c = *begin;
  switch (class_of(c)) {
    case kDigit:
      return number(begin);
    case kQuote:
      return string(begin);
    case kBracket: {
      const bool opens = c == '{' || c == '[' || c == '(';
      EdnToken bracket =
          token(opens ? EdnToken::Kind::open : EdnToken::Kind::close, begin, begin + 1);
      bracket.bracket = opens ? closer_of(c) : c;
      return bracket;
    }
    default:
      break;
  }
  if (c == '#') return dispatch(begin);
  if (c == '\\') return character(begin);
  if ((c == '-' || c == '+') && begin + 1 != end_ && class_of(begin[1]) == kDigit) {
    return number(begin);
  }
  return atom(begin);
}

bool EdnTokens::next_integer(std::int64_t& number) {
  constexpr std::ptrdiff_t kRoom = 1 + 18 + 1;  // a blank, digits, what ends them
  if (end_ - at_ < kRoom) return false;
  const char* digits = at_ + (*at_ == ' ' ? 1 : 0);
  const char* at = digits;
  std::int64_t value = 0;
  while (class_of(*at) == kDigit) {
    if (at - digits == 18) return false;
    value = value * 10 + (*at++ - '0');
  }
  if (at == digits || (*digits == '0' && at - digits > 1)) return false;
  if (class_of(*at) != kBlank && class_of(*at) != kBracket) return false;
  number = value;
  at_ = at;
  return true;
}

EdnToken EdnTokens::number(const char* begin) {
  const char* digits = begin + (*begin == '-' || *begin == '+' ? 1 : 0);
  const char* at = digits;
  std::uint64_t magnitude = 0;
  while (at != end_ && class_of(*at) == kDigit) {
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(*at - '0');
    ++at;
  }
  if (at == end_) return broken_off(begin);
  const char* digits_end = at;
  if (*at == 'N') ++at;
  if (at == end_) return broken_off(begin);
  if (!ends_an_atom(*at) || (*digits == '0' && digits_end - digits > 1)) return atom(begin);
  EdnToken number = token(EdnToken::Kind::integer, begin, at);
  constexpr std::ptrdiff_t kSafeDigits = 18;
  if (digits_end - digits <= kSafeDigits) {
    number.integer = static_cast<std::int64_t>(magnitude);
    if (*begin == '-') number.integer = -number.integer;
    return number;
  }
  const char* from = *begin == '+' ? digits : begin;
  const auto parsed = std::from_chars(from, digits_end, number.integer);
  if (parsed.ec != std::errc()) number.kind = EdnToken::Kind::atom;
  return number;
}

EdnToken EdnTokens::atom(const char* begin) {
  const char* at = begin;
  while (at != end_ && !ends_an_atom(*at)) ++at;
  if (at == end_) return broken_off(begin);
  EdnToken atom = token(EdnToken::Kind::atom, begin, at);
  if (*begin == ':') atom.kind = EdnToken::Kind::keyword;
  if (atom.text() == "nil") atom.kind = EdnToken::Kind::nil;
  return atom;
}

EdnToken EdnTokens::string(const char* begin) {
  const char* at = begin + 1;
  for (; at != end_; ++at) {
    if (*at == '"') return token(EdnToken::Kind::string, begin, at + 1);
    if (*at == '\\' && ++at == end_) break;
  }
  return broken_off(begin);
}

// `\a`, `\newline`, `\{`: at least one character, whatever it is.
EdnToken EdnTokens::character(const char* begin) {
  if (end_ - begin < 3) return broken_off(begin);
  const char* at = begin + 2;
  while (at != end_ && !ends_an_atom(*at)) ++at;
  if (at == end_) return broken_off(begin);
  return token(EdnToken::Kind::atom, begin, at);
}

EdnToken EdnTokens::dispatch(const char* begin) {
  if (begin + 1 == end_) return broken_off(begin);
  const char c = begin[1];
  if (c == '_') return token(EdnToken::Kind::discard, begin, begin + 2);
  if (c == '{') {
    EdnToken set = token(EdnToken::Kind::open, begin, begin + 2);
    set.bracket = '}';
    return set;
  }
  EdnToken tag = atom(begin);
  if (tag.kind == EdnToken::Kind::end) return tag;
  if (tag.text().size() == 1) throw Malformed{"a lone '#'", "a tag, a set or #_", begin};
  // ##Inf and ##NaN stand for themselves.
  if (c != '#') tag.kind = EdnToken::Kind::tag;
  return tag;
}

bool EdnTokens::skip_form(EdnToken first) {
  std::array<char, kDepthMax> open;
  std::size_t depth = 0;
  std::size_t wanted = 1;  // forms at depth 0
  for (EdnToken token = first;; token = next()) {
    switch (token.kind) {
      case EdnToken::Kind::end:
        return false;
      case EdnToken::Kind::open:
        if (depth == kDepthMax) {
          throw Malformed{"brackets more than 512 deep", "fewer", token.begin};
        }
        open[depth++] = token.bracket;
        continue;
      case EdnToken::Kind::close:
        if (depth == 0 || open[depth - 1] != token.bracket) {
          throw Malformed{"'" + std::string(token.text()) + "'",
                          depth == 0 ? "a value" : std::string("'") + open[depth - 1] + "'",
                          token.begin};
        }
        --depth;
        break;
      case EdnToken::Kind::tag:
        continue;
      case EdnToken::Kind::discard:
        if (depth == 0) ++wanted;
        continue;
      default:
        break;
    }
    if (depth == 0 && --wanted == 0) return true;
  }
}

}  // namespace hilsa
