// Commands without a server: help, mistakes, exit statuses (DESIGN §8), SQLite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/arguments.h"
#include "cli/nearest.h"
#include "harness/database/database.h"
#include "harness/database/usage_error.h"
#include "tests/cli/hilsa_process.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

void expect_mistake(const std::vector<std::string>& arguments, int status,
                    const std::string& says) {
  const Finished finished = hilsa_tool(arguments);
  EXPECT_EQ(finished.status, status) << finished.err;
  EXPECT_THAT(finished.out, IsEmpty());
  EXPECT_THAT(finished.err, StartsWith("hilsa: "));
  EXPECT_THAT(finished.err, HasSubstr(says));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

TEST(Usage, HelpIsThereForEveryCommand) {
  EXPECT_THAT(hilsa_tool({"help"}).out, HasSubstr("hilsa compare oversell"));
  for (const char* const command : {"run", "compare", "check", "list", "doctor"}) {
    const Finished finished = hilsa_tool({command, "--help"});
    EXPECT_EQ(finished.status, 0);
    EXPECT_THAT(finished.out, HasSubstr(std::string("usage: hilsa ") + command));
    EXPECT_EQ(hilsa_tool({"help", command}).out, finished.out);
    EXPECT_EQ(hilsa_tool({"--help", command}).out, finished.out);
  }
}

TEST(Usage, HelpOnHelpIsHelp) {
  const Finished help = hilsa_tool({"help"});
  EXPECT_EQ(help.status, 0);
  for (const char* const word : {"help", "--help", "-h"}) {
    const Finished twice = hilsa_tool({"help", word});
    EXPECT_EQ(twice.status, 0);
    EXPECT_EQ(twice.out, help.out);
  }
  EXPECT_EQ(hilsa_tool({}).status, 2);
}

TEST(Usage, ListShowsWorkloadsStrategiesAndLevels) {
  const Finished all = hilsa_tool({"list"});
  EXPECT_THAT(all.out, HasSubstr("oversell"));
  EXPECT_THAT(all.out, HasSubstr("read committed, repeatable read, serializable"));
  EXPECT_THAT(hilsa_tool({"list", "oversell"}).out, HasSubstr("check and decrement in one UPDATE"));
}

TEST(Usage, MistakesSayWhatWouldBeRight) {
  expect_mistake({"comapre"}, 2, "unknown command 'comapre'; did you mean 'compare'?");
  expect_mistake({"run", "oversel"}, 2, "unknown workload 'oversel'; did you mean 'oversell'?");
  expect_mistake({"run", "oversell"}, 2, "which strategy?");
  expect_mistake({"compare"}, 2, "which workload?");
  expect_mistake({"compare", "--clients", "2", "oversell"}, 2, "the workload comes first");
  expect_mistake({"run", "oversell", "--strategy", "atmoic"}, 2, "did you mean 'atomic'?");
  expect_mistake({"run", "oversell", "--stratgy", "atomic"}, 2, "did you mean '--strategy'?");
  expect_mistake({"compare", "oversell", "--clients", "0"}, 2,
                 "--clients takes a whole number from 1 to 1000, not '0'");
  expect_mistake({"compare", "oversell", "--clients", "1001"}, 2, "--clients takes");
  expect_mistake({"compare", "oversell", "--stock", "-1"}, 2, "--stock takes");
  expect_mistake({"compare", "oversell", "--duration", "10"}, 2, "a time with a unit");
  expect_mistake({"compare", "oversell", "--rate", "5"}, 2, "--rate needs --duration or --tasks");
  expect_mistake({"compare", "oversell", "--tasks", "5", "--duration", "1s"}, 2,
                 "give one of them");
  expect_mistake({"compare", "oversell", "--buyers", "5", "--clients", "5"}, 2, "mean the same");
  expect_mistake({"compare", "oversell", "--format", "xml"}, 2, "text, json or github");
  expect_mistake({"compare", "oversell", "--isolation", "snapshot"}, 2, "unknown isolation level");
  expect_mistake({"compare", "oversell", "--isolation", "read-committed"}, 2,
                 "SQLite has no isolation level 'read committed'; it has serializable");
  expect_mistake(
      {"run", "oversell", "--strategy", "for-update"}, 2,
      "'for-update' is not available on SQLite: it needs row locks (FOR UPDATE); SQLite is the "
      "default, --db names another database");
  expect_mistake({"run", "oversell", "--strategy", "serializable", "--isolation", "serializable"},
                 2, "sets its own isolation level");
}

TEST(Usage, AUrlInTheWrongPlaceIsNotRepeated) {
  const std::string url = "postgres://u:sesame@h/d";
  const std::vector<std::vector<std::string>> mistakes = {
      {url},
      {"compare", url},
      {"list", url},
      {"run", "oversell", "--strategy", url},
      {"compare", "oversell", "--isolation", url},
      {"compare", "oversell", "--clients", url},
      {"compare", "oversell", "--think", url},
      {"compare", "oversell", "--format", url},
      {"compare", "oversell", url},
      {"compare", "oversell", "--bd", url},
      {"compare", "oversell", "--bd=" + url},
      {"compare", "oversell", "--db", "env:" + url}};
  for (const auto& mistake : mistakes) {
    const Finished finished = hilsa_tool(mistake);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_THAT(finished.err, Not(HasSubstr("sesame")));
  }
  EXPECT_THAT(hilsa_tool({"compare", url}).err, HasSubstr("a database is given with --db"));
}

TEST(Usage, WhatCannotBeWrittenIsNoSuccess) {
  const std::string command = HILSA_BINARY " list > /dev/full 2> /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 4);
  expect_mistake({"compare", "oversell", "--out", "/proc/nowhere"}, 2, "cannot create the folder");
}

TEST(Usage, AnUnusableDatabaseIsStatusThree) {
  expect_mistake({"compare", "oversell", "--db", "postgres://u:sesame@127.0.0.1:1/d"}, 3,
                 "is the server running");
  expect_mistake({"compare", "oversell", "--db", "mysql://u:sesame@127.0.0.1:1/d"}, 3,
                 "is the server running");
  expect_mistake({"doctor", "--db", "postgres://u@no-such-host.invalid/d"}, 3, "cannot reach");
  expect_mistake({"compare", "oversell", "--db", "sqlite:/nowhere/shop.db"}, 3,
                 "cannot open '/nowhere/shop.db'");
  const TemporaryFile text;
  std::ofstream(text.path()) << std::string(2000, 'x');
  expect_mistake({"compare", "oversell", "--db", "sqlite:" + text.path().string()}, 3,
                 "is it an SQLite database?");
}

TEST(Usage, AMalformedAddressIsStatusTwo) {
  expect_mistake({"compare", "oversell", "--db", "postgres//h"}, 2, "not a database URL");
  expect_mistake({"compare", "oversell", "--db", "postgres://h:x/d"}, 2,
                 "the port must be a number");
  expect_mistake({"compare", "oversell", "--db", "env:HILSA_NOT_SET"}, 2,
                 "'HILSA_NOT_SET' is not set");
  expect_mistake({"compare", "oversell", "--db", "temp:oracle"}, 2, "oracle");
}

TEST(Usage, AnEmptyResultOfTheMeasurementIsUnknown) {
  const Finished alone = hilsa_tool({"run", "oversell", "--strategy", "atomic", "--clients", "1"});
  EXPECT_EQ(alone.status, 4);
  EXPECT_THAT(alone.out, HasSubstr("no two attempts ran at the same time"));
}

TEST(Sqlite, ComparesOnAnEmbeddedFileByDefault) {
  const Finished finished = hilsa_tool({"compare", "oversell", "--format", "json", "--seed", "7"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(complaints_of(finished), "");
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["seed"], 7);
  for (const json& row : report["rows"]) {
    const bool oversells = row["strategy"] == "autocommit";
    EXPECT_EQ(row["measured"], oversells ? "unsafe" : "safe") << row.dump(1);
    EXPECT_EQ(row["measures"]["sold_min"] == 1 && row["measures"]["sold_max"] == 1, !oversells);
    if (row["strategy"] == "read-then-write") {
      EXPECT_GT(row["errors"]["busy"], 0);
    }
  }
  EXPECT_EQ(report["left_out"][0]["strategy"], "for-update");
}

TEST(Sqlite, AStopInTheFirstRoundOfAComparisonStillReports) {
  HilsaProcess process({"compare", "oversell", "--think", "1h", "--clients", "2"});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  process.send(SIGINT);
  const Finished finished = process.wait();
  EXPECT_EQ(finished.status, 4) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("check-constraint"));
  EXPECT_THAT(finished.out, HasSubstr("interrupted"));
}

TEST(Sqlite, WithoutStockNothingIsProved) {
  const Finished finished = hilsa_tool({"compare", "oversell", "--stock", "0", "--trials", "1"});
  EXPECT_EQ(finished.status, 4);
  EXPECT_THAT(finished.out, HasSubstr("no strategy that promises to be safe was seen to be"));
}

TEST(Sqlite, TheSameStrategyTwiceIsOneRow) {
  const Finished finished = hilsa_tool({"compare", "oversell", "--strategy", "atomic", "--strategy",
                                        "atomic", "--format", "json", "--trials", "1"});
  EXPECT_EQ(json::parse(finished.out)["rows"].size(), 1U);
}

TEST(Sqlite, ExpectSetsTheStatus) {
  const std::vector<std::string> run = {"run", "oversell", "--strategy", "autocommit", "--expect"};
  const auto with = [&](const std::string& expected) {
    std::vector<std::string> arguments = run;
    arguments.push_back(expected);
    return hilsa_tool(arguments).status;
  };
  EXPECT_EQ(with("unsafe"), 0);
  EXPECT_EQ(with("safe"), 1);
  EXPECT_EQ(with("sure"), 2);
}

TEST(Sqlite, AFileThatWasThereIsLeftAsItWas) {
  const TemporaryFile file;
  ASSERT_EQ(hilsa_tool({"run", "oversell", "--strategy", "atomic", "--db",
                        "sqlite:" + file.path().string()})
                .status,
            0);
  EXPECT_FALSE(std::filesystem::exists(file.path())) << "a file that hilsa made stays behind";
  // An empty file is an empty SQLite database.
  { const std::ofstream created(file.path()); }
  ASSERT_EQ(hilsa_tool({"run", "oversell", "--strategy", "atomic", "--trials", "2", "--db",
                        "sqlite:" + file.path().string()})
                .status,
            0);
  EXPECT_TRUE(std::filesystem::exists(file.path()));
  const Finished doctor = hilsa_tool({"doctor", "--db", "sqlite:" + file.path().string()});
  EXPECT_THAT(doctor.out, HasSubstr("delete")) << "its journal mode was changed";
}

// One that this tool made goes with it, unless somebody else has moved in meanwhile.
TEST(Sqlite, ANewFileGoesUnlessSomebodyHasPutSomethingThere) {
  for (const bool moves_in : {false, true}) {
    const TemporaryFile file;
    {
      const auto database = open_database(parse_url("sqlite:" + file.path().string()), {});
      database->set_table_prefix("hilsa_0123cdef_");
      const auto session = database->open_session();
      ASSERT_TRUE((*session)->execute(definition_sql("CREATE TABLE hilsa_0123cdef_x (id INT)")));
      const char* const theirs = moves_in ? "CREATE TABLE hilsa_recipes (id INT)" : "SELECT 1";
      ASSERT_TRUE((*session)->execute(raw_sql(theirs)));
    }
    EXPECT_EQ(std::filesystem::exists(file.path()), moves_in);
    EXPECT_FALSE(std::filesystem::exists(file.path().string() + "-wal"));
    std::filesystem::remove(file.path());
  }
}

TEST(Sqlite, AReadOnlyFileSaysSo) {
  if (geteuid() == 0) {
    // Root may write everywhere: show it as a user who may not.
    const TemporaryFile file;
    { const std::ofstream created(file.path()); }
    chmod(file.path().c_str(), 0444);
    const std::string command = "setpriv --reuid=65534 --regid=65534 --clear-groups " HILSA_BINARY
                                " compare oversell --db sqlite:" +
                                file.path().string() + " 2>&1";
    std::FILE* const pipe = popen(command.c_str(), "r");
    char text[500] = "";
    const std::size_t size = std::fread(text, 1, sizeof text - 1, pipe);
    const int status = pclose(pipe);
    EXPECT_THAT(std::string(text, size), HasSubstr("is read-only"));
    EXPECT_EQ(WEXITSTATUS(status), 3);
  } else {
    const TemporaryFile file;
    { const std::ofstream created(file.path()); }
    chmod(file.path().c_str(), 0444);
    expect_mistake({"compare", "oversell", "--db", "sqlite:" + file.path().string()}, 3,
                   "is read-only");
  }
}

TEST(Arguments, DurationsTakeUnits) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_duration("x", "10s"), 10s);
  EXPECT_EQ(parse_duration("x", "300ms"), 300ms);
  EXPECT_EQ(parse_duration("x", "1.5m"), 90s);
  EXPECT_EQ(parse_duration("x", "250us"), 250us);
  for (const char* const wrong : {"10", "s", "-1s", "10 s", "10sec", "nans", "infs", "1e9h"}) {
    EXPECT_THROW(parse_duration("x", wrong), UsageError) << wrong;
  }
}

TEST(Nearest, OnlyWhatIsMeant) {
  EXPECT_EQ(nearest("optimisitc", {"atomic", "optimistic"}), "optimistic");
  EXPECT_EQ(nearest("serial", {"atomic", "serializable"}), "serializable");
  EXPECT_EQ(nearest("xyzzy", {"atomic", "optimistic"}), "");
}

}  // namespace
}  // namespace hilsa::tests
