// Sees from outside whether a session's statement waits for a lock inside the database. Sessions go
// by their server_id().
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "harness/database/session.h"
#include "harness/history/clock.h"

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

// Asks the server on a connection of its own.
class QueryBlockWatch final : public BlockWatch {
 public:
  // The query takes the session's number and gives one number, above 0 if it waits.
  QueryBlockWatch(std::unique_ptr<Session> session, std::string_view query, std::string how);
  Expected<bool> is_blocked(std::int64_t session) override;
  std::string how() const override { return how_; }

 private:
  std::unique_ptr<Session> session_;
  Statement query_;
  std::string how_;
};

// Guesses, where nobody may look: what takes longer than the limit waits.
class TimedBlockWatch final : public BlockWatch {
 public:
  explicit TimedBlockWatch(std::chrono::nanoseconds limit) : limit_(limit) {}
  void begins(std::int64_t session) override;
  Expected<bool> is_blocked(std::int64_t session) override;
  std::string how() const override;

 private:
  std::chrono::nanoseconds limit_;
  std::mutex mutex_;
  std::map<std::int64_t, Nanoseconds> begun_ns_;
};

}  // namespace hilsa
