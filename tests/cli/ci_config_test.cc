// hilsa.yaml: every mistake in it is one line with its place, what is wrong and what would be
// right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/ci_folder.h"

namespace hilsa::tests {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The complaint, without the folder's name.
std::string complaint_about(const std::string& config) {
  const CiFolder folder(config);
  const Finished finished = folder.run();
  EXPECT_EQ(finished.status, 2) << finished.err;
  EXPECT_THAT(finished.out, IsEmpty());
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  const std::size_t name = finished.err.find("hilsa.yaml:");
  return name == std::string::npos ? finished.err : finished.err.substr(name);
}

const std::string kDatabases = "databases: {main: 'sim:read-committed'}\n";

// A suite of these lines; the first of them is line 5.
std::string with_suite(const std::string& lines) {
  return kDatabases + "suites:\n  - name: a\n    workload: oversell\n" + lines;
}
std::string with_load(const std::string& lines) {
  return with_suite("    database: main\n    duration: 1s\n" + lines);  // from line 7
}
std::string with_cost(const std::string& cost) {
  return with_load("    strategies: [atomic]\n    cost: " + cost + "\n");  // line 8, column 11
}

TEST(CiConfig, WithoutOneTheFirstStepIsShown) {
  const Finished finished = hilsa_tool({"ci", "--config", "/nowhere/hilsa.yaml"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("'hilsa ci --example > hilsa.yaml'"));
  EXPECT_THAT(complaint_about(""), HasSubstr("is empty"));
  EXPECT_THAT(complaint_about("databases: {}\n"), HasSubstr("should be 'databases' and 'suites'"));
}

TEST(CiConfig, TheExampleWorks) {
  std::string example = hilsa_tool({"ci", "--example"}).out;
  const std::size_t url = example.find("temp:postgres");
  ASSERT_NE(url, std::string::npos);
  example.replace(url, std::string("temp:postgres").size(), "sim:read-committed");
  const CiFolder folder(example);
  const Finished finished = folder.run({"--seed", "1"});
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("0 broken, 0 unknown, 7 kept"));
}

TEST(CiConfig, WhatIsNoYamlIsToldWithItsPlace) {
  EXPECT_THAT(complaint_about("databases: [\n"), HasSubstr("this is not YAML"));
  EXPECT_THAT(complaint_about("suites:\n\t- a\n"), HasSubstr("hilsa.yaml:2:2: this is not YAML"));
  EXPECT_THAT(complaint_about(with_load("    cost:\n      throughput: >= 0.8\n      p99: 1\n")),
              HasSubstr("a limit needs quotes: '>= 0.8'"));
  EXPECT_THAT(complaint_about("- a\n"), HasSubstr("hilsa.yaml:1:1: the configuration is a map"));
}

TEST(CiConfig, UnknownWordsAreMetWithTheNearestOne) {
  const auto is = [](const std::string& text) {
    return ::testing::StartsWith("hilsa.yaml:" + text);
  };
  EXPECT_THAT(complaint_about("database: {}\nsuites: []\n"),
              is("1:1: unknown key 'database'; did you mean 'databases'?"));
  EXPECT_THAT(complaint_about(with_load("    clientz: 3\n")),
              is("7:5: unknown key 'clientz'; did you mean 'clients'?"));
  EXPECT_THAT(complaint_about(with_suite("    database: mian\n")),
              is("5:15: no database called 'mian'; did you mean 'main'?"));
  EXPECT_THAT(complaint_about(with_load("    strategies: [atmoic]\n")),
              is("7:18: unknown strategy 'atmoic'; did you mean 'atomic'?"));
  EXPECT_THAT(complaint_about(kDatabases + "suites: [{name: a, workload: oversel}]\n"),
              is("2:30: unknown workload 'oversel'; did you mean 'oversell'?"));
  EXPECT_THAT(complaint_about(with_load("    isolation: read-comitted\n")),
              is("7:16: unknown isolation level 'read-comitted'"));
  EXPECT_THAT(complaint_about(with_load("    must: serialisable\n")),
              is("7:11: 'must' takes safe, unsafe, or an isolation level, not 'serialisable'; did "
                 "you mean 'serializable'?"));
  EXPECT_THAT(complaint_about(with_cost("{referense: for-update}")),
              is("8:12: unknown key 'referense'; did you mean 'reference'?"));
  EXPECT_THAT(complaint_about(with_cost("{reference: for-updat}")),
              is("8:23: unknown strategy 'for-updat'; did you mean 'for-update'?"));
  EXPECT_THAT(complaint_about(with_load("    strategies: [{atomic: {most: safe}}]\n")),
              is("7:28: unknown key 'most'; did you mean 'must'?"));
}

TEST(CiConfig, ValuesAreThoseOfTheCommandLine) {
  EXPECT_THAT(complaint_about(with_load("    clients: 0\n")),
              HasSubstr("hilsa.yaml:7:14: 'clients' takes a whole number from 1 to 1000, not '0'"));
  EXPECT_THAT(complaint_about(with_load("    think: soon\n")),
              HasSubstr("hilsa.yaml:7:12: 'think' takes a time with a unit"));
  EXPECT_THAT(complaint_about(with_load("    stock: -1\n")), HasSubstr("7:12: 'stock' takes"));
  EXPECT_THAT(complaint_about(with_load("    rounds: none\n")), HasSubstr("7:13: 'rounds' takes"));
  EXPECT_THAT(complaint_about(with_load("    tasks: 5\n")), HasSubstr("give one of them"));
  EXPECT_THAT(complaint_about(with_load("    trials: 5\n")), HasSubstr("'rounds', not 'trials'"));
  EXPECT_THAT(complaint_about(with_suite("    database: main\n    rounds: 5\n")),
              HasSubstr("there are 'trials'"));
  EXPECT_THAT(complaint_about(with_load("    clients: [1, 2]\n")),
              HasSubstr("'clients' takes one value"));
}

TEST(CiConfig, LimitsSayWhichWayTheyLie) {
  EXPECT_THAT(complaint_about(with_cost("{reference: for-update, throughput: '<= 0.8'}")),
              HasSubstr("'throughput' takes a limit like '>= 0.8', not '<=0.8'"));
  EXPECT_THAT(complaint_about(with_cost("{reference: for-update, p99: 1.5}")),
              HasSubstr("'p99' takes a limit like '<= 1.5'"));
  EXPECT_THAT(complaint_about(with_cost("{reference: for-update, attempts: '<= many'}")),
              HasSubstr("'attempts' takes a limit like '<= 1.2'"));
  EXPECT_THAT(complaint_about(with_cost("{reference: for-update, regression: {tolerance: 10}}")),
              HasSubstr("'tolerance' takes a percentage from 1% to 90%, not '10'"));
  EXPECT_THAT(complaint_about(with_cost("{reference: for-update, regression: {confidence: 100%}}")),
              HasSubstr("'confidence' takes a percentage"));
  EXPECT_THAT(complaint_about(with_cost("{reference: for-update, regression: {figures: [p95]}}")),
              HasSubstr("unknown figure 'p95'; did you mean 'p99'?"));
}

TEST(CiConfig, ACostNeedsTimeRoundsAndAReference) {
  const std::string limits = "    cost: {reference: for-update, throughput: '>= 0.8'}\n";
  EXPECT_THAT(complaint_about(with_suite("    database: main\n" + limits)),
              HasSubstr("needs a 'duration' or 'tasks'"));
  EXPECT_THAT(complaint_about(with_load("    rounds: 6\n" + limits)),
              HasSubstr("7:13: that confidence takes at least 7 rounds, not 6"));
  EXPECT_THAT(complaint_about(with_cost("{throughput: '>= 0.8'}")),
              HasSubstr("'reference' names it"));
  EXPECT_THAT(complaint_about(with_load("    strategies: [for-update]\n" + limits)),
              HasSubstr("'strategies' lists no other"));
  EXPECT_THAT(
      complaint_about(with_load("    strategies: [{atomic: {cost: {reference: atomic}}}]\n")),
      HasSubstr("a suite has one 'reference'"));
}

TEST(CiConfig, NothingIsThereTwice) {
  EXPECT_THAT(complaint_about(with_load("    duration: 2s\n")),
              HasSubstr("7:5: 'duration' is there twice"));
  EXPECT_THAT(complaint_about(with_load("    strategies: [atomic, atomic]\n")),
              HasSubstr("'atomic' is there twice"));
  EXPECT_THAT(complaint_about(with_suite("    database: [main, main]\n")),
              HasSubstr("'main' is there twice"));
  EXPECT_THAT(
      complaint_about(with_load("  - name: a\n    workload: oversell\n    database: main\n")),
      HasSubstr("7:5: there are two suites called 'a'"));
}

TEST(CiConfig, WhatADatabaseHasNotIsToldBeforeAnythingRuns) {
  EXPECT_THAT(
      complaint_about("databases: {main: 'sqlite:'}\nsuites: [{name: a, workload: oversell, "
                      "database: main, strategies: [for-update]}]\n"),
      HasSubstr("'for-update' is not available on SQLite: it needs row locks"));
  EXPECT_THAT(
      complaint_about("databases: {main: 'sqlite:'}\nsuites: [{name: a, workload: oversell, "
                      "database: main, isolation: read committed}]\n"),
      HasSubstr("SQLite has no isolation level 'read committed'"));
  EXPECT_THAT(complaint_about("databases: {main: 'env:HILSA_NOT_SET'}\nsuites: [{name: a, "
                              "workload: oversell, database: main}]\n"),
              HasSubstr("hilsa.yaml:1:19: the environment variable 'HILSA_NOT_SET' is not set"));
}

TEST(CiConfig, APasswordIsNotRepeated) {
  const std::string url = "postgres://u:sesame@127.0.0.1:1/d";
  const CiFolder folder("databases: {main: '" + url +
                        "'}\nsuites: [{name: a, workload: oversell, database: main}]\n");
  const Finished unreachable = folder.run();
  EXPECT_EQ(unreachable.status, 3);
  EXPECT_THAT(unreachable.err, HasSubstr("is the server running"));
  EXPECT_THAT(unreachable.err, Not(HasSubstr("sesame")));
  const std::vector<std::string> mistakes = {
      "databases: '" + url + "'\nsuites: []\n", "'" + url + "': 1\n",
      "databases: {main: 'postgres://u:sesame@h:x/d'}\nsuites: []\n",
      "databases: {main: '" + url + "'}\nsuites: [{name: a, workload: oversell, database: '" + url +
          "'}]\n"};
  for (const std::string& config : mistakes) {
    EXPECT_THAT(complaint_about(config), Not(HasSubstr("sesame"))) << config;
  }
}

TEST(CiConfig, SuitesAreChosenByName) {
  const CiFolder folder(with_load(""));
  EXPECT_THAT(folder.run({"--suite", "b"}).err, HasSubstr("no suite is called 'b'"));
  EXPECT_EQ(folder.run({"--suite", "a", "--seed", "1"}).status, 0);
  EXPECT_THAT(folder.run({"--even-if-broken"}).err, EndsWith("goes with --update-baseline\n"));
}

}  // namespace
}  // namespace hilsa::tests
