// What every driver must do alike, seen through Database and Session only. Test names end in the
// product, so that `--gtest_filter=*/mariadb*` runs one product's.
//
//   Conformance        every product
//   ServerConformance  PostgreSQL, MariaDB, MySQL
//   InnodbConformance  MariaDB, MySQL
//   PostgresConformance, SqliteConformance, …  what only one product can show
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/database/database.h"

namespace hilsa::tests {

// Nothing that goes well takes this long; a test that waits longer fails instead of hanging.
inline constexpr std::chrono::seconds kPatience{60};

// The text is for all products; `?` take the parameters in order.
Expected<Result> run(Session& session, std::string_view text,
                     const std::vector<Value>& parameters = {});
// The result, or a failed test.
Result must(Session& session, std::string_view text, const std::vector<Value>& parameters = {});
void must(Session& session, const Statement& statement);
// The error, or a failed test.
Error must_fail(Session& session, std::string_view text, const std::vector<Value>& parameters = {});
Error must_fail(Session& session, const Statement& statement);
// The only value of the only row.
Value value_of(Session& session, std::string_view text, const std::vector<Value>& parameters = {});

using Pending = std::future<Expected<Result>>;
// Runs it in a thread of its own. The session must outlive the future.
Pending in_background(Session& session, std::string text, std::vector<Value> parameters = {});
Expected<Result> outcome_of(Pending& pending);

// Asks again and again, with a pause between; false when kPatience is over.
bool wait_until(const std::function<bool()>& condition,
                std::chrono::milliseconds pause = std::chrono::milliseconds(5));

// Two tables, made anew for each test: {item} (id, stock >= 0, note), with the rows (1, 10, 'one')
// and (2, 20, 'two'), and {line} (id, item), whose item refers to {item}.
class Conformance : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;

  Product product() const { return database_->product(); }
  Database& database() { return *database_; }
  // Opens a second database object on the same server and tables, with other options.
  std::unique_ptr<Database> open_again(const ConnectOptions& options) const;
  std::unique_ptr<Session> session() { return session_of(*database_); }
  static std::unique_ptr<Session> session_of(Database& database);

  // Blocks until the server says that some statement waits for a lock.
  void wait_until_blocked();
  // The level of the open transaction, as the server tells it.
  std::string level_in_effect(Session& session) const;
  // The connection, as the server calls it; and its end.
  std::string connection_id(Session& session) const;
  void kill(const std::string& id);

  std::int64_t stock_of(int id);

 private:
  bool is_innodb() const;
  bool somebody_waits(Session& session) const;

  std::unique_ptr<Database> database_;
  std::unique_ptr<Session> observer_;
};

class ServerConformance : public Conformance {};
class InnodbConformance : public Conformance {};
class MariadbConformance : public Conformance {};
class PostgresConformance : public Conformance {};
class SqliteConformance : public Conformance {};

std::string product_of(const ::testing::TestParamInfo<std::string>& test);

}  // namespace hilsa::tests
