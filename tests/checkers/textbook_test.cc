// The histories of the literature, a few transactions each: what they are called, which levels they
// leave, and how they are told (tests/golden/textbook).
//
// Sources: Adya's thesis (MIT 1999); Berenson et al., A critique of ANSI SQL isolation levels
// (SIGMOD 1995), whose H1 to H5 these are in stamped form; Fekete, O'Neil, O'Neil, A read-only
// transaction anomaly under snapshot isolation (SIGMOD Record 2004); Bailis et al., Scalable atomic
// visibility with RAMP transactions (SIGMOD 2014); Sovran et al., Transactional storage for
// geo-replicated systems (SOSP 2011) for the long fork.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/checker.h"
#include "checkers/explain.h"
#include "tests/checkers/tiny_history.h"
#include "tests/golden/golden.h"

namespace hilsa {
namespace {

struct Case {
  std::string_view name;
  std::string_view history;
  std::vector<std::string> classes;  // all that must be reported
  std::vector<std::string> levels;   // the strongest that hold
};

constexpr std::string_view kTwoRows = "T1 c0: insert x/1.1 a=50; insert y/1.1 a=50\n";

std::vector<Case> cases_of_one_phenomenon() {
  return {
      {"serial",
       "T2 c1: read x/1.1@1; write x/1.2 a=10\nT3 c2: read x/1.2@2; read y/1.1@1\n",
       {},
       {"serializable"}},
      {"dirty-write",
       "T2 c1: write x/1.2 a=1; write y/1.3 a=1\nT3 c2: write x/1.3 a=2; write y/1.2 a=2\n",
       {"G0"},
       {}},
      {"aborted-read",
       "T2 c1 aborted: write x/1.2 a=1\nT3 c2: read x/1.2@2 a=1\n",
       {"G1a"},
       {"read uncommitted"}},
      {"intermediate-read",
       "T2 c1: write x/1.2 a=1; write x/1.3 a=2\nT3 c2: read x/1.2@2\n",
       {"G1b"},
       {"read uncommitted"}},
      {"circular-information-flow",
       "T2 c1: write x/1.2 a=1; read y/1.2@3\nT3 c2: write y/1.2 a=2; read x/1.2@2\n",
       {"G1c"},
       {"read uncommitted"}},
      {"observed-transaction-vanishes",
       "T2 c1: write x/1.2 a=1; write y/1.2 a=1\nT3 c2: read x/1.2@2; read y/1.1@1\n",
       {"OTV", "fractured-read", "G-single"},
       {"read committed"}},
      {"fractured-read",
       "T2 c1: write x/1.2 a=1; write y/1.2 a=1\nT3 c2: read y/1.1@1; read x/1.2@2\n",
       {"fractured-read", "G-single"},
       {"monotonic atomic view"}},
      {"non-repeatable-read",
       "T2 c1: write x/1.2 a=1\nT3 c2: read x/1.1@1; read x/1.2@2\n",
       {"non-repeatable-read", "G-single"},
       {"monotonic atomic view"}},
      {"predicate-many-preceders",
       "T2 c1: insert x/2.1 a=7\nT3 c2: where x a=7 ->; where x a=7 -> x/2.1@2\n",
       {"PMP", "G-single", "G2"},
       {"monotonic atomic view", "repeatable read"}},
      {"lost-update",
       "T2 c1: read x/1.1@1; write x/1.2 a=20\nT3 c2: read x/1.1@1; write x/1.3 a=30\n",
       {"P4", "G-single"},
       {"read atomic"}},
      {"two-withdrawals",
       "T2 c1: read x/1.1@1 a=50; write x/1.2 a=20\nT3 c2: read x/1.1@1 a=50; write x/1.3 a=10\n",
       {"P4"},
       {"read atomic"}},
  };
}

std::vector<Case> cases_of_cycles() {
  return {
      {"read-skew",
       "T2 c1: write x/1.2 a=10\nT3 c2: read x/1.2@2; write y/1.2 a=90\n"
       "T4 c3: read x/1.1@1; read y/1.2@3\n",
       {"G-single"},
       {"read atomic"}},
      {"long-fork",
       "T2 c1: write x/1.2 a=1\nT3 c2: write y/1.2 a=1\nT4 c3: read x/1.2@2; read y/1.1@1\n"
       "T5 c4: read x/1.1@1; read y/1.2@3\n",
       {"G-nonadjacent"},
       {"consistent view"}},
      {"write-skew",
       "T2 c1: read x/1.1@1; read y/1.1@1; write x/1.2 a=-40\n"
       "T3 c2: read x/1.1@1; read y/1.1@1; write y/1.2 a=-40\n",
       {"G2-item"},
       {"snapshot isolation"}},
      {"doctors-on-call",
       "T2 c1: where x a=50 -> x/1.1@1 x/2.1@6; write x/1.2 a=0\n"
       "T3 c2: where x a=50 -> x/1.1@1 x/2.1@6; write x/2.2 a=0\n"
       "T6 c0: insert x/2.1 a=50\n",
       {"G2-item"},
       {"strong session snapshot isolation"}},
      {"read-only-transaction",
       "T2 c1: read y/1.1@1; write y/1.2 a=70\nT3 c2: read x/1.1@1; read y/1.2@2\n"
       "T4 c3: read x/1.1@1; read y/1.1@1; write x/1.2 a=-61\n",
       {"G2-item"},
       {"snapshot isolation"}},
      {"seat-b4",
       "T2 c1: where x a=4 ->; insert x/10.1 a=4\nT3 c2: where x a=4 ->; insert x/11.1 a=4\n",
       {"G2"},
       {"repeatable read", "snapshot isolation"}},
      {"inconsistent-analysis",
       "T2 c1: read x/1.1@1; write x/1.2 a=10; read y/1.1@1; write y/1.2 a=90\n"
       "T3 c2: read x/1.2@2; read y/1.1@1\n",
       {"OTV", "fractured-read", "G-single"},
       {"read committed"}},
      {"phantom-and-count",
       "T2 c1: where x a=1 ->; read y/1.2@3\nT3 c2: insert x/2.1 a=1; read y/1.1@1; write y/1.2 "
       "a=51\n",
       {"PMP", "G-single", "G2"},
       {"monotonic atomic view", "repeatable read"}},
      {"lost-write", "T2 c1: write x/1.2 a=1\nT3 c2: write x/1.2 a=2\n", {"lost-write"}, {}},
      {"internal",
       "T2 c1: write x/1.2 a=1; read x/1.1@1\nT3 c2: read x/1.2@2\n",
       {"internal"},
       {"read uncommitted"}},
      {"own-past",
       "T2 c1: write x/1.2 a=1\nT3 c1: read x/1.1@1\n",
       {"G-single-session"},
       {"serializable", "strong session read atomic"}},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = cases_of_one_phenomenon();
  for (Case& one : cases_of_cycles()) all.push_back(std::move(one));
  return all;
}

std::vector<std::string> class_names(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const Anomaly& anomaly : verdict.anomalies) {
    names.push_back(class_name(anomaly.anomaly, anomaly.needs));
  }
  return names;
}

std::vector<std::string> level_names(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const LevelForm& level : verdict.levels) names.push_back(name_of(level));
  return names;
}

std::string told(const History& history, const Verdict& verdict) {
  std::string text = std::string(name_of(verdict.validity));
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  text += "\nlevels:";
  for (const std::string& level : level_names(verdict)) text += " [" + level + "]";
  text += "\n";
  for (const Anomaly& anomaly : verdict.anomalies) {
    text += "\n" + explain(history, anomaly, anomaly.evidence.front());
  }
  return text;
}

TEST(Textbook, EveryHistoryHasItsNamesItsLevelsAndItsStory) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(std::string(one.name));
    const History history = parse_tiny_history(std::string(kTwoRows) + std::string(one.history));
    const Verdict verdict = check(history);
    EXPECT_THAT(class_names(verdict), testing::IsSupersetOf(one.classes));
    if (one.classes.empty()) {
      EXPECT_TRUE(verdict.anomalies.empty());
    }
    EXPECT_THAT(level_names(verdict), testing::UnorderedElementsAreArray(one.levels));
    tests::expect_golden("textbook/" + std::string(one.name) + ".txt", told(history, verdict));
  }
}

