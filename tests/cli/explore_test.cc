// `explore` and `matrix` as a user runs them, on every product. What they say is exact, so it is
// demanded: every strategy does as promised in all schedules, every cell is as documented.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Explore : public OnProduct {
 protected:
  static json report_of(Words arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Finished finished = tool(arguments);
    json report = json::parse(finished.out, nullptr, false);
    if (report.is_discarded()) {
      ADD_FAILURE() << finished.err;
      return {{"rows", json::array()}};
    }
    return report;
  }
  static Words at_every_level(Words arguments) {
    const auto database = open_for_test(GetParam());
    for (const Isolation level : levels_of(database->product())) {
      arguments.insert(arguments.end(), {"--isolation", std::string(name_of(level))});
    }
    return arguments;
  }
  void TearDown() override { EXPECT_EQ(left_behind(), ""); }
};

INSTANTIATE_TEST_SUITE_P(Products, Explore,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(Explore, EveryStrategyDoesAsPromisedInAllSchedules) {
  for (const char* const workload : {"oversell", "wallet", "doctors", "seats"}) {
    const json report = report_of(at_every_level({"explore", workload}));
    for (const json& row : report["rows"]) {
      SCOPED_TRACE(std::string(workload) + " " + row["strategy"].get<std::string>() + " at " +
                   row["isolation"].get<std::string>());
      EXPECT_EQ(row["measured"], row["promised"]);
      EXPECT_TRUE(row["exhaustive"]);
      EXPECT_EQ(row["violating"] > 0, row["promised"] == "unsafe");
      EXPECT_GE(row["schedules"], row["run"]);
      EXPECT_EQ(row["skipped"].get<int>() + row["run"].get<int>(), row["schedules"].get<int>());
    }
  }
}

TEST_P(Explore, LocksInOneOrderNeverDeadlock) {
  if (is("sqlite")) GTEST_SKIP() << "SQLite has no row locks";
  const json rows = report_of({"explore", "transfer", "--strategy", "from-first-locks",
                               "--strategy", "ordered-locks"})["rows"];
  EXPECT_GT(rows.at(0)["deadlocks"], 0);
  EXPECT_THAT(rows.at(0)["shortest_deadlock"]["script"], HasSubstr("waits, then"));
  EXPECT_EQ(rows.at(1)["deadlocks"], 0);
}

TEST_P(Explore, AScriptStillHappensOrSaysWhyNot) {
  const TemporaryFile folder;
  const Finished explored = tool({"explore", "oversell", "--strategy", "autocommit", "--out",
                                  folder.path().string(), "--quiet"});
  EXPECT_EQ(explored.status, 0) << explored.err;
  std::filesystem::path script;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".sql") script = entry.path();
  }
  const Finished same = tool({"explore", "--replay", script.string()});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("it still happens"));
  std::string text;
  {
    std::ifstream file(script);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::string update = "SET stock = 0";
  text.replace(text.find(update), update.size(), "SET stock = 5");
  const auto last = text.rfind(update);
  text.replace(last, update.size(), "SET stock = 4");
  std::ofstream(script) << text;
  const Finished other = tool({"explore", "--replay", script.string()});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, HasSubstr("it does not happen any more"));
  std::filesystem::remove_all(folder.path());
}

TEST_P(Explore, WhatStressFoundIsFoundAgainWithItsTransactionsAlone) {
  const json report = report_of({"run", "oversell", "--strategy", "autocommit", "--trials", "2",
                                 "--seed", "3", "--minimize"});
  ASSERT_TRUE(report.contains("minimized"));
  EXPECT_TRUE(report["minimized"]["reproduced"]) << report["minimized"];
  EXPECT_THAT(report["minimized"]["script"], HasSubstr("-- session 2"));
}

TEST_P(Explore, WhereNothingWasFoundNothingIsMinimized) {
  const json report =
      report_of({"run", "oversell", "--strategy", "atomic", "--trials", "1", "--minimize"});
  EXPECT_FALSE(report["minimized"]["reproduced"]);
  EXPECT_EQ(report["minimized"]["why_not"], "no anomaly was found");
}

