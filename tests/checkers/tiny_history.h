// Histories of stamped rows in a tiny text form, there and back, so that what a random test finds
// can be pasted into a fixed one. A line a transaction, in the order of their ends:
//
//   T2 c1 10..30 aborted: read x/1.2@1; write x/1.3 a=5 b+=1 note,='late'
//   T3 c2: where x a>=1 b<>0 -> x/1.2 x/4.1; insert y/7.1 a=NULL; erase x/1.3; read y/8.0
//
// T and the id; c and the client; begin..end; the outcome, if it is not `committed`. A row is
// table/key.version, and @ its writer where a read asked for it; version 0: no such row. A
// predicate read names the table and its comparisons, then the rows that came back. Keys are whole
// numbers, values whole numbers, NULL, or texts in quotes without blanks.
#pragma once

#include <string>
#include <string_view>

#include "harness/history/history.h"

namespace hilsa {

// Throws std::invalid_argument, naming the word that is wrong.
History parse_tiny_history(std::string_view text);
std::string to_tiny_text(const History& history);

}  // namespace hilsa
