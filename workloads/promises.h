// What strategies promise, by what it depends on. A promise is per product and level.
#pragma once

#include "workloads/table/workload.h"

namespace hilsa {

inline Promise always(const Traits& /*traits*/, Isolation /*level*/) { return Promise::safe; }
inline Promise never(const Traits& /*traits*/, Isolation /*level*/) { return Promise::unsafe; }
// It reads a row and writes it later.
inline Promise where_lost_updates_fail(const Traits& traits, Isolation level) {
  return traits.prevents_lost_update(level) ? Promise::safe : Promise::unsafe;
}
// It reads rows one after the other, which must fit together.
inline Promise where_reads_fit_together(const Traits& traits, Isolation level) {
  const bool one_snapshot = level >= Isolation::repeatable_read || traits.is_serializable(level);
  return one_snapshot ? Promise::safe : Promise::unsafe;
}
// It reads rows and writes others.
inline Promise where_serializable(const Traits& traits, Isolation level) {
  return traits.is_serializable(level) ? Promise::safe : Promise::unsafe;
}
// It relies on a locking read that finds nothing.
inline Promise where_absent_rows_lock(const Traits& traits, Isolation level) {
  return traits.locks_absent_rows(level) ? Promise::safe : Promise::unsafe;
}

// It takes a lock and then reads what the lock's last holder has done. Where the very statement
// that waits for the lock has fixed what the transaction will see, it does not see that: the lock
// does not help, unless the database refuses such a transaction. InnoDB's locking reads and
// GET_LOCK() fix nothing; the first plain read does.
inline Promise where_reads_follow_locks(const Traits& traits, Isolation level) {
  const bool is_innodb = traits.product == Product::mysql || traits.product == Product::mariadb;
  const bool reads_the_past = traits.promised_level(level) == "snapshot isolation" && !is_innodb;
  return reads_the_past ? Promise::unsafe : Promise::safe;
}

}  // namespace hilsa
