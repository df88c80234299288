// What some transactions did, statement by statement, in the order of time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

class Phrases;

// Which operations of these transactions a timeline shows: all of a short one; of a long one those
// in `important` and those on the same objects, as far as there is room.
std::vector<OpIndex> operations_to_show(const History& history,
                                        std::span<const TxnIndex> transactions,
                                        std::span<const OpIndex> important);

// A statement, or where a transaction begins or ends.
struct TimelineEntry {
  enum class Kind { begin, statement, failed_statement, left_out, end };
  Kind kind = Kind::statement;
  std::optional<Nanoseconds> at;    // since the first; nothing: right behind the one before it
  std::optional<Nanoseconds> took;  // of statements
  TxnIndex txn = kNone;
  std::string what;
  std::string result;
};

// By time; without times in the history in program order, one transaction after the other.
std::vector<TimelineEntry> timeline_entries(const History& history, const Phrases& phrases,
                                            std::span<const TxnIndex> transactions,
                                            std::span<const OpIndex> shown);

// Lines of at most `width_max` columns (at least 80), a headline first. `shown`: ascending. Without
// times in the history: in program order, one transaction after the other.
std::vector<std::string> timeline(const History& history, const Phrases& phrases,
                                  std::span<const TxnIndex> transactions,
                                  std::span<const OpIndex> shown, std::size_t width_max);

}  // namespace hilsa
