// What a row must be and may cost, and the sentences that say whether it is so.
#include "reports/demands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkers/levels.h"
#include "reports/ci_report.h"

namespace hilsa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const RowName kName{"checkout", "atomic at read committed on postgresql"};

ReportRow a_row(const std::string& promised, const std::string& measured) {
  ReportRow row{.strategy = "atomic",
                .isolation = "read committed",
                .promised = promised,
                .measured = measured,
                .trials = 20};
  row.tally.committed = 100;
  if (measured == "unsafe") {
    row.trials_violated = 3;
    row.first_violation = "trial 1: oversold: 7 sold of 1";
  }
  if (measured == "unknown") row.why_unknown = "nothing committed";
  row.check.levels = {"snapshot isolation"};
  return row;
}

Demand judged(const RowRules& rules, const ReportRow& row, const RunReport& report = {}) {
  return judge_promises(kName, rules, row, report).back();
}

TEST(Promises, AreWhatIsDemandedUnlessSomethingElseIs) {
  using enum Demand::Status;
  EXPECT_EQ(judged({}, a_row("safe", "safe")).status, kept);
  EXPECT_EQ(judged({}, a_row("safe", "unsafe")).status, broken);
  EXPECT_EQ(judged({}, a_row("safe", "unknown")).status, unknown);
  EXPECT_EQ(judged({}, a_row("unsafe", "unsafe")).status, kept);
  EXPECT_EQ(judged({}, a_row("unsafe", "unknown")).status, kept);
  EXPECT_EQ(judged({.must = Must::safe}, a_row("unsafe", "unsafe")).status, broken);
  EXPECT_EQ(judged({.must = Must::unsafe}, a_row("unsafe", "unsafe")).status, kept);
  EXPECT_EQ(judged({.must = Must::unsafe}, a_row("safe", "safe")).status, broken);
  EXPECT_EQ(judged({.must = Must::unsafe}, a_row("safe", "unknown")).status, unknown);
}

TEST(Promises, ABrokenOneSaysWhatBroke) {
  ReportRow row = a_row("safe", "unsafe");
  row.check.anomalies = {{"P4", "lost update", 12}};
  const Demand demand = judged({.must = Must::safe}, row);
  EXPECT_EQ(demand.what, "must be safe");
  EXPECT_EQ(demand.finding,
            "it is unsafe: an invariant broke in 3 of 20 trials (trial 1: oversold: 7 sold of 1); "
            "lost update (P4) x12");
}

TEST(Promises, ALevelHoldsIfAStrongerOneDoes) {
  using enum Demand::Status;
  const auto at = [](const char* level) { return RowRules{.level = level_named(level)}; };
  EXPECT_EQ(judged(at("read committed"), a_row("safe", "safe")).status, kept);
  EXPECT_EQ(judged(at("snapshot isolation"), a_row("safe", "safe")).status, kept);
  EXPECT_EQ(judged(at("serializable"), a_row("safe", "safe")).status, broken);
  EXPECT_EQ(judged(at("repeatable read"), a_row("safe", "safe")).status, broken);
  EXPECT_EQ(judged(at("strong session snapshot isolation"), a_row("safe", "safe")).status, broken);
  ReportRow unchecked = a_row("safe", "safe");
  unchecked.check.not_checked = "too many attempts";
  EXPECT_EQ(judged(at("read committed"), unchecked).status, unknown);
  // No two transactions met: nothing holds, and nothing is broken.
  ReportRow vacuous = a_row("safe", "safe");
  vacuous.check.levels.clear();
  EXPECT_EQ(judged(at("read committed"), vacuous).status, unknown);
  // In addition to being as promised.
  EXPECT_EQ(judge_promises(kName, at("read committed"), a_row("safe", "unsafe"), {})[0].status,
            broken);
}

