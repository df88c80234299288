#include "reports/html/html_table.h"

#include <stdexcept>
#include <utility>

namespace hilsa {
namespace {

// Whether its words are short enough not to be broken: then the column is wide enough for them.
// Else a word may be broken anywhere, so that no table is wider than its page.
bool is_whole(std::string_view text) {
  constexpr std::size_t kWholeMax = 12;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == ' ' ? 0 : length + 1;
    if (length > kWholeMax) return false;
  }
  return true;
}

void add_class(std::string& classes, std::string_view more) {
  if (!classes.empty()) classes += ' ';
  classes += more;
}

}  // namespace

void HtmlTable::add_column(std::string title, Align align) {
  columns_.push_back({std::move(title), align, columns_.empty()});
}

void HtmlTable::add_row(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a row with too few or many cells");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].text.empty()) columns_[i].used = true;
  }
  rows_.push_back(std::move(cells));
}

void HtmlTable::write_cell(HtmlWriter& html, const Cell& cell, std::size_t column) const {
  std::string classes = columns_[column].align == Align::right ? "number" : "";
  if (cell.text.empty()) add_class(classes, "blank");
  if (!cell.write && !cell.text.empty() && is_whole(cell.text)) add_class(classes, "whole");
  HtmlAttributes attributes;
  // Cards are no tables to a browser; the roles keep them tables to a screen reader.
  if (column == 0) attributes = {{"scope", "row"}, {"role", "rowheader"}};
  if (column > 0) attributes = {{"role", "cell"}, {"data-label", columns_[column].title}};
  if (!classes.empty()) attributes.push_back({"class", classes});
  const auto open = html.open(column == 0 ? Literal("th") : Literal("td"), attributes);
  if (cell.write) {
    const auto one = html.open("div");  // beside its label it is one thing, whatever is in it
    cell.write(html);
  } else {
    html.text(cell.text);
  }
}

void HtmlTable::write(HtmlWriter& html) const {
  if (rows_.empty()) return;
  const auto table = html.open("table", {{"role", "table"}});
  html.element("caption", caption_);
  {
    const auto head = html.open("thead", {{"role", "rowgroup"}});
    const auto row = html.open("tr", {{"role", "row"}});
    for (const Column& column : columns_) {
      if (!column.used) continue;
      HtmlAttributes attributes = {{"scope", "col"}, {"role", "columnheader"}};
      std::string classes = column.align == Align::right ? "number" : "";
      if (is_whole(column.title)) add_class(classes, "whole");
      if (!classes.empty()) attributes.push_back({"class", classes});
      html.element("th", attributes, column.title);
    }
  }
  const auto body = html.open("tbody", {{"role", "rowgroup"}});
  for (const auto& cells : rows_) {
    const auto row = html.open("tr", {{"role", "row"}});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i].used) write_cell(html, cells[i], i);
    }
    html.raw("\n");
  }
}

}  // namespace hilsa
