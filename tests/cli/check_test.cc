// `hilsa check` on histories of its own (tests/cli/histories), and the checker inside `run` and
// `compare`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/hilsa_process.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string history(const std::string& name) { return HILSA_HISTORIES "/" + name; }

Finished check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  return hilsa_tool(arguments);
}

void expect_mistake(const std::vector<std::string>& arguments, const std::string& says) {
  const Finished finished = check(arguments);
  EXPECT_EQ(finished.status, 2) << finished.err;
  EXPECT_THAT(finished.out, IsEmpty());
  EXPECT_THAT(finished.err, StartsWith("hilsa: "));
  EXPECT_THAT(finished.err, HasSubstr(says));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

TEST(Check, ALostUpdateIsExplained) {
  const Finished finished = check({history("lost-update.jsonl")});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, StartsWith("invalid: not serializable: lost update (P4)\n"));
  EXPECT_THAT(finished.out, HasSubstr("T3's update is lost"));
  EXPECT_THAT(finished.out, HasSubstr("UPDATE products SET stock = ? WHERE id = ?"));
  EXPECT_THAT(finished.out, Not(HasSubstr("not in one transaction")));
}

TEST(Check, WithoutATransactionTheScopeIsSaid) {
  const Finished finished = check({history("lost-update-autocommit.jsonl")});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, HasSubstr("not in one transaction: every statement of T3 and T2"));
}

TEST(Check, TheExitStatusIsAboutTheLevelAsked) {
  const std::string file = history("lost-update.jsonl");
  EXPECT_EQ(check({file, "--level", "read-committed"}).status, 0);
  EXPECT_EQ(check({file, "--level", "SI"}).status, 1);
  const std::string stale = history("stale-read.edn");
  EXPECT_EQ(check({stale}).status, 0);
  EXPECT_EQ(check({stale, "--level", "strict serializable"}).status, 1);
}

TEST(Check, NothingMetIsUnknown) {
  const Finished finished = check({history("alone.jsonl")});
  EXPECT_EQ(finished.status, 4);
  EXPECT_THAT(finished.out, StartsWith("unknown: serializable? no two transactions met"));
}

TEST(Check, SeveralFilesAreOneHistory) {
  const Finished finished =
      check({history("write-skew-first.edn"), history("write-skew-second.edn")});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, HasSubstr("write skew (G2-item)"));
}

TEST(Check, AnOrderThatIsNotToldIsSearchedFor) {
  // T1 writes x1 y1, T3 writes x2 y2, T5 reads x2 y1: no order of the two explains it.
  const Finished finished = check({history("undecided.txt"), "--format", "json"});
  EXPECT_EQ(finished.status, 1);
  const json verdict = json::parse(finished.out);
  EXPECT_EQ(verdict["verdict"], "invalid");
  EXPECT_GT(verdict["coverage"]["search_steps"], 0);
  // Here only the search can tell.
  EXPECT_EQ(check({history("undecided-skew.txt")}).status, 1);
  EXPECT_EQ(check({history("undecided-skew.txt"), "--search-steps", "1"}).status, 4);
}

TEST(Check, JsonIsAllThatIsOnStandardOutput) {
  const Finished finished = check({history("lost-update.jsonl"), "--format", "json"});
  EXPECT_EQ(finished.status, 1);
  const json verdict = json::parse(finished.out);
  EXPECT_EQ(verdict["verdict"], "invalid");
  EXPECT_THAT(verdict["levels"], ElementsAre("strict read atomic"));
  EXPECT_EQ(verdict["anomalies"][0]["class"], "P4");
  EXPECT_EQ(verdict["anomalies"][0]["evidence"][0]["edges"][0]["kind"], "rw");
  EXPECT_EQ(verdict["transactions"], 3);
  EXPECT_EQ(verdict["operations"], 5);
}

TEST(Check, TheSameHistoryGivesTheSameBytes) {
  for (const char* const name : {"lost-update.jsonl", "undecided.txt", "stale-read.edn"}) {
    EXPECT_EQ(check({history(name)}).out, check({history(name)}).out);
  }
}

TEST(Check, GraphsAreWritten) {
  const TemporaryFile dot;
  check({history("lost-update.jsonl"), "--dot", dot.path()});
  EXPECT_THAT(text_of(dot.path()), StartsWith("digraph \"P4\" {\n"));
  expect_mistake({history("lost-update.jsonl"), "--dot", "/proc/nowhere/x"}, "cannot write");
}

TEST(Check, WhatIsExportedIsTheSameHistory) {
  const Finished exported = check({history("serial.edn"), "--export", "edn"});
  EXPECT_EQ(exported.status, 0);
  EXPECT_THAT(exported.out, HasSubstr(":append"));
  const TemporaryFile file;
  EXPECT_EQ(check({history("serial.edn"), "--export", "edn", "--out", file.path()}).out, "");
  EXPECT_EQ(text_of(file.path()), exported.out);
  EXPECT_THAT(check({file.path()}).out, StartsWith("valid: serializable\n"));
  expect_mistake({history("lost-update.jsonl"), "--export", "edn"}, "hilsa: ");
  expect_mistake({history("serial.edn"), "--export", "end"}, "--export is edn, not 'end'");
  expect_mistake({history("serial.edn"), "--out", "x"}, "--out is for --export");
}

