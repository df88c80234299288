// What some transactions did, statement by statement, in the order of time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

// Which operations of these transactions a timeline shows: all of a short one; of a long one those
// in `important` and those on the same objects, as far as there is room.
std::vector<OpIndex> operations_to_show(const History& history,
                                        std::span<const TxnIndex> transactions,
                                        std::span<const OpIndex> important);

class Phrases;

// Lines of at most `width_max` columns (at least 80), a headline first. `shown`: ascending. Without
// times in the history: in program order, one transaction after the other.
std::vector<std::string> timeline(const History& history, const Phrases& phrases,
                                  std::span<const TxnIndex> transactions,
                                  std::span<const OpIndex> shown, std::size_t width_max);

}  // namespace hilsa
