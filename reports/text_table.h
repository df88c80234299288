// Columns of text, aligned: names to the left, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace hilsa {

class TextTable {
 public:
  enum class Align { left, right };

  void add_column(std::string title, Align align) { columns_.push_back({std::move(title), align}); }
  // One cell per column; anything else is a std::logic_error.
  void add_row(std::vector<std::string> cells);
  // Lines without trailing blanks, each with a newline. A column in which no row has anything is
  // left out.
  std::string to_string() const;

 private:
  struct Column {
    std::string title;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hilsa