// Real time, which the histories above do not tell.
TEST(Textbook, AStaleReadNeedsRealTimeToShow) {
  const History history = parse_tiny_history(
      "T1 c0 1..2: insert x/1.1 a=0\nT2 c1 3..4: write x/1.2 a=1\nT3 c2 5..6: read x/1.1@1\n");
  const Verdict verdict = check(history);
  EXPECT_EQ(verdict.validity, Validity::valid);
  EXPECT_THAT(class_names(verdict), testing::ElementsAre("G-single-realtime"));
  EXPECT_THAT(level_names(verdict),
              testing::UnorderedElementsAre("strong session serializable", "strict read atomic"));
  tests::expect_golden("textbook/stale-read.txt", told(history, verdict));
}

// Fekete's anomaly is one of the reader: without it, the other two have an order.
TEST(Textbook, WithoutItsReaderTheReadOnlyAnomalyIsNone) {
  const History history =
      parse_tiny_history(std::string(kTwoRows) +
                         "T2 c1: read y/1.1@1; write y/1.2 a=70\n"
                         "T4 c3: read x/1.1@1; read y/1.1@1; write x/1.2 a=-61\n");
  EXPECT_EQ(check(history).validity, Validity::valid);
}

// What a task outside a transaction does is the task's anomaly, with its scope.
TEST(Textbook, StatementsThatCommitByThemselvesAreTheTasksAnomaly) {
  History history = parse_tiny_history(
      std::string(kTwoRows) +
      "T2 c1: read x/1.1@1; write x/1.2 a=20\nT3 c2: read x/1.1@1; write x/1.3 a=30\n");
  for (TxnFlags& flags : history.txn_flags) flags.one_transaction = false;
  const Verdict verdict = check(history);
  ASSERT_FALSE(verdict.anomalies.empty());
  EXPECT_EQ(verdict.anomalies.front().anomaly, AnomalyClass::p4);
  EXPECT_TRUE(verdict.anomalies.front().evidence.front().beyond_one_transaction);
  tests::expect_golden("textbook/autocommit.txt", told(history, verdict));
}

TEST(Textbook, WhereNothingMetAnythingTheVerdictIsUnknown) {
  const History history = parse_tiny_history(
      std::string(kTwoRows) + "T2 c1: read x/1.1@1; write x/1.2 a=20\nT3 c2: read y/1.1@1\n");
  const Verdict verdict = check(history);
  EXPECT_EQ(verdict.validity, Validity::unknown);
  EXPECT_THAT(verdict.reason, testing::HasSubstr("no two transactions met"));
  EXPECT_TRUE(verdict.levels.empty());
}

TEST(Textbook, AVerdictIsTheSameEveryTime) {
  for (const Case& one : cases()) {
    const History history = parse_tiny_history(std::string(kTwoRows) + std::string(one.history));
    EXPECT_EQ(told(history, check(history)), told(history, check(history)));
  }
}

}  // namespace
}  // namespace hilsa
