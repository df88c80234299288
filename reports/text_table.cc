#include "reports/text_table.h"

#include <algorithm>
#include <stdexcept>

namespace hilsa {

void TextTable::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a row with too few or many cells");
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string(Colour colour) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const auto& row : rows_) widths[i] = std::max(widths[i], row[i].size());
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns_[i].title.size());
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of, const auto& tone_of_cell) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!line.empty()) line += "  ";
      const bool left = columns_[i].align == Align::left;
      const std::string cell = cell_of(i);
      const std::string padding(widths[i] - cell.size(), ' ');
      const std::string shown = tinted(cell, tone_of_cell(i), colour);
      line += left ? shown + padding : padding + shown;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([this](std::size_t i) { return columns_[i].title; },
           [](std::size_t) { return Tone::plain; });
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    add_line([&](std::size_t i) { return rows_[place][i]; },
             [&](std::size_t i) {
               const auto found = tones_.find({place, i});
               return found == tones_.end() ? Tone::plain : found->second;
             });
  }
  return text;
}

}  // namespace hilsa
