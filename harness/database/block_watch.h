// Sees from outside whether a session's statement waits for a lock inside the database. Sessions go
// by their server_id().
#pragma once

#include <cstdint>
#include <string>

#include "harness/database/session.h"

namespace hilsa {

class BlockWatch {
 public:
  virtual ~BlockWatch() = default;

  // The session's statement is about to begin, or may have been let go on: what was seen of it
  // before counts no more. From any thread.
  virtual void begins(std::int64_t /*session*/) {}

  // Whether it waits at this moment. One thread at a time.
  virtual Expected<bool> is_blocked(std::int64_t session) = 0;

  // How it is seen: `pg_blocking_pids()`. For people.
  virtual std::string how() const = 0;
};

}  // namespace hilsa
