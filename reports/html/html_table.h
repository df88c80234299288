// A table that becomes a stack of cards on a narrow screen: its header is then repeated beside each
// value. A column in which no row has anything is left out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/html/html_writer.h"

namespace hilsa {

class HtmlTable {
 public:
  enum class Align { left, right };
  // What is in a cell. With `write`, that is called instead of writing the text, which then only
  // says whether the cell is empty.
  struct Cell {
    std::string text;
    std::function<void(HtmlWriter&)> write;
    // NOLINTBEGIN(google-explicit-constructor): a text is a cell
    Cell(std::string words) : text(std::move(words)) {}
    Cell(const char* words) : text(words) {}
    // NOLINTEND(google-explicit-constructor)
    explicit Cell(std::function<void(HtmlWriter&)> writes) : text("-"), write(std::move(writes)) {}
  };

  explicit HtmlTable(std::string caption) : caption_(std::move(caption)) {}
  void add_column(std::string title, Align align = Align::left);
  // One cell a column, the first of which is the row's header; else a std::logic_error.
  void add_row(std::vector<Cell> cells);
  // Nothing for a table without rows.
  void write(HtmlWriter& html) const;

 private:
  struct Column {
    std::string title;
    Align align;
    bool used;
  };
  void write_cell(HtmlWriter& html, const Cell& cell, std::size_t column) const;

  std::string caption_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace hilsa