TEST(Promises, OfARunThatWasStoppedAreUnknownUnlessBroken) {
  const RunReport stopped{.interrupted = true};
  EXPECT_EQ(judged({}, a_row("safe", "safe"), stopped).status, Demand::Status::unknown);
  EXPECT_EQ(judged({}, a_row("safe", "unsafe"), stopped).status, Demand::Status::broken);
}

// Rows whose throughput is `ratio` of the reference's.
struct Pair {
  ReportRow row;
  ReportRow reference;
};
Pair a_pair(double ratio, std::size_t rounds) {
  Pair pair;
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto wobble = static_cast<double>(i % 5);
    const auto done = static_cast<std::int64_t>(1000 * ratio * (1 + wobble / 200));
    pair.row.rounds.push_back({std::chrono::seconds(1), done, done, 1000});
    pair.reference.rounds.push_back({std::chrono::seconds(1), 1000, 1000, 1000});
  }
  return pair;
}

CostFinding regression(double ratio, const Ratios* baseline, std::size_t rounds = 10) {
  const Pair pair = a_pair(ratio, rounds);
  const RowRules rules{.regression = RegressionRule{}};
  const CostStandard standard{"for-update", &pair.reference, baseline};
  return judge_costs(kName, rules, pair.row, standard, {}).at(0);
}

Ratios a_baseline(double ratio) {
  const Pair pair = a_pair(ratio, 10);
  return all_relative_figures(pair.row.rounds, pair.reference.rounds);
}

TEST(Costs, ARegressionSaysByHowMuchAndHowSure) {
  const Ratios baseline = a_baseline(1.0);
  const CostFinding found = regression(0.7, &baseline);
  EXPECT_EQ(found.demand.status, Demand::Status::broken);
  EXPECT_EQ(found.demand.what, "throughput relative to for-update");
  EXPECT_THAT(found.demand.finding,
              ::testing::MatchesRegex("it fell to 0\\.7 of the baseline's \\(0\\.6[0-9]+ to "
                                      "0\\.7[0-9]*; 99% sure of more than 10%: p = [0-9.e-]+, 10 "
                                      ". 10 rounds\\)"));
}

TEST(Costs, WithinTheToleranceNothingIsWrong) {
  const Ratios baseline = a_baseline(1.0);
  EXPECT_EQ(regression(0.95, &baseline).demand.status, Demand::Status::kept);
  EXPECT_FALSE(regression(0.95, &baseline).is_beyond);
}

TEST(Costs, AnImprovementIsToldAndKept) {
  const Ratios baseline = a_baseline(1.0);
  const CostFinding found = regression(1.5, &baseline);
  EXPECT_EQ(found.demand.status, Demand::Status::kept);
  EXPECT_THAT(found.demand.finding, HasSubstr("it rose to 1.5 of the baseline's"));
  EXPECT_THAT(found.demand.finding, HasSubstr("--update-baseline"));
}

TEST(Costs, TooFewRoundsAreUnknown) {
  const Ratios baseline = a_baseline(1.0);
  const CostFinding found = regression(0.5, &baseline, 4);
  EXPECT_EQ(found.demand.status, Demand::Status::unknown);
  EXPECT_THAT(found.demand.finding, HasSubstr("4 of 4 rounds"));
}

TEST(Costs, OfARunThatBrokeOffAreUnknown) {
  const Ratios baseline = a_baseline(1.0);
  const Pair pair = a_pair(0.5, 10);
  const CostStandard standard{"for-update", &pair.reference, &baseline};
  const auto found = judge_costs(kName, {.regression = RegressionRule{}}, pair.row, standard,
                                 {.broken_off = "the server went away"});
  EXPECT_EQ(found.at(0).demand.status, Demand::Status::unknown);
  EXPECT_THAT(found.at(0).demand.finding, HasSubstr("the server went away"));
}