TEST(Check, MistakesSayWhatWouldBeRight) {
  expect_mistake({}, "which file?");
  expect_mistake({history("nowhere.edn")}, "nowhere.edn");
  expect_mistake({history("malformed.edn")}, "malformed.edn:2: ");
  expect_mistake({history("serial.edn"), "--level", "serializible"},
                 "unknown isolation level 'serializible'; did you mean 'serializable'?");
  expect_mistake({history("serial.edn"), "--level", "strict-serialisable"},
                 "did you mean 'strict serializable'?");
  expect_mistake({history("serial.edn"), "--workload", "list-apend"},
                 "did you mean 'list-append'?");
  expect_mistake({history("serial.edn"), "--assume", "luck"}, "--assume is sequential-keys or");
  expect_mistake({history("serial.edn"), "--evidence", "0"}, "--evidence takes a whole number");
  expect_mistake({history("serial.edn"), "--formt", "json"}, "did you mean '--format'?");
}

TEST(Check, AUrlIsNoFileAndIsNotRepeated) {
  const Finished finished = check({"postgres://u:sesame@h/d"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, Not(HasSubstr("sesame")));
  EXPECT_THAT(finished.err, HasSubstr("'hilsa run --out DIR' writes one"));
}

TEST(Check, EveryHistoryFileIsUsed) {
  const std::filesystem::path histories = HILSA_HISTORIES;
  const std::string source = text_of(histories.parent_path() / "check_test.cc");
  for (const auto& file : std::filesystem::directory_iterator(HILSA_HISTORIES)) {
    const std::string name = file.path().filename();
    EXPECT_THAT(source, HasSubstr("\"" + name + "\""));
  }
}

json rows_of(const std::vector<std::string>& arguments, int status) {
  const Finished finished = hilsa_tool(arguments);
  EXPECT_EQ(finished.status, status) << finished.err;
  return json::parse(finished.out)["rows"];
}

TEST(CheckInsideRun, TheRowShowsAnomaliesAndLevels) {
  const json rows = rows_of({"compare", "oversell", "--strategy", "autocommit", "--strategy",
                             "atomic", "--format", "json", "--trials", "5"},
                            0);
  EXPECT_GT(rows[0]["anomalies"]["P4"], 0) << rows;
  EXPECT_THAT(rows[0]["levels"], Not(Contains(HasSubstr("serializable"))));
  EXPECT_FALSE(rows[0].contains("promised_level"));
  EXPECT_THAT(rows[1]["anomalies"], IsEmpty()) << rows;
  EXPECT_THAT(rows[1]["levels"], ElementsAre("strict serializable"));
  EXPECT_EQ(rows[1]["promised_level"], "serializable");
  EXPECT_EQ(rows[1]["breaks_promised_level"], false);
}

TEST(CheckInsideRun, RunTellsOneStory) {
  const Finished finished =
      hilsa_tool({"run", "oversell", "--strategy", "autocommit", "--trials", "3"});
  EXPECT_THAT(finished.out, HasSubstr("'s update is lost"));
  EXPECT_THAT(finished.out, HasSubstr("not in one transaction"));
  EXPECT_THAT(finished.out, HasSubstr("history.jsonl' explains"));
}

TEST(CheckInsideRun, NoCheckMeansNone) {
  const json rows = rows_of(
      {"compare", "oversell", "--strategy", "autocommit", "--format", "json", "--no-check"}, 0);
  EXPECT_THAT(rows[0]["anomalies"], IsEmpty());
  EXPECT_EQ(rows[0]["not_checked"], "--no-check");
}

TEST(CheckInsideRun, TooLongAHistoryIsNotCheckedAndSaysSo) {
  const json rows = rows_of({"compare", "oversell", "--strategy", "autocommit", "--format", "json",
                             "--check-at-most", "10"},
                            0);
  EXPECT_THAT(rows[0]["anomalies"], IsEmpty());
  EXPECT_THAT(rows[0]["not_checked"].get<std::string>(), StartsWith("more than 10 attempts"));
}

TEST(CheckInsideRun, WhereTheHistoryDecidesItIsTheMeasurement) {
  const json rows = rows_of({"compare", "rows", "--format", "json", "--trials", "3"}, 0);
  EXPECT_EQ(rows[0]["strategy"], "transaction");
  EXPECT_EQ(rows[0]["measured"], "safe") << rows[0];
  EXPECT_EQ(rows[1]["strategy"], "autocommit");
  EXPECT_EQ(rows[1]["measured"], "unsafe") << rows[1];
  const Finished unchecked =
      hilsa_tool({"run", "rows", "--strategy", "transaction", "--trials", "3", "--no-check"});
  EXPECT_EQ(unchecked.status, 4);
  EXPECT_THAT(unchecked.out, HasSubstr("the history decides, and it was not checked"));
}

TEST(CheckInsideRun, TheFileSaysTheSameAsTheRow) {
  const TemporaryFile folder;
  std::filesystem::remove(folder.path());
  const json rows = rows_of({"compare", "oversell", "--strategy", "autocommit", "--format", "json",
                             "--out", folder.path()},
                            0);
  const Finished checked = check({folder.path() / "history.jsonl", "--format", "json"});
  std::filesystem::remove_all(folder.path());
  const json verdict = json::parse(checked.out);
  json counts = json::object();
  for (const json& anomaly : verdict["anomalies"]) {
    counts[anomaly["class"].get<std::string>()] = anomaly["count"];
  }
  EXPECT_EQ(rows[0]["anomalies"], counts);
  EXPECT_EQ(rows[0]["levels"], verdict["levels"]);
}

}  // namespace
}  // namespace hilsa::tests
