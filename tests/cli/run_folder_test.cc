// The run directory: what a command leaves behind, and what `report` makes of it again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/repeatable.h"
#include "tests/cli/hilsa_process.h"

namespace hilsa::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

// Runs are in `runs`: the only one, its index left out.
fs::path only_run_in(const fs::path& runs) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(runs)) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(found.empty()) << "more than one run in " << runs;
    found = entry.path();
  }
  return found;
}

Finished compare_in(const fs::path& runs, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"compare",    "oversell", "--strategy", "autocommit",
                                        "--strategy", "atomic",   "--trials",   "2",
                                        "--seed",     "7"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return hilsa_tool(arguments, {"HILSA_RUNS=" + runs.string()});
}

TEST(RunFolder, HoldsHistoriesTheResultAndTheReports) {
  const TemporaryFile runs;
  const Finished finished = compare_in(runs.path());
  EXPECT_EQ(finished.status, 0) << finished.err;
  const fs::path run = only_run_in(runs.path());
  EXPECT_THAT(names_in(run),
              IsSupersetOf({"history-autocommit.jsonl", "history-atomic.jsonl", "result.json",
                            "report.html", "report.md", "junit.xml"}));
  EXPECT_THAT(finished.err, HasSubstr("report written to " + (run / "report.html").string()));
  EXPECT_THAT(run.filename().string(), HasSubstr("-oversell"));
  EXPECT_THAT(text_of(runs.path() / "index.html"), HasSubstr(run.filename().string()));
  const json result = json::parse(text_of(run / "result.json"));
  EXPECT_EQ(result["reports"][0]["rows"].size(), 2);
  EXPECT_THAT(text_of(run / "report.html"), HasSubstr("lost update"));
}

TEST(RunFolder, TwoRunsInOneSecondDoNotMeet) {
  const TemporaryFile runs;
  compare_in(runs.path());
  compare_in(runs.path());
  const auto names = names_in(runs.path());
  EXPECT_EQ(names.size(), 3) << "two runs and their index";
}

