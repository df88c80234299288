// A History as lines to compare with: one for each transaction, and what it was read from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/history/history.h"
#include "harness/history/readers/read_history.h"

namespace hilsa {

// `T1 of 2, committed, 1-4: append(x,1) r(x,[1 2])`. Stamped: `r(products/1 v3 by 9; stock=5)`.
std::vector<std::string> story_of(const History& history);

// The history that is in the text; or, as the only line, what HistoryUnreadable says.
std::vector<std::string> story_of(std::string_view text, const ReadOptions& options = {});
// What HistoryUnreadable says of the text; empty: it is readable.
std::string error_of(std::string_view text, const ReadOptions& options = {});

}  // namespace hilsa
