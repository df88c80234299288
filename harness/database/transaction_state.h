// What a session must remember of its transaction, because servers do not all say it: PostgreSQL
// answers COMMIT of a failed transaction with a rollback and no error, InnoDB's lock wait timeout
// and SQLite's failed statement leave the transaction open with half of its work in it.
#pragma once

#include "harness/database/statement.h"
#include "harness/history/error.h"

namespace hilsa {

class TransactionState {
 public:
  bool open() const { return open_; }
  // Whether COMMIT would keep, or pretend to keep, a transaction in which a statement failed.
  bool failed() const { return open_ && failed_; }

  void ended_well(StatementKind kind) {
    if (kind == StatementKind::begin) open_ = true;
    if (kind == StatementKind::commit || kind == StatementKind::rollback) open_ = false;
    if (!open_) failed_ = false;
  }
  void ended_badly() { failed_ = open_; }

  // The kind of error when the link breaks while a statement of this kind is in flight.
  ErrorKind when_link_breaks(StatementKind kind) const {
    const bool commits = kind == StatementKind::commit || !open_;
    return commits && can_write(kind) ? ErrorKind::commit_unknown : ErrorKind::connection_lost;
  }

  // What a driver answers to a COMMIT that it turned into a rollback.
  static Error commit_refused() {
    return {ErrorKind::other, "25P02", 0,
            "a statement of this transaction had failed: rolled back instead of committed"};
  }

 private:
  bool open_ = false;
  bool failed_ = false;
};

}  // namespace hilsa
