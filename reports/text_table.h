// Columns of text, aligned: names to the left, numbers to the right.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/colour.h"

namespace hilsa {

class TextTable {
 public:
  enum class Align { left, right };

  void add_column(std::string title, Align align) { columns_.push_back({std::move(title), align}); }
  // One cell per column; anything else is a std::logic_error.
  void add_row(std::vector<std::string> cells);
  // Of the row that was added last, one cell.
  void tint(std::size_t column, Tone tone) { tones_[{rows_.size() - 1, column}] = tone; }
  // Lines without trailing blanks, each with a newline. A column in which no row has anything is
  // left out.
  std::string to_string(Colour colour = Colour::none) const;

 private:
  struct Column {
    std::string title;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::map<std::pair<std::size_t, std::size_t>, Tone> tones_;  // by row and column
};

}  // namespace hilsa
