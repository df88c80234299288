// The main job, end to end, on every real server: which strategy oversells, and that nothing is
// left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "harness/database/database.h"
#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Oversell : public OnProduct {
 protected:
  static json rows_of(const Finished& finished) {
    EXPECT_EQ(complaints_of(finished), "");
    return json::parse(finished.out)["rows"];
  }
  static json row(const json& rows, const std::string& strategy) {
    for (const json& row : rows) {
      if (row["strategy"] == strategy) return row;
    }
    ADD_FAILURE() << "no row for " << strategy;
    return {};
  }

  void TearDown() override { EXPECT_EQ(left_behind(), ""); }
};

INSTANTIATE_TEST_SUITE_P(Products, Oversell,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(Oversell, EveryStrategyDoesAsPromised) {
  const Finished finished = tool({"compare", "oversell", "--format", "json"});
  EXPECT_EQ(finished.status, 0);
  const json rows = rows_of(finished);
  for (const json& row : rows) {
    SCOPED_TRACE(row.dump(1));
    EXPECT_EQ(row["measured"], row["promised"]);
    EXPECT_EQ(row["trials"], 10);
    const bool safe = row["promised"] == "safe";
    // A busy machine may let one buyer through before the next one starts: in some trials, not all.
    EXPECT_EQ(row["trials_violated"] > 0, !safe);
    EXPECT_EQ(row["measures"]["sold_max"] == 1, safe);
    EXPECT_GE(row["measures"]["sold_min"], 1);
  }
  EXPECT_EQ(row(rows, "autocommit")["promised"], "unsafe");
  for (const char* const strategy : {"atomic", "optimistic", "serializable", "check-constraint"}) {
    EXPECT_EQ(row(rows, strategy)["promised"], "safe") << strategy;
  }
  // The overwritten stock hides what happened; the decremented one shows it.
  EXPECT_EQ(row(rows, "autocommit")["measures"]["final_stock"], 0);
  if (is("sqlite")) {
    EXPECT_GT(row(rows, "read-then-write")["errors"]["busy"], 0);
    return;
  }
  EXPECT_EQ(row(rows, "read-then-write")["promised"], "unsafe");
  EXPECT_EQ(row(rows, "read-then-write")["measures"]["final_stock"], 0);
  EXPECT_LT(row(rows, "decrement")["measures"]["final_stock"], 0);
  EXPECT_EQ(row(rows, "for-update")["promised"], "safe");
  EXPECT_EQ(row(rows, "advisory-lock")["promised"], "safe");
}

TEST_P(Oversell, AtStock50TheLocksSellAllAndWhatGaveUpIsShown) {
  const Finished finished = tool({"compare", "oversell", "--stock", "50", "--buyers", "50",
                                  "--trials", "1", "--format", "json"});
  const json rows = rows_of(finished);
  EXPECT_EQ(row(rows, "atomic")["measures"]["sold_min"], 50);
  if (!is("sqlite")) {
    EXPECT_EQ(row(rows, "for-update")["measures"]["sold_min"], 50);
  }
  for (const char* const strategy : {"optimistic", "serializable"}) {
    const json& it = row(rows, strategy);
    SCOPED_TRACE(it.dump(1));
    EXPECT_EQ(it["outcomes"]["done"].get<int>() + it["outcomes"]["gave_up"].get<int>(), 50);
    EXPECT_EQ(it["measured"], "safe");
  }
  // As many pieces as buyers: what promises nothing is not called safe for that.
  if (!is("sqlite")) {
    EXPECT_EQ(row(rows, "decrement")["measured"], "unknown");
  }
}

TEST_P(Oversell, ThePoolBoundsHowManyANaiveStrategySells) {
  const auto sold_with_pool = [](const std::string& pool) {
    const Finished finished =
        tool({"run", "oversell", "--strategy", "autocommit", "--pool", pool, "--format", "json"});
    return rows_of(finished)[0]["measures"]["sold_max"].get<int>();
  };
  EXPECT_EQ(sold_with_pool("1"), 1);
  EXPECT_LE(sold_with_pool("3"), 3);
  EXPECT_GT(sold_with_pool("20"), 1);
}

TEST_P(Oversell, GoesOnForATimeAndIsRecorded) {
  const TemporaryFile folder;
  const Finished finished =
      tool({"run", "oversell", "--strategy", "atomic", "--clients", "4", "--duration", "1s",
            "--format", "json", "--out", folder.path().string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  const json row = json::parse(finished.out)["rows"][0];
  EXPECT_GT(row["outcomes"]["done"], 10);
  std::ifstream history(folder.path() / "history.jsonl");
  std::int64_t committed = 0;
  std::int64_t versions_unknown = 0;
  json last;
  for (std::string line; std::getline(history, line);) {
    last = json::parse(line);
    if (!last.contains("attempt") || last["client"] == 0) continue;
    if (last["outcome"] == "committed") ++committed;
    for (const json& operation : last["ops"]) {
      if (operation[0] == "w" && operation[6] == -1) ++versions_unknown;
    }
  }
  EXPECT_EQ(committed, row["outcomes"]["done"]);
  EXPECT_EQ(versions_unknown, 0);
  EXPECT_FALSE(last["end"]["interrupted"]);
  std::filesystem::remove_all(folder.path());
}

// The stamps in a history must be a chain: every version of a product is made once, by somebody who
// committed, and the last one is the final state's. `table`: products 0, checked_products 1.
void expect_chains(const std::filesystem::path& path, int table, std::size_t sold) {
  std::ifstream history(path);
  std::map<std::int64_t, std::set<std::int64_t>> versions;  // by key
  std::map<std::int64_t, std::int64_t> final_versions;
  std::size_t writes = 0;
  for (std::string line; std::getline(history, line);) {
    const json parsed = json::parse(line);
    if (parsed.contains("final") && parsed["final"] == table) {
      for (const json& row : parsed["rows"]) final_versions[row[0]] = row[1];
    }
    if (!parsed.contains("attempt") || parsed["outcome"] != "committed") continue;
    for (const json& operation : parsed["ops"]) {
      if (operation[0] != "w") continue;
      ++writes;
      EXPECT_TRUE(versions[operation[5]].insert(operation[6].get<std::int64_t>()).second) << line;
    }
  }
  EXPECT_EQ(writes, sold);
  for (const auto& [key, chain] : versions) {
    EXPECT_EQ(*chain.begin(), 2) << key;
    EXPECT_EQ(*chain.rbegin(), static_cast<std::int64_t>(chain.size()) + 1) << key;
    EXPECT_EQ(final_versions[key], *chain.rbegin()) << key;
  }
}

TEST_P(Oversell, TheVersionsInAHistoryAreAChain) {
  const TemporaryFile folder;
  tool({"run", "oversell", "--strategy", "atomic", "--clients", "8", "--tasks", "400", "--stock",
        "1000", "--out", folder.path().string()});
  expect_chains(folder.path() / "history.jsonl", 0, 400);
  std::filesystem::remove_all(folder.path());
}

// Also when most updates fail: what they would have made must not turn up in a later attempt, of
// the next trial, on the same connection.
TEST_P(Oversell, TheVersionsAreAChainAmongUpdatesThatFail) {
  const TemporaryFile folder;
  tool({"run", "oversell", "--strategy", "check-constraint", "--clients", "4", "--trials", "10",
        "--tasks", "300", "--stock", "10", "--pool", "2", "--out", folder.path().string()});
  expect_chains(folder.path() / "history.jsonl", 1, 100);
  std::filesystem::remove_all(folder.path());
}

TEST_P(Oversell, CtrlCLeavesAReadableHistoryAndNothingInTheDatabase) {
  const TemporaryFile folder;
  HilsaProcess process(with_database({"run", "oversell", "--strategy", "atomic", "--duration", "1h",
                                      "--out", folder.path().string()}),
                       environment());
  const auto history = folder.path() / "history.jsonl";
  ASSERT_TRUE(eventually([&] {
    std::error_code ignored;
    return std::filesystem::exists(history) && std::filesystem::file_size(history, ignored) > 20000;
  }));
  process.send(SIGINT);
  const Finished finished = process.wait();
  EXPECT_EQ(finished.status, 4) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("stopping"));
  EXPECT_THAT(finished.out, HasSubstr("interrupted"));
  std::ifstream lines(history);
  json last;
  for (std::string line; std::getline(lines, line);) last = json::parse(line);
  EXPECT_TRUE(last["end"]["interrupted"]);
  std::filesystem::remove_all(folder.path());
}

TEST_P(Oversell, CtrlCCutsStatementsThatWait) {
  HilsaProcess process(
      with_database({"run", "oversell", "--strategy", is("sqlite") ? "atomic" : "for-update",
                     "--stock", "100", "--think", "1h", "--clients", "4"}),
      environment());
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // whatever it is doing then
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().status, 4);
}

TEST_P(Oversell, DoctorTellsWhatTheDatabaseIs) {
  const Finished text = tool({"doctor"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("isolation levels"));
  const json facts = json::parse(tool({"doctor", "--format", "json"}).out);
  const auto database = open_for_test(GetParam());
  EXPECT_EQ(facts["product"], name_of(database->product()));
  EXPECT_FALSE(facts["settings"].empty());
}

TEST_P(Oversell, ManyClientsShareFewConnections) {
  const Finished finished = tool({"run", "oversell", "--strategy", "atomic", "--clients", "1000",
                                  "--pool", "10", "--tasks", "2000", "--format", "json"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(rows_of(finished)[0]["outcomes"]["done"], 2000);
}

// --- servers only ---

class OversellOnServer : public Oversell {
 protected:
  static void expect_unusable(const std::string& url, const std::string& says) {
    const Finished finished = hilsa_tool({"compare", "oversell", "--db", url});
    EXPECT_EQ(finished.status, 3) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(says));
    EXPECT_THAT(finished.out, IsEmpty());
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_THAT(finished.err, Not(HasSubstr("sesame")));
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? text : text.replace(at, what.size(), with);
  }
};

INSTANTIATE_TEST_SUITE_P(Servers, OversellOnServer,
                         ::testing::Values("postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(OversellOnServer, AWrongPasswordSaysSo) {
  const Url& url = server_url(GetParam());
  expect_unusable(replaced(server_address(), url.password, "sesame"), "password");
}

TEST_P(OversellOnServer, AMissingDatabaseSaysSo) {
  const Url& url = server_url(GetParam());
  expect_unusable(replaced(server_address(), "/" + url.name, "/nodatabase"), "nodatabase");
}

TEST_P(OversellOnServer, ThePasswordIsInNoOutputAndNoFile) {
  const std::string password = server_url(GetParam()).password;
  ASSERT_GE(password.size(), 8U);
  const TemporaryFile folder;
  const std::vector<Words> commands = {
      {"compare", "oversell", "--trials", "1", "--out", folder.path().string()},
      {"compare", "oversell", "--trials", "1", "--format", "json"},
      {"run", "oversell", "--strategy", "atomic", "--tasks", "10"},
      {"run", "oversell", "--strategy", "atmoic"},
      {"compare", "oversell", "--isolation", "none"},
      {"doctor"},
      {"doctor", "--format", "json"}};
  for (const Words& command : commands) {
    const Finished finished = tool(command);
    EXPECT_THAT(finished.out, Not(HasSubstr(password))) << command[0];
    EXPECT_THAT(finished.err, Not(HasSubstr(password))) << command[0];
  }
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    EXPECT_THAT(text_of(entry.path()), Not(HasSubstr(password))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
  std::filesystem::remove_all(folder.path());
}

TEST_P(OversellOnServer, DoctorNamesWhatAnEarlierRunLeft) {
  const auto database = open_for_test(GetParam());
  const auto session = database->open_session();
  const bool schema = is("postgres");
  const std::string left = schema ? "SCHEMA hilsa_0123cdef" : "TABLE hilsa_0123cdef_products";
  const std::string users = schema ? "SCHEMA hilsa_recipes" : "TABLE hilsa_recipes";
  const std::string columns = schema ? "" : " (id INT)";
  for (const std::string& what : {left, users}) {
    ASSERT_TRUE((*session)->execute(definition_sql("CREATE " + what + columns)));
  }
  const std::string told = tool({"doctor"}).out;
  EXPECT_THAT(told, HasSubstr("hilsa_0123cdef"));
  EXPECT_THAT(told, Not(HasSubstr("hilsa_recipes"))) << "a user's own";
  for (const std::string& what : {left, users}) {
    ASSERT_TRUE((*session)->execute(definition_sql("DROP " + what)));
  }
}

TEST_P(OversellOnServer, MoreClientsThanConnectionsSaysWhatToDo) {
  const std::string temp = "temp:" + GetParam() + "?max_connections=20";
  const Finished finished =
      hilsa_tool({"run", "oversell", "--strategy", "atomic", "--clients", "60", "--db", temp});
  EXPECT_EQ(finished.status, 3) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("lower --clients, set --pool to fewer, or raise its limit"));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

}  // namespace
}  // namespace hilsa::tests
