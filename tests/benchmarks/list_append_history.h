// A list-append history of any size, as Elle's generator makes them, for measuring readers and
// checkers: the same for the same options, byte for byte, and strict serializable unless told
// otherwise.
#pragma once

#include <cstdint>
#include <cstdio>

namespace hilsa {

struct ListAppendOptions {
  std::int64_t transactions = 10'000;
  int operations = 4;  // of each transaction
  int clients = 20;
  int active_keys = 10;       // used at a time
  int appends_of_a_key = 32;  // then another key takes its place
  std::uint64_t seed = 1;
  enum class Format { edn, json };
  Format format = Format::edn;
  // Of so many transactions from this one on (in the order of ends, from 0), every second one
  // misses in its reads what the last `stale_by` transactions have appended, but for the keys that
  // it appends to itself: the dependency graph then has a component of about that size.
  std::int64_t stale_from = 0;
  std::int64_t stale_transactions = 0;
  std::int64_t stale_by = 60;
};

// Writes one event a line. False: the file could not be written.
bool write_list_append_history(const ListAppendOptions& options, std::FILE* file);

}  // namespace hilsa