// The server lets the run make its schema, and refuses the search's.
TEST_P(Explore, AServerThatFailsInMidMinimizingDoesNotTakeTheRunWithIt) {
  if (!is("postgres")) GTEST_SKIP() << "PostgreSQL's event triggers make it fail at that moment";
  const auto database = open_for_test(GetParam());
  const auto session = *database->open_session();
  const auto define = [&](const char* sql) {
    const auto defined = session->execute(definition_sql(sql));
    ASSERT_TRUE(defined) << to_text(defined.error());
  };
  define("CREATE SEQUENCE public.schemas_made");
  define(
      "CREATE FUNCTION public.only_one_schema() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN "
      "IF nextval('public.schemas_made') > 1 THEN RAISE EXCEPTION 'out of order'; END IF; END $$");
  define(
      "CREATE EVENT TRIGGER only_one_schema ON ddl_command_start WHEN TAG IN ('CREATE SCHEMA') "
      "EXECUTE FUNCTION public.only_one_schema()");
  const Finished finished =
      tool({"run", "oversell", "--strategy", "autocommit", "--trials", "2", "--minimize"});
  define("DROP EVENT TRIGGER only_one_schema");
  define("DROP FUNCTION public.only_one_schema()");
  define("DROP SEQUENCE public.schemas_made");
  EXPECT_EQ(finished.status, 3);
  EXPECT_THAT(finished.out, HasSubstr("lost update (P4)"));
  EXPECT_THAT(finished.err, HasSubstr("out of order"));
}

TEST_P(Explore, TheMatrixIsAsDocumented) {
  const json report = report_of({"matrix"});
  EXPECT_TRUE(report["documented"]);
  EXPECT_THAT(report["differs"], IsEmpty());
  EXPECT_EQ(report["rows"].size(), levels_of(open_for_test(GetParam())->product()).size());
}

TEST_P(Explore, ACellIsExplainedStatementByStatement) {
  const Finished finished = tool({"matrix", "--explain", "P4"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("P4 (lost update) at "));
  EXPECT_THAT(finished.out, HasSubstr("T2: UPDATE hilsa_cells SET value = 12"));
  EXPECT_THAT(finished.out, HasSubstr("it is prevented: "));
}

// Three clients have 48,540 orders, far more than it gets to.
TEST_P(Explore, ConnectionsThatAreCutEndItWithASentence) {
  if (is("sqlite")) GTEST_SKIP() << "no server, no connections";
  HilsaProcess process(
      with_database({"explore", "oversell", "--strategy", "read-then-write", "--clients", "3",
                     "--no-skip", "--max-schedules", "900000", "--quiet"}),
      environment());
  const auto database = open_for_test(GetParam());
  const auto session = *database->open_session();
  const Statement tables = raw_sql(
      "SELECT table_schema, table_name FROM information_schema.tables WHERE table_name "
      "LIKE '%products' AND table_name NOT LIKE '%checked%' AND (table_schema LIKE "
      "'hilsa%' OR table_name LIKE 'hilsa%')");
  const bool at_work = eventually([&] {
    const auto found = session->execute(tables);
    if (!found || found->rows.empty()) return false;
    const auto& name = found->rows[0];
    const auto rows =
        session->execute(raw_sql("SELECT COUNT(*) FROM " + std::get<std::string>(name[0]) + "." +
                                 std::get<std::string>(name[1])));
    return rows && std::get<std::int64_t>(rows->rows[0][0]) > 10;
  });
  ASSERT_TRUE(at_work);
  end_all_others(*session);
  const Finished finished = process.wait();
  EXPECT_EQ(finished.status, 3) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("hilsa: "));
  EXPECT_THAT(finished.err, HasSubstr("connection"));
  EXPECT_EQ(finished.out, "");
}

