#include "reports/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/text_table.h"

namespace hilsa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ReportRow a_row(const std::string& strategy, const std::string& promised,
                const std::string& measured, std::int64_t done) {
  ReportRow row{.strategy = strategy,
                .isolation = "read committed",
                .promised = promised,
                .measured = measured,
                .trials = 10,
                .trials_violated = measured == "unsafe" ? 4 : 0,
                .running = std::chrono::seconds(2)};
  for (std::int64_t i = 0; i < done; ++i) {
    row.tally.add(TaskEnd::done);
    row.tally.latency.record(1'000'000);
  }
  row.tally.attempts = done;
  row.tally.committed = done;
  row.measures = {{"sold", "sold_min", "sold_max", 1, 7}};
  return row;
}

RunReport a_report() {
  RunReport report{.workload = "oversell",
                   .product = "postgresql",
                   .product_title = "PostgreSQL",
                   .version = "15.18",
                   .url = "postgres://u:***@h/d",
                   .seed = 7,
                   .clients = 20,
                   .pool = 20};
  report.rows = {a_row("decrement", "unsafe", "unsafe", 400), a_row("atomic", "safe", "safe", 200),
                 a_row("for-update", "safe", "safe", 100)};
  report.rows[0].violations = {{"oversold", 4}};
  report.rows[0].first_violation = "trial 1: oversold: 7 sold of 1";
  return report;
}

TEST(RunReport, TheAdviceNamesTheFastestThatStayedSafe) {
  EXPECT_EQ(
      advice_for(a_report()),
      "fastest that stayed safe: atomic at read committed (100 done/s); relative to it: for-update "
      "0.50");
}

TEST(RunReport, TheAdviceNeverNamesWhatWasNotSeenToBeSafe) {
  RunReport report = a_report();
  report.rows[1].measured = report.rows[2].measured = "unknown";
  EXPECT_EQ(advice_for(report), "no strategy that promises to be safe was seen to be");
}

TEST(RunReport, HalfAComparisonGivesNoAdvice) {
  RunReport report = a_report();
  report.broken_off = "the server is gone";
  EXPECT_EQ(advice_for(report), "broken off: no advice from half a comparison");
  report.interrupted = true;
  EXPECT_EQ(advice_for(report), "interrupted: no advice from half a comparison");
}

TEST(RunReport, TheAdviceNeverLeadsWithALuckyOne) {
  RunReport report = a_report();
  report.rows[0].measured = "safe";  // the fastest of all, and promises nothing
  EXPECT_EQ(
      advice_for(report),
      "fastest that stayed safe: atomic at read committed (100 done/s); relative to it: for-update "
      "0.50; not promised to be safe, only not seen to break: decrement 2.00");
}

TEST(RunReport, TheAdvicePrefersOneThatServesEverybody) {
  RunReport report = a_report();
  for (int i = 0; i < 100; ++i) report.rows[1].tally.add(TaskEnd::gave_up);  // a third of its tasks
  EXPECT_EQ(advice_for(report),
            "fastest that stayed safe: for-update at read committed (50 done/s); relative to it: "
            "atomic 2.00 (gave up 33 %)");
}

TEST(RunReport, ARowWithoutAFinishedTrialIsShown) {
  RunReport report = a_report();
  report.rows[1].measured = "unknown";
  report.rows[1].measures = {{"sold", "sold_min", "sold_max", std::nullopt, std::nullopt}};
  EXPECT_THAT(to_text_report(report), HasSubstr("-"));
  const auto json = nlohmann::json::parse(to_json_report(report));
  EXPECT_TRUE(json["rows"][1]["measures"]["sold_min"].is_null());
}

