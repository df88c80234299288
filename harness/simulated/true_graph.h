// Which anomalies a simulated database's transactions had between them, from its own log: the
// oracle that a checker is held against. It knows the version that a predicate read saw of every
// row, so nothing has to be inferred. Dense matrices, O(n^3 / 64): for tests, up to a few hundred
// transactions.
#pragma once

#include <cstdint>

#include "harness/simulated/store.h"
#include "harness/simulated/truth.h"

namespace hilsa::simulated {

// Of committed transactions. Names as in Adya's thesis and DESIGN §5; counts are of reads and
// writes, the rest of the kinds of cycles there are.
struct TrueAnomalies {
  std::int64_t aborted_reads = 0;  // G1a
  // A query that did not return a row, because of a version of it that was then rolled back. G1a by
  // the book; but only the database can know it, so that it counts for none of the levels below.
  std::int64_t aborted_misses = 0;
  std::int64_t intermediate_reads = 0;  // G1b
  std::int64_t lost_updates = 0;        // P4
  bool dirty_write = false;             // G0: a cycle of ww
  bool circular_information = false;    // G1c: of ww and wr
  bool read_skew = false;               // G-single: with exactly one rw
  bool not_snapshot = false;  // a cycle in which no two rw are next to each other (or none is)
  bool item_cycle = false;    // of ww, wr and rw over rows
  bool cycle = false;         // any, predicates included

  bool read_committed() const {
    return aborted_reads == 0 && intermediate_reads == 0 && !circular_information;
  }
  bool snapshot_isolation() const { return read_committed() && !not_snapshot; }
  bool serializable() const { return read_committed() && !cycle; }
};

// Whose knowledge counts. The database knows which version a predicate read saw of a row that it
// did not return. Its clients know only that it did not match; where the row did not match at two
// separate times, they cannot tell which it was.
enum class Eyes { of_database, of_clients };

// The database must have kept its log. With the eyes of clients: what they can be sure of.
TrueAnomalies anomalies_of(const Truth& truth, const Store& store, Eyes eyes = Eyes::of_database);

}  // namespace hilsa::simulated