// One cache for all connections: SQLite's other level, and its default just as safe as elsewhere.
TEST(SharedCache, HasTwoLevelsInTheMatrix) {
  const Finished finished =
      hilsa_tool({"matrix", "--db", "sqlite:?cache=shared", "--format", "json", "--quiet"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  const json rows = json::parse(finished.out)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["isolation"], "read uncommitted");
  EXPECT_EQ(rows[1]["isolation"], "serializable");
  EXPECT_TRUE(rows[1]["default"]);
  for (const auto& [anomaly, state] : rows[1]["cells"].items()) {
    EXPECT_EQ(state, "prevented") << anomaly;
  }
  // What takes two writers at once is prevented, as there is one at a time; nothing else is.
  for (const auto& [anomaly, state] : rows[0]["cells"].items()) {
    const bool two_writers = anomaly == "G0" || anomaly == "G1c";
    EXPECT_EQ(state, two_writers ? "prevented" : "occurs") << anomaly;
  }
}

TEST(SharedCache, StrategiesDoAsPromisedAtBothLevels) {
  for (const char* const workload : {"oversell", "doctors", "report"}) {
    const Finished finished =
        hilsa_tool({"explore", workload, "--db", "sqlite:?cache=shared", "--isolation",
                    "read-uncommitted", "--isolation", "serializable", "--format", "json"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    const json report = json::parse(finished.out, nullptr, false);
    ASSERT_FALSE(report.is_discarded());
    for (const json& row : report["rows"]) {
      EXPECT_EQ(row["measured"], row["promised"])
          << workload << " " << row["strategy"] << " at " << row["isolation"];
    }
  }
}

TEST(SharedCache, IsTheOnlyOption) {
  const Finished finished = hilsa_tool({"matrix", "--db", "sqlite:?cache=private"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("cache=shared"));
}

TEST(ExploreUsage, WrongWordsAreMetWithTheRightOnes) {
  const auto error_for = [](const Words& arguments) {
    const Finished finished = hilsa_tool(arguments);
    EXPECT_EQ(finished.status, 2);
    return finished.err;
  };
  EXPECT_THAT(error_for({"explore"}), HasSubstr("which workload?"));
  EXPECT_THAT(error_for({"explore", "oversell", "--strategy", "for-update"}),
              HasSubstr("it needs row locks (FOR UPDATE); SQLite is the default, --db names"));
  EXPECT_THAT(
      error_for({"explore", "oversell", "--isolation", "read-committed", "--db", "sqlite:"}),
      HasSubstr("has no isolation level 'read committed'; it has serializable\n"));
  EXPECT_THAT(error_for({"matrix", "--isolation", "read-committed"}),
              HasSubstr("it has serializable; SQLite is the default, --db names"));
  EXPECT_THAT(error_for({"matrix", "--isolation", "serializable", "--db", "sim:snapshot"}),
              HasSubstr("runs at the level in its URL"));
  EXPECT_THAT(
      error_for({"explore", "oversell", "--isolation", "serializable", "--db", "sim:snapshot"}),
      HasSubstr("runs at the level in its URL"));
  EXPECT_THAT(error_for({"explore", "oversell", "--clients", "7"}), HasSubstr("clients"));
  EXPECT_THAT(error_for({"explore", "--replay", "/nowhere.sql"}), HasSubstr("cannot read"));
  EXPECT_THAT(error_for({"matrix", "--explain", "G9"}), HasSubstr("G-single"));
}

TEST(ExploreUsage, AFileThatIsNoScriptIsRefusedWithItsLine) {
  const TemporaryFile file;
  std::ofstream(file.path()) << "-- before\n\n-- schedule\nSELECT 1;\n";
  const Finished finished = hilsa_tool({"explore", "--replay", file.path().string()});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr(":4: expected 'STATEMENT;  -- session N'"));
}

TEST(ExploreUsage, WhatIsNotCoveredIsSaid) {
  const Finished finished =
      hilsa_tool({"explore", "oversell", "--strategy", "atomic", "--db", "sim:read-committed",
                  "--clients", "3", "--max-schedules", "4", "--samples", "3", "--quiet"});
  EXPECT_EQ(finished.status, 4) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("not all: "));
}

}  // namespace
}  // namespace hilsa::tests
