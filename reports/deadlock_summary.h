// The deadlocks of one row of a report, or of one history: how many, how long they were waited
// for, and one of them explained, statement by statement and in the server's own words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/histogram.h"
#include "harness/history/history.h"

namespace hilsa {

struct DeadlockSummary {
  // One transaction of the circle: it waited for the next one, the last one for the first.
  struct Wait {
    std::string transaction;  // `T12`
    int client = 0;
    std::int64_t session = 0;         // 0: not known
    std::string statement;            // its SQL; empty: not known
    std::string row;                  // that it waited for: `products/2`; empty: not known
    bool next_had_locked_it = false;  // seen in the history; else it may wait ahead in a queue
    Nanoseconds waited = 0;
  };
  struct Example {
    std::vector<Wait> waits;   // the victim first; alone if the others are not known
    std::string server;        // the server's words, printable; empty: none
    std::string why_no_words;  // why the server could not be asked; empty: it could, or has none
  };

  std::int64_t count = 0;  // victims
  Histogram victims_waited;
  Histogram survivors_waited;
  std::optional<Example> example;
};

// What the server was asked about the deadlock that it found last, where it does not tell its
// victims.
struct DeadlockWords {
  std::string section;   // innodb_deadlock(); empty: none
  std::string why_none;  // it could not be asked
  Nanoseconds asked_ns = 0;
};

// `words`: null where nobody asked.
DeadlockSummary summarize_deadlocks(const History& history, const DeadlockWords* words);

// `12 deadlocks; victims waited 1003 ms (median; longest 1011), survivors 1004 ms (longest 2010)`;
// empty: there were none.
std::string deadlocks_in_short(const DeadlockSummary& summary);
// The example, in lines of at most 120 columns; empty: there is none.
std::string explain_deadlock(const DeadlockSummary& summary);

}  // namespace hilsa
