// Cells that the tables of all reports have.
#pragma once

#include <string>
#include <vector>

#include "reports/html/html_table.h"

namespace hilsa {

// Of more rows a table shows the first, in the order of failing_first().
inline constexpr std::size_t kTableRowsMax = 200;
// Names in a cell, in characters.
inline constexpr std::size_t kCellTextMax = 160;

HtmlTable::Cell strategy_cell(const std::string& strategy, const std::string& isolation);
// The word, and whether it is as promised.
HtmlTable::Cell measured_cell(const std::string& promised, const std::string& measured);
std::string short_cell(const std::string& text);

// The rows' own order while all are shown, else `order`, cut.
std::vector<std::size_t> rows_to_show(std::size_t rows, const std::vector<std::size_t>& order);
void write_rows_left_out(HtmlWriter& html, std::size_t rows);

}  // namespace hilsa
