// The one seam between Hilsa and a database. Everything a session runs, BEGIN and COMMIT included,
// is one call to execute(); recording, scheduling and faults wrap around it as further Sessions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/database/statement.h"
#include "harness/history/clock.h"
#include "harness/history/error.h"
#include "harness/history/value.h"

namespace hilsa {

struct Result {
  // Names, as the database gives them. Tracked statements know their own: there it may be empty.
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;  // in the columns' order
  // Rows that an INSERT, UPDATE or DELETE found and wrote, whether or not a value became a
  // different one (MySQL: CLIENT_FOUND_ROWS). 0 for reads.
  std::int64_t affected = 0;
};

template <typename T>
using Expected = tl::expected<T, Error>;

class Session {
 public:
  virtual ~Session() = default;

  // Runs the statement and blocks until the database has answered, within the limits of
  // ConnectOptions. Parameters are bound, never pasted into the text; there must be one for every
  // index that the statement uses.
  //
  // Errors are values. What holds for every product:
  //  - an error inside a transaction leaves its state undefined: roll back before anything else;
  //  - COMMIT of a transaction in which a statement failed is never reported as a success;
  //  - the link breaks while COMMIT, or a statement that commits by itself and can write, is in
  //    flight: `commit_unknown`. It breaks anywhere else: `connection_lost`. In both cases usable()
  //    is false from then on, and the session never reconnects.
  // One thread at a time.
  virtual Expected<Result> execute(const Statement& statement,
                                   std::span<const Value> parameters) = 0;
  Expected<Result> execute(const Statement& statement) { return execute(statement, {}); }

  // False once the connection is lost; such a session can only be destroyed.
  virtual bool usable() const = 0;

  // The number by which the server itself calls this connection, in its lists of processes and in
  // what it says of deadlocks: PostgreSQL's process, MySQL's and MariaDB's connection id. Without a
  // server, a number that tells a Database's sessions apart. 0: it has none.
  virtual std::int64_t server_id() const { return 0; }

  // When the statement that ran last was sent, where it was held back before (harness/schedule); 0:
  // at once. In the thread that runs them.
  virtual Nanoseconds sent_ns() const { return 0; }

  // Makes a running execute(), and every later one, end soon with `interrupted` (or as a lost
  // connection). Callable from any thread while the session exists, any number of times.
  virtual void interrupt() noexcept = 0;
};

}  // namespace hilsa
