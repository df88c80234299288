#include "reports/check_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "checkers/printable.h"
#include "tests/checkers/told_cases.h"

namespace hilsa::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Told told_case(std::string_view name) {
  for (const ToldCase& known : told_cases()) {
    if (known.name == name) return known.make();
  }
  throw std::logic_error("no such case");
}

struct Found {
  History history;
  Verdict verdict;
};

// A lost update, and the read skew that it is as well.
Found found(std::string_view name = "p4-lost-update-cycle") {
  Told told = told_case(name);
  Anomaly skew = told.anomaly;
  skew.anomaly = AnomalyClass::g_single;
  Found found;
  found.verdict = {.validity = Validity::invalid,
                   .demanded = {Level::serializable, Needs::data},
                   .reason = "not serializable: lost update (P4)",
                   .levels = {{Level::read_atomic, Needs::realtime}}};
  found.verdict.results = {{{Level::read_committed, Needs::data}, Validity::valid, -1},
                           {{Level::consistent_view, Needs::data}, Validity::invalid, 1},
                           {{Level::repeatable_read, Needs::data}, Validity::invalid, 0},
                           {{Level::snapshot_isolation, Needs::data}, Validity::invalid, 0},
                           {{Level::serializable, Needs::data}, Validity::invalid, 0}};
  found.verdict.anomalies = {told.anomaly, skew};
  found.verdict.anomalies[0].count = 9;
  found.verdict.coverage = {.transactions = 3, .committed = 3, .operations = 4, .objects = 1};
  found.verdict.coverage.edges = {2, 1, 0, 1, 0, 1, 1};
  found.history = std::move(told.history);
  return found;
}

TEST(CheckReport, TheTextBeginsWithTheVerdict) {
  const auto [history, verdict] = found();
  const std::string text = to_text_report(history, verdict);
  EXPECT_THAT(text, StartsWith("invalid: not serializable: lost update (P4)\n"));
  EXPECT_THAT(text, HasSubstr("strongest level that holds: strict read atomic\n"));
  EXPECT_THAT(text, HasSubstr("checked 3 transactions (3 committed), 4 operations on 1 row\n"));
  EXPECT_THAT(text, HasSubstr("dependencies: 2 ww, 1 wr, 1 rw\n"));
  EXPECT_THAT(text, HasSubstr("  9 x lost update (P4)\n  1 x read skew (G-single)\n"));
}

TEST(CheckReport, OnlyTheWeakestLevelsThatFailAreNamed) {
  const auto [history, verdict] = found();
  EXPECT_THAT(to_text_report(history, verdict),
              HasSubstr("ruled out: consistent view by read skew (G-single); repeatable read by "
                        "lost update (P4); and what is stronger\n"));
}

TEST(CheckReport, TheSameTransactionsAreToldOnce) {
  const auto [history, verdict] = found();
  const std::string text = to_text_report(history, verdict);
  EXPECT_THAT(text, HasSubstr("T3's update is lost"));
  EXPECT_THAT(text,
              HasSubstr("read skew (G-single): the same transactions as the lost update above\n"));
}

TEST(CheckReport, AFailureByItselfIsToldBeforeWhatNeedsTime) {
  auto [history, verdict] = found();
  verdict.anomalies[0].needs = Needs::realtime;
  EXPECT_EQ(in_telling_order(verdict)[0], &verdict.anomalies[1]);
}

TEST(CheckReport, WhatFilesHoldCannotActOnTheTerminal) {
  auto [history, verdict] = found("hostile-text");
  verdict.notes = {"a note\x1b[31m\nof two lines"};
  verdict.reason = "because\x07";
  std::istringstream lines(to_text_report(history, verdict));
  std::string line;
  while (std::getline(lines, line)) {
    EXPECT_EQ(printable(line), line);
    EXPECT_LE(width_of(line), 120U) << line;
  }
}

TEST(CheckReport, AVerdictWithoutAnomaliesIsShort) {
  auto [history, verdict] = found();
  verdict.validity = Validity::valid;
  verdict.reason = "";
  verdict.anomalies.clear();
  verdict.results.clear();
  verdict.levels = {{Level::serializable, Needs::realtime}};
  EXPECT_EQ(to_text_report(history, verdict),
            "valid: serializable\n"
            "strongest level that holds: strict serializable\n"
            "checked 3 transactions (3 committed), 4 operations on 1 row\n"
            "dependencies: 2 ww, 1 wr, 1 rw\n");
}

TEST(CheckReport, WhatWasNotDecidedIsSaid) {
  auto [history, verdict] = found();
  verdict.results[4].validity = Validity::unknown;
  EXPECT_THAT(to_text_report(history, verdict), HasSubstr("not decided: serializable\n"));
  verdict.validity = Validity::unknown;
  verdict.reason = "the search was cut off";
  EXPECT_THAT(to_text_report(history, verdict),
              StartsWith("unknown: serializable? the search was cut off\n"));
}

TEST(CheckReport, JsonHasTheFieldsThatProgramsRelyOn) {
  const auto [history, verdict] = found();
  const auto json = nlohmann::json::parse(to_json_report(history, verdict));
  EXPECT_EQ(json["verdict"], "invalid");
  EXPECT_EQ(json["reason"], "not serializable: lost update (P4)");
  EXPECT_THAT(json["levels"], ElementsAre("strict read atomic"));
  EXPECT_EQ(json["transactions"], 3);
  EXPECT_EQ(json["operations"], 4);
  const auto& anomaly = json["anomalies"][0];
  EXPECT_EQ(anomaly["class"], "P4");
  EXPECT_EQ(anomaly["name"], "lost update");
  EXPECT_EQ(anomaly["count"], 9);
  const auto& evidence = anomaly["evidence"][0];
  EXPECT_THAT(evidence["transactions"], ElementsAre("T3", "T2"));
  EXPECT_THAT(evidence["text"].get<std::string>(), HasSubstr("T3's update is lost"));
  const auto& edge = evidence["edges"][1];
  EXPECT_EQ(edge["from"], "T2");
  EXPECT_EQ(edge["to"], "T3");
  EXPECT_EQ(edge["kind"], "rw");
  EXPECT_EQ(edge["why"],
            "T2 read version 1 of products/1 (stock 5); T3 then wrote version 2 (stock 3)");
  EXPECT_EQ(json["results"][1]["because"], "G-single");
  EXPECT_EQ(json["results"][0]["verdict"], "valid");
  EXPECT_EQ(json["coverage"]["edges"]["ww"], 2);
}

TEST(CheckReport, JsonSurvivesBrokenText) {
  auto [history, verdict] = found("hostile-text");
  verdict.notes = {"\xff"};
  EXPECT_THAT(to_json_report(history, verdict), Not(IsEmpty()));
}

}  // namespace
}  // namespace hilsa::tests
