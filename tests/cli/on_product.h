// Tests of the tool on one product's real database; the parameter is `sqlite`, `postgres`,
// `mariadb` or `mysql`.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/database/database.h"
#include "tests/cli/hilsa_process.h"
#include "tests/harness/database/servers_for_tests.h"

namespace hilsa::tests {

using Words = std::vector<std::string>;

class OnProduct : public ::testing::TestWithParam<std::string> {
 protected:
  // The tool on this test's database; the address goes through the environment, as a careful
  // user's.
  static Finished tool(const Words& arguments) {
    return hilsa_tool(with_database(arguments), environment());
  }
  static Words with_database(Words arguments) {
    arguments.insert(arguments.end(), {"--db", "env:HILSA_TEST_DATABASE"});
    return arguments;
  }
  static Words environment() { return {"HILSA_TEST_DATABASE=" + address()}; }
  static std::string address() { return GetParam() == "sqlite" ? "sqlite:" : server_address(); }
  static std::string server_address() {
    const Url& url = server_url(GetParam());
    if (is("postgres")) return url.text;
    return GetParam() + "://" + url.user + ":" + url.password + "@" + url.host + "/" + url.name +
           "?socket=" + socket_of(url);
  }
  static bool is(std::string_view product) { return GetParam() == product; }
  static bool is_mysql() { return is("mysql") || is("mariadb"); }

  // Ends every other connection to the server, as an operator would.
  static void end_all_others(Session& session) {
    if (is("postgres")) {
      const auto ended = session.execute(
          raw_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                  "pg_backend_pid() AND backend_type = 'client backend'"));
      EXPECT_TRUE(ended) << to_text(ended.error());
      return;
    }
    const auto others = session.execute(
        raw_sql("SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND "
                "user NOT IN ('system user', 'event_scheduler')"));
    ASSERT_TRUE(others) << to_text(others.error());
    // One that is gone by itself meanwhile is no error of ours.
    for (const auto& other : others->rows)
      session.execute(definition_sql("KILL " + to_text(other[0])));
  }

  // What hilsa made and did not remove.
  static std::string left_behind() {
    if (is("sqlite")) return "";
    const auto database = open_for_test(GetParam());
    const auto session = database->open_session();
    const auto names = (*session)->execute(raw_sql(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema LIKE "
        "'hilsa%' OR table_name LIKE 'hilsa%'"));
    std::string found;
    for (const auto& name : names->rows) found += to_text(name[0]) + "." + to_text(name[1]) + " ";
    if (is("postgres")) {
      const auto schemas = (*session)->execute(
          raw_sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'hilsa%'"));
      for (const auto& name : schemas->rows) found += to_text(name[0]) + " ";
    }
    return found;
  }
};

}  // namespace hilsa::tests
