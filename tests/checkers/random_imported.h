// Small random histories of lists or registers, as a database of a random strength would have run
// them, and some of them then falsified, so that good and bad ones are both frequent.
//
// A few clients run transactions of reads and writes over a few lists or registers, one step of one
// client at a time. What is promised: every element or value is written once; aborted and
// unanswered transactions are among them, and of the latter nothing is told of what they read; keys
// and their writes may go unread; transactions stand in the order of their ends. Falsified are
// reads alone: another value of the same register, a list cut short, gone on with, or with two
// elements exchanged, two reads exchanged.
#pragma once

#include <cstdint>
#include <string>

#include "harness/history/history.h"

namespace hilsa {

struct RandomImportedOptions {
  Form form = Form::lists;  // or registers
  int transactions_max = 6;
  int keys_max = 3;
  int operations_max = 4;         // of a transaction
  bool unknown_outcomes = false;  // now and then the answer to COMMIT is lost
};

// The same for the same arguments.
History random_imported_history(std::uint64_t seed, const RandomImportedOptions& options);

// A line a transaction: `T2 c1 10..30 aborted: append x 3; read x [1 3]; write y 4; read y NULL`.
std::string to_imported_text(const History& history);

}  // namespace hilsa
