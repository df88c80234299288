// Pieces of GitHub's Markdown, out of texts that may hold anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hilsa {

// The text in one line, shown as it is: nothing in it is markup, HTML, a link, a mention, an emoji
// or mathematics. In paragraphs, table cells and HTML elements alike. Wider than `width_max`: cut
// in its middle.
std::string in_markdown(std::string_view text, std::size_t width_max = 300);

// A block of code whose fence is longer than any run of backticks in it; ends with a newline. More
// than `bytes_max` bytes of text: cut, which the last line says.
std::string fenced(std::string_view text, std::size_t bytes_max,
                   std::string_view language = "text");

// `| a | b |`; the cells are Markdown already.
std::string table_line(const std::vector<std::string>& cells);

// Pieces that have to fit, one after the other: from the first that does not on, all are only
// counted.
class BoundedPieces {
 public:
  explicit BoundedPieces(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  void add(const std::string& piece);
  const std::string& text() const { return text_; }
  std::size_t left_out() const { return left_out_; }
  std::size_t bytes_free() const { return bytes_max_ - text_.size(); }

 private:
  std::size_t bytes_max_;
  std::string text_;
  std::size_t left_out_ = 0;
};

}  // namespace hilsa