TEST(Costs, LimitsAreWeighedAgainstTheReferenceOfTheSameRun) {
  const Pair pair = a_pair(0.7, 10);
  const RowRules rules{
      .limits = {{Figure::throughput, 0.8}, {Figure::p99, 1.5}, {Figure::attempts, 1.2}}};
  const auto found =
      judge_costs(kName, rules, pair.row, {"for-update", &pair.reference, nullptr}, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].demand.what, "throughput >= 0.8 x for-update");
  EXPECT_EQ(found[0].demand.status, Demand::Status::broken);
  EXPECT_THAT(found[0].demand.finding, HasSubstr("99% sure that it is beyond the limit"));
  EXPECT_EQ(found[1].demand.what, "p99 <= 1.5 x for-update");
  EXPECT_EQ(found[1].demand.status, Demand::Status::kept);
  EXPECT_EQ(found[2].demand.what, "attempts per task <= 1.2");
  // The reference itself has nothing to be relative to.
  const auto own = judge_costs(kName, rules, pair.reference, {}, {});
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].demand.what, "attempts per task <= 1.2");
}

// --- more than one measurement ---

CostFinding measured(bool sure, bool beyond) {
  CostFinding finding;
  finding.demand.status = sure ? Demand::Status::broken : Demand::Status::kept;
  finding.demand.finding = sure ? "it fell to 0.7" : "it is 0.97";
  finding.briefly = sure ? "0.7 (0.6 to 0.8)" : "0.97 (0.9 to 1)";
  finding.is_beyond = beyond;
  return finding;
}
const CostFinding kSure = measured(true, true);
const CostFinding kDoubtful = measured(false, true);
const CostFinding kFine = measured(false, false);

TEST(Measurements, TwoThatAreSureSettleIt) {
  const std::vector<CostFinding> both = {kSure, kSure};
  EXPECT_FALSE(needs_another(both));
  EXPECT_EQ(settled(both).status, Demand::Status::broken);
  EXPECT_EQ(settled(both).finding,
            "it fell to 0.7; confirmed: measured 2 times, 0.7 (0.6 to 0.8), 0.7 (0.6 to 0.8)");
}

TEST(Measurements, OneAloneFailsNobody) {
  EXPECT_TRUE(needs_another(std::vector{kSure}));
  const std::vector<CostFinding> once = {kSure, kFine};
  EXPECT_FALSE(needs_another(once));
  EXPECT_EQ(settled(once).status, Demand::Status::kept);
  EXPECT_THAT(settled(once).finding, HasSubstr("taken for noise"));
}

TEST(Measurements, DoubtAsksAgainAndIsNoProof) {
  EXPECT_TRUE(needs_another(std::vector{kDoubtful}));
  EXPECT_FALSE(needs_another(std::vector{kFine}));
  EXPECT_TRUE(needs_another(std::vector{kSure, kDoubtful, kDoubtful}));
  const std::vector<CostFinding> late = {kDoubtful, kSure, kDoubtful, kSure};
  EXPECT_EQ(settled(late).status, Demand::Status::broken);
  const std::vector<CostFinding> never = {kDoubtful, kDoubtful, kSure, kDoubtful};
  EXPECT_FALSE(needs_another(never));
  EXPECT_EQ(settled(never).status, Demand::Status::kept);
  EXPECT_THAT(settled(never).finding, HasSubstr("too noisy to be sure"));
}

// --- the report ---

TEST(CiReport, TellsWhatIsBrokenFirst) {
  CiReport report;
  report.demands = {{"a", "atomic", "must be safe", Demand::Status::kept, "nothing broke"},
                    {"b", "late", "must be safe", Demand::Status::unknown, "nothing proved"},
                    {"c", "optimistic", "must be safe", Demand::Status::broken, "oversold\x1b[2J"}};
  const std::string text = to_text_ci_report(report);
  EXPECT_LT(text.find("broken   c"), text.find("unknown  b"));
  EXPECT_LT(text.find("unknown  b"), text.find("kept     a"));
  EXPECT_THAT(text, HasSubstr("broken: suite c: optimistic: must be safe: oversold\\x1b[2J"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("1 broken, 1 unknown, 1 kept\n"));
}

}  // namespace
}  // namespace hilsa
