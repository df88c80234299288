#include "reports/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "checkers/printable.h"
#include "reports/lines.h"

namespace hilsa {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Ends what GitHub finds in the text once Markdown is done with it: `@name`, `#12`, `:smile:`.
constexpr std::string_view kNothing = "<!-- -->";

// Whether the colon in front of the text begins an emoji's name: `smile:`.
bool is_emoji_name(std::string_view text) {
  const auto is_part = [](char c) { return is_word(c) || c == '_' || c == '+' || c == '-'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_part);
  return end != text.begin() && end != text.end() && *end == ':';
}

// As entities, characters are never markup, and they are the same inside HTML elements.
std::string escaped(char c, char before, std::string_view rest) {
  const char after = rest.empty() ? ' ' : rest[0];
  constexpr std::string_view kMarkup = "&<>\"'`*[]|~\\!";
  if (kMarkup.find(c) != std::string_view::npos) {
    return fmt::format("&#{};", static_cast<int>(c));
  }
  switch (c) {
    case '_':  // between letters it is no emphasis
      return is_word(before) && is_word(after) ? "_" : "&#95;";
    case '$':
      return "<span>$</span>";
    case '@':
    case '#':
      return c + std::string(kNothing);
    case ':':
      if (after == '/') return "&#58;";
      return is_emoji_name(rest) ? ":" + std::string(kNothing) : ":";
    case '.':  // `www.`
      return before == 'w' || before == 'W' ? "&#46;" : ".";
    case '-':  // `GH-12`
      return before == 'H' || before == 'h' ? "-" + std::string(kNothing) : "-";
    default:
      return std::string(1, c);
  }
}

std::size_t longest_run_of_backticks(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string in_markdown(std::string_view text, std::size_t width_max) {
  const std::string shown = elided(printable(text), width_max);
  std::string markdown;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char before = i == 0 ? ' ' : shown[i - 1];
    markdown += escaped(shown[i], before, std::string_view(shown).substr(i + 1));
  }
  return markdown;
}

std::string fenced(std::string_view text, std::size_t bytes_max, std::string_view language) {
  std::string shown = shortened_at_line(visible_lines(text), bytes_max);
  if (!shown.ends_with('\n')) shown += '\n';
  const std::string fence(std::max<std::size_t>(3, longest_run_of_backticks(shown) + 1), '`');
  return fmt::format("{}{}\n{}{}\n", fence, language, shown, fence);
}

std::string table_line(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

void BoundedPieces::add(const std::string& piece) {
  if (left_out_ > 0 || piece.size() > bytes_free()) {
    ++left_out_;
  } else {
    text_ += piece;
  }
}

}  // namespace hilsa