TEST(RunReport, DeadlocksAreCountedTimedAndOneIsExplained) {
  RunReport report = a_report();
  DeadlockSummary& deadlocks = report.rows[2].check.deadlocks;
  deadlocks.count = 2;
  deadlocks.victims_waited.record(1'003'000'000);
  deadlocks.survivors_waited.record(7'000'000);
  deadlocks.example =
      DeadlockSummary::Example{.waits = {{.transaction = "T7",
                                          .client = 1,
                                          .session = 4711,
                                          .statement = "UPDATE products",
                                          .row = "products/2",
                                          .next_had_locked_it = true,
                                          .waited = 1'003'000'000},
                                         {.transaction = "T6", .client = 2, .waited = 7'000'000}},
                               .server = "Process 4711 waits"};
  const std::string text = to_text_report(report);
  EXPECT_THAT(text, HasSubstr("for-update at read committed: 2 deadlocks; victims waited 1003 ms "
                              "(median; longest 1003), survivors 7.00 ms (median; longest 7.00)"));
  EXPECT_THAT(text, HasSubstr("deadlock: T7 waited for T6, T6 waited for T7, until the database "
                              "rolled T7 back"));
  EXPECT_THAT(text, HasSubstr("  T7 (client 1, session 4711, the victim) waited 1003 ms for "
                              "products/2, which T6 had locked, in: UPDATE products\n"));
  EXPECT_THAT(text, HasSubstr("  T6 (client 2) waited 7.00 ms behind T7\n"));
  EXPECT_THAT(text, HasSubstr("  the server: Process 4711 waits\n"));

  const auto rows = nlohmann::json::parse(to_json_report(report))["rows"];
  EXPECT_FALSE(rows[0].contains("deadlocks"));
  const auto& json = rows[2]["deadlocks"];
  EXPECT_EQ(json["count"], 2);
  EXPECT_EQ(json["victims_waited_ms"]["max"], 1003.0);
  EXPECT_EQ(json["example"]["waits"][0]["waits_for"], "T6");
  EXPECT_EQ(json["example"]["waits"][1]["waits_for"], "T7");
  EXPECT_EQ(json["example"]["waits"][1]["victim"], false);
  EXPECT_EQ(json["example"]["server"], "Process 4711 waits");
}

TEST(RunReport, AServerThatCouldNotBeAskedIsSaidToBe) {
  RunReport report = a_report();
  DeadlockSummary& deadlocks = report.rows[0].check.deadlocks;
  deadlocks.count = 1;
  deadlocks.example = DeadlockSummary::Example{.waits = {{.transaction = "T7", .client = 1}},
                                               .why_no_words = "you need PROCESS"};
  EXPECT_THAT(to_text_report(report), HasSubstr("the server's own account is missing: you need "
                                                "PROCESS"));
}

TEST(RunReport, WhatWasNotTestedIsSaidOnce) {
  RunReport report = a_report();
  report.rows[1].untested = report.rows[2].untested = "luck";
  EXPECT_THAT(to_text_report(report),
              HasSubstr("not put to the test: luck; this is about atomic at read committed, "
                        "for-update at read committed\n"));
}

TEST(RunReport, WhyARunBrokeOffIsSaid) {
  RunReport report = a_report();
  report.broken_off = "the server is gone";
  EXPECT_THAT(to_text_report(report), HasSubstr("broken off: the server is gone"));
  EXPECT_EQ(nlohmann::json::parse(to_json_report(report))["broken_off"], "the server is gone");
}

TEST(RunReport, TextShowsWhatBrokeAndFlagsWhatDiffersFromThePromise) {
  RunReport report = a_report();
  report.rows[1].measured = "unsafe";
  const std::string text = to_text_report(report);
  EXPECT_THAT(text, HasSubstr("oversold in 4 (first: trial 1: oversold: 7 sold of 1)"));
  EXPECT_THAT(text, HasSubstr("unsafe (!)"));
  EXPECT_THAT(text, HasSubstr("atomic at read committed: promised safe, but it is not"));
  EXPECT_THAT(text, HasSubstr("1..7"));
}

TEST(RunReport, TextShowsErrorsInTheServersWords) {
  RunReport report = a_report();
  report.rows[1].tally.add(Error{ErrorKind::deadlock, "40P01", 0, "deadlock detected"});
  EXPECT_THAT(to_text_report(report), HasSubstr("1 x deadlock (40P01): deadlock detected"));
}

TEST(RunReport, JsonHasTheFieldsThatProgramsRelyOn) {
  RunReport report = a_report();
  report.rows[1].tally.add(Error{ErrorKind::deadlock, "40P01", 0, ""});
  const auto json = nlohmann::json::parse(to_json_report(report));
  EXPECT_EQ(json["workload"], "oversell");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_THAT(json["advice"].get<std::string>(), HasSubstr("atomic"));
  const auto& row = json["rows"][1];
  for (const char* const field : {"strategy", "isolation", "product", "promised", "measured",
                                  "trials", "trials_violated", "violations", "outcomes", "attempts",
                                  "errors", "throughput_per_s", "latency_ms", "measures"}) {
    EXPECT_TRUE(row.contains(field)) << field;
  }
  for (const char* const end : {"done", "refused", "gave_up", "failed", "unknown"}) {
    EXPECT_TRUE(row["outcomes"].contains(end)) << end;
  }
  EXPECT_EQ(row["errors"], nlohmann::json({{"deadlock", 1}}));
  EXPECT_EQ(row["throughput_per_s"], 100.0);
  EXPECT_EQ(row["measures"]["sold_max"], 7);
  EXPECT_EQ(json["rows"][0]["violations"]["oversold"], 4);
}

RunReport a_checked_report() {
  RunReport report = a_report();
  report.rows[0].check.anomalies = {
      {"P4", "lost update", 9}, {"G2-item", "write skew", 2}, {"G2", "phantom", 1}};
  report.rows[0].check.levels = {"strict read atomic"};
  report.rows[1].check.levels = {"strict serializable"};
  return report;
}

TEST(RunReport, ARowShowsItsAnomalies) {
  const std::string text = to_text_report(a_checked_report());
  EXPECT_THAT(text, HasSubstr("P4 x9, G2-item x2, +1"));
  EXPECT_THAT(text, HasSubstr("lost update (P4) x9, write skew (G2-item) x2, phantom (G2) x1; "));
  EXPECT_THAT(text, HasSubstr("levels that hold: strict\n    read atomic\n"));
  EXPECT_THAT(text, HasSubstr("--out DIR keeps the histories"));
  EXPECT_THAT(to_text_report(a_report()), Not(HasSubstr("anomal")));
}

TEST(RunReport, WhereTheHistoryIsIsSaid) {
  RunReport report = a_checked_report();
  report.rows[0].history_file = "dir/history.jsonl";
  EXPECT_THAT(to_text_report(report), HasSubstr("('hilsa check dir/history.jsonl' explains"));
}

TEST(RunReport, ABrokenPromiseOfTheDatabaseIsSaid) {
  RunReport report = a_checked_report();
  report.rows[0].check.promised_level = "snapshot isolation";
  report.rows[0].check.breaks_promise = true;
  EXPECT_THAT(to_text_report(report),
              HasSubstr("decrement at read committed: the database promises snapshot isolation at "
                        "this level, the history does not satisfy it\n"));
}

TEST(RunReport, WhyAHistoryWasNotCheckedIsSaid) {
  RunReport report = a_checked_report();
  report.rows[1].check.not_checked = report.rows[2].check.not_checked = "too long";
  EXPECT_THAT(to_text_report(report),
              HasSubstr("not checked for anomalies: atomic at read committed, for-update at read "
                        "committed: too long\n"));
  report.rows[1].check.not_checked = report.rows[2].check.not_checked = "--no-check";
  EXPECT_THAT(to_text_report(report), Not(HasSubstr("not checked")));
}

TEST(RunReport, JsonHasAnomaliesAndLevels) {
  RunReport report = a_checked_report();
  report.rows[0].check.promised_level = "read committed";
  report.rows[2].check.not_checked = "--no-check";
  const auto rows = nlohmann::json::parse(to_json_report(report))["rows"];
  EXPECT_EQ(rows[0]["anomalies"], nlohmann::json({{"P4", 9}, {"G2-item", 2}, {"G2", 1}}));
  EXPECT_EQ(rows[0]["levels"], nlohmann::json({"strict read atomic"}));
  EXPECT_EQ(rows[0]["promised_level"], "read committed");
  EXPECT_EQ(rows[0]["breaks_promised_level"], false);
  EXPECT_EQ(rows[1]["anomalies"], nlohmann::json::object());
  EXPECT_FALSE(rows[1].contains("promised_level"));
  EXPECT_EQ(rows[2]["not_checked"], "--no-check");
}

TEST(TextTable, ARaggedRowIsAMistake) {
  TextTable table;
  table.add_column("name", TextTable::Align::left);
  EXPECT_THROW(table.add_row({"a", "b"}), std::logic_error);
}

TEST(TextTable, AlignsAndLeavesOutEmptyColumns) {
  TextTable table;
  table.add_column("name", TextTable::Align::left);
  table.add_column("empty", TextTable::Align::left);
  table.add_column("n", TextTable::Align::right);
  table.add_row({"a", "", "1"});
  table.add_row({"longer", "", "100"});
  EXPECT_EQ(table.to_string(), "name      n\na         1\nlonger  100\n");
}

TEST(RunReport, WhatAServerSaysCannotActOnTheTerminal) {
  RunReport report = a_report();
  const std::string hostile = "\x1b[31m red \x07";
  report.version = hostile;
  report.url = hostile;
  report.broken_off = hostile;
  ReportRow& row = report.rows[0];
  row.first_violation = hostile;
  row.violations["oversold"] = 1;
  row.remark = hostile;
  row.measured = "unknown";
  row.why_unknown = hostile;
  row.tally.errors[0] = 1;
  row.tally.error_texts[0] = hostile;
  const std::string text = to_text_report(report);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("\\x1b[31m red"));
}

TEST(RunReport, ColourIsForTerminalsThatShowIt) {
  const RunReport report = a_report();
  EXPECT_EQ(to_text_report(report).find('\x1b'), std::string::npos);
  EXPECT_THAT(to_text_report(report, Colour::ansi), HasSubstr("\x1b["));
}

}  // namespace
}  // namespace hilsa
