// A History as other tools read it: Elle's EDN, list-append or rw-register.
//
// Lists and registers are written as they are. Of our own recordings those of the workloads
// `append` (a text of elements with commas between them) and `register` (one value) have such a
// form. O(n log n) for n transactions, as events go out in the order of their times.
#pragma once

#include <iosfwd>
#include <stdexcept>

#include "harness/history/history.h"

namespace hilsa {

// Why a history has no such form, in words.
class NotExportable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One event a line: `invoke`, then `ok`, `fail` or (outcome unknown) `info`. Where the history has
// no times, each transaction is written as if it ran alone, and the first line says so. After an
// `info` a client goes on under another process number, as Jepsen's do. `:attempt` is what the
// transaction is called here.
//
// Throws NotExportable before anything is written.
void export_edn(const History& history, std::ostream& out);

}  // namespace hilsa
