// What a database (or the way to it) answered instead of doing what was asked. An Error is data:
// it is counted, recorded and reported, never thrown across a module's border.
#pragma once

#include <string>
#include <string_view>

namespace hilsa {

enum class ErrorKind {
  serialization_failure,  // the database refused this order of transactions; retry it whole
  deadlock,               // this transaction was chosen as the victim and rolled back
  lock_timeout,           // a row lock was not granted in time (or at once, with NOWAIT)
  busy,                   // SQLite: somebody else is writing
  unique_violation,
  check_violation,
  foreign_key_violation,
  connection_lost,    // the link broke while nothing that could commit was in flight
  commit_unknown,     // the link broke while a COMMIT (or what commits by itself) was in flight: it
                      // may have happened or not
  pool_timeout,       // no connection of the pool became free in time
  statement_timeout,  // the statement ran longer than its limit
  interrupted,        // this tool itself cut the statement short (Ctrl-C)
  other,
};
inline constexpr std::size_t kErrorKindCount = static_cast<std::size_t>(ErrorKind::other) + 1;

// As spelled in reports and in the history: `serialization_failure`, `deadlock`, …
std::string_view name_of(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::other;
  std::string sqlstate;     // five characters, or empty where the product gave none
  int vendor_code = 0;      // MySQL's error number, SQLite's extended result code; 0 elsewhere
  std::string server_text;  // the server's own words, one line, never with a password

  friend bool operator==(const Error&, const Error&) = default;
};

// One line for a person: `deadlock (40P01): deadlock detected`.
std::string to_text(const Error& error);

}  // namespace hilsa