TEST(RunFolder, NothingIsWrittenWhenNobodyWantsIt) {
  const TemporaryFile runs;
  const Finished finished = compare_in(runs.path(), {"--no-out"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_FALSE(fs::exists(runs.path()));
}

TEST(RunFolder, WhereTheDefaultOneCannotBeMadeTheRunGoesOn) {
  const Finished finished = compare_in("/proc/nowhere");
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("no report is written: cannot create a folder"));
  EXPECT_THAT(finished.out, HasSubstr("autocommit"));
}

TEST(RunFolder, ARunThatCameToNothingLeavesNone) {
  const TemporaryFile runs;
  const std::vector<std::string> environment = {"HILSA_RUNS=" + runs.path().string()};
  EXPECT_EQ(hilsa_tool({"run", "oversell", "--strategy", "for-update"}, environment).status, 2);
  EXPECT_EQ(hilsa_tool({"explore", "oversell", "--strategy", "for-update"}, environment).status, 2);
  EXPECT_TRUE(!fs::exists(runs.path()) || names_in(runs.path()).empty());
}

TEST(RunFolder, OutAndNoOutContradict) {
  const Finished finished = hilsa_tool({"compare", "oversell", "--out", "x", "--no-out"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("contradict"));
}

TEST(RunFolder, ExploreLeavesItsScriptThere) {
  const TemporaryFile runs;
  const Finished finished =
      hilsa_tool({"explore", "oversell", "--strategy", "autocommit", "--db", "sim:read-committed"},
                 {"HILSA_RUNS=" + runs.path().string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  const fs::path run = only_run_in(runs.path());
  const auto names = names_in(run);
  EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                          [](const std::string& name) { return name.ends_with(".sql"); }));
  EXPECT_THAT(text_of(run / "report.html"), HasSubstr("client 2"));
}

TEST(ReportAgain, MakesTheSameFromWhatWasKept) {
  const TemporaryFile runs;
  compare_in(runs.path());
  const fs::path run = only_run_in(runs.path());
  const std::string html = text_of(run / "report.html");
  const std::string junit = text_of(run / "junit.xml");
  const std::string result = text_of(run / "result.json");
  fs::remove(run / "report.html");
  fs::remove(run / "junit.xml");
  const Finished again = hilsa_tool({"report", run.string()});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(text_of(run / "report.html"), html);
  EXPECT_EQ(text_of(run / "junit.xml"), junit);
  EXPECT_EQ(text_of(run / "result.json"), result);
}

TEST(ReportAgain, SeveralRunsBecomeOneReport) {
  const TemporaryFile runs;
  const TemporaryFile one;
  compare_in(runs.path());
  hilsa_tool({"explore", "oversell", "--strategy", "atomic", "--db", "sim:read-committed"},
             {"HILSA_RUNS=" + runs.path().string()});
  std::vector<std::string> arguments = {"report", "--out", one.path().string()};
  for (const auto& entry : fs::directory_iterator(runs.path())) {
    if (entry.is_directory()) arguments.push_back(entry.path().string());
  }
  const Finished finished = hilsa_tool(arguments);
  EXPECT_EQ(finished.status, 0) << finished.err;
  const json result = json::parse(text_of(one.path() / "result.json"));
  EXPECT_EQ(result["reports"].size(), 2);
  EXPECT_THAT(finished.out, HasSubstr("every order of the statements"));
}

TEST(ReportAgain, SaysWhatIsWrongWithWhatItCannotRead) {
  const TemporaryFile runs;
  fs::create_directories(runs.path());
  const Finished none = hilsa_tool({"report", runs.path().string()});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("a run directory is what"));
  compare_in(runs.path());
  const fs::path run = only_run_in(runs.path());
  const std::string whole = text_of(run / "result.json");
  fs::resize_file(run / "result.json", whole.size() / 2);
  const Finished half = hilsa_tool({"report", run.string()});
  EXPECT_EQ(half.status, 2);
  EXPECT_THAT(half.err, HasSubstr("result.json"));
}

TEST(ReportAgain, ARunCanBeNamedByItsResult) {
  const TemporaryFile runs;
  compare_in(runs.path());
  const fs::path run = only_run_in(runs.path());
  fs::remove(run / "report.html");
  const Finished again = hilsa_tool({"report", (run / "result.json").string()});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(fs::exists(run / "report.html"));
}

TEST(ReportAgain, OfSeveralTheUnreadableAreLeftOut) {
  const TemporaryFile runs;
  const TemporaryFile one;
  compare_in(runs.path());
  const fs::path run = only_run_in(runs.path());
  const fs::path dead = runs.path() / "killed";
  fs::create_directory(dead);
  const Finished finished =
      hilsa_tool({"report", dead.string(), run.string(), "--out", one.path().string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("left out: there is no"));
  const Finished none =
      hilsa_tool({"report", dead.string(), dead.string(), "--out", one.path().string()});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("none of these run directories can be read"));
}

TEST(Repeatable, FixesTheSeedAndQuotesForAShell) {
  EXPECT_EQ(repeatable("run", {"oversell", "--isolation", "read committed", "--seed=3"}, 12),
            "hilsa run oversell --isolation 'read committed' --seed 12");
  EXPECT_EQ(repeatable("run", {"it's"}, 1), "hilsa run 'it'\\''s' --seed 1");
}

TEST(Repeatable, HasNoPasswordAndNoFolder) {
  const std::string line = repeatable(
      "compare", {"oversell", "--db", "postgres://me:secret@localhost/shop", "--out", "x"}, 1);
  EXPECT_THAT(line, Not(HasSubstr("secret")));
  EXPECT_THAT(line, Not(HasSubstr("--out")));
  EXPECT_THAT(repeatable("compare", {"oversell", "--db=mysql://me:secret@localhost/shop"}, 1),
              Not(HasSubstr("secret")));
  EXPECT_THAT(repeatable("compare", {"oversell", "--db", "env:SHOP"}, 1), HasSubstr("env:SHOP"));
  EXPECT_THAT(repeatable("compare", {"oversell", "--db", "no url secret"}, 1),
              Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace hilsa::tests
