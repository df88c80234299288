// A database in a map, for tests of those who run clients: executes tracked statements by their
// structure, each by itself under one lock; BEGIN and COMMIT do nothing, so it isolates nothing.
// Tests hang errors into it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "harness/database/database.h"

namespace hilsa::tests {

class FakeDatabase final : public Database {
 public:
  // Asked before every statement, from many threads; an answer is what the statement fails with.
  using Fault = std::function<std::optional<Error>(const Statement&)>;

  explicit FakeDatabase(Fault fault = nullptr);

  Expected<std::unique_ptr<Session>> open_session() override;
  std::vector<Setting> settings() override { return {}; }

  std::atomic<int> sessions_opened{0};
  std::atomic<int> sessions_open{0};
  std::atomic<int> sessions_refused_after{1 << 20};  // the server's connection limit

  // The value of a column in a row, or nothing.
  std::optional<std::int64_t> value(const Table& table, std::int64_t key, std::string_view column);
  std::int64_t rows(const Table& table);

 private:
  friend class FakeSession;
  using Cells = std::map<std::string_view, Value>;

  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters);
  Result read(const Structure& read, std::span<const Value> parameters);
  Result update(const Structure& update, std::span<const Value> parameters);
  Result insert(const Structure& insert, std::span<const Value> parameters);

  Fault fault_;
  std::mutex mutex_;
  std::map<const Table*, std::map<std::int64_t, Cells>> tables_;
};

}  // namespace hilsa::tests
