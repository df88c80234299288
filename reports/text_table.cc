#include "reports/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace hilsa {

void TextTable::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a row with too few or many cells");
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const auto& row : rows_) widths[i] = std::max(widths[i], row[i].size());
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns_[i].title.size());
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!line.empty()) line += "  ";
      const bool left = columns_[i].align == Align::left;
      line += left ? fmt::format("{:<{}}", cell_of(i), widths[i])
                   : fmt::format("{:>{}}", cell_of(i), widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([this](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) add_line([&row](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace hilsa
