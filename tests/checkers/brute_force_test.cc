// The oracle on histories whose levels are known from the literature: Berenson et al.: A critique
// of ANSI SQL isolation levels (SIGMOD 1995); Fekete, O'Neil, O'Neil: A read-only transaction
// anomaly under snapshot isolation (SIGMOD Record 2004); Adya's thesis (MIT 1999).
#include "tests/checkers/brute_force.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/checkers/random_history.h"
#include "tests/checkers/tiny_history.h"
#include "tests/seeds.h"

namespace hilsa {
namespace {

// Two rows, as most of the textbooks have.
constexpr std::string_view kTwoRows = "T1 c0 1..2: insert x/1.1 v=1; insert x/2.1 v=1\n";

struct Levels {
  bool serializable;
  bool snapshot_isolated;
  friend bool operator==(const Levels&, const Levels&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Levels& levels) {
    return out << "serializable " << levels.serializable << ", snapshot isolated "
               << levels.snapshot_isolated;
  }
};
constexpr Levels kBoth = {true, true};
constexpr Levels kSnapshotOnly = {false, true};
constexpr Levels kNeither = {false, false};

Levels levels(std::string_view text, Needs form = Needs::data) {
  const History history = parse_tiny_history(text);
  return {serializable_by_definition(history, form),
          snapshot_isolated_by_definition(history, form)};
}

Levels after_two_rows(std::string_view text, Needs form = Needs::data) {
  return levels(std::string(kTwoRows) + std::string(text), form);
}

TEST(BruteForce, ASerialHistoryIsBoth) {
  EXPECT_EQ(levels(""), kBoth);
  EXPECT_EQ(
      after_two_rows("T2 c1: read x/1.1@1; write x/1.2 v+=1; read x/1.2@2\n"
                     "T3 c2: read x/1.2@2; erase x/1.3; read x/1.0; insert x/3.1 v=5\n"
                     "T4 c1: read x/1.0; where x -> x/2.1@1 x/3.1@3; where x v>=5 -> x/3.1\n"),
      kBoth);
}

TEST(BruteForce, WriteSkewIsSnapshotIsolated) {
  EXPECT_EQ(after_two_rows("T2 c1: read x/1.1; read x/2.1; write x/1.2 v=0\n"
                           "T3 c2: read x/1.1; read x/2.1; write x/2.2 v=0\n"),
            kSnapshotOnly);
}

TEST(BruteForce, PhantomWriteSkewIsSnapshotIsolated) {
  EXPECT_EQ(after_two_rows("T2 c1: where x v=1 -> x/1.1 x/2.1; insert x/3.1 v=1\n"
                           "T3 c2: where x v=1 -> x/1.1 x/2.1; insert x/4.1 v=1\n"),
            kSnapshotOnly);
  // Nobody matches what the other one looked for.
  EXPECT_EQ(after_two_rows("T2 c1: where x v=1 -> x/1.1 x/2.1; insert x/3.1 v=2\n"
                           "T3 c2: where x v=1 -> x/1.1 x/2.1; insert x/4.1 v=3\n"),
            kBoth);
}

TEST(BruteForce, ALostUpdateIsNeither) {
  EXPECT_EQ(after_two_rows("T2 c1: read x/1.1; write x/1.2 v=2\n"
                           "T3 c2: read x/1.1; write x/1.3 v=2\n"),
            kNeither);
}

TEST(BruteForce, BlindWritesAreBoth) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; write x/2.2 v=2\n"
                           "T3 c2: write x/1.3 v=3; write x/2.3 v=3\n"),
            kBoth);
}

TEST(BruteForce, ADirtyWriteIsNeither) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; write x/2.3 v=2\n"
                           "T3 c2: write x/2.2 v=3; write x/1.3 v=3\n"),
            kNeither);
}

TEST(BruteForce, ALongForkIsNeither) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2\n"
                           "T3 c2: write x/2.2 v=2\n"
                           "T4 c3: read x/1.2; read x/2.1\n"
                           "T5 c4: read x/1.1; read x/2.2\n"),
            kNeither);
}

TEST(BruteForce, TheReadOnlyTransactionAnomalyIsSnapshotIsolated) {
  // Savings 1, checking 2: a deposit, a withdrawal with its fee, and a report that saw only the
  // first; without the report, the withdrawal went first.
  const std::string two =
      "T2 c1: read x/2.1; write x/2.2 v=20\n"
      "T3 c2: read x/1.1; read x/2.1; write x/1.2 v=-11\n";
  EXPECT_EQ(after_two_rows(two), kBoth);
  EXPECT_EQ(after_two_rows(two + "T4 c3: read x/1.1; read x/2.2\n"), kSnapshotOnly);
}

TEST(BruteForce, ReadSkewIsNeither) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; write x/2.2 v=2\n"
                           "T3 c2: read x/1.1; read x/2.2\n"),
            kNeither);
}

TEST(BruteForce, ANonRepeatableReadIsNeither) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2\nT3 c2: read x/1.1; read x/1.2\n"), kNeither);
}

TEST(BruteForce, WhatAnAbortedTransactionWroteIsNeverSeen) {
  EXPECT_EQ(after_two_rows("T2 c1 aborted: write x/1.2 v=2\nT3 c2: read x/1.2@2\n"), kNeither);
  // Its number was used again: whether that one was read shows by its writer.
  EXPECT_EQ(after_two_rows("T2 c1 aborted: write x/1.2 v=2\nT3 c2: read x/1.2@2\n"
                           "T4 c1: write x/1.2 v=3\n"),
            kNeither);
  EXPECT_EQ(after_two_rows("T2 c1 aborted: write x/1.2 v=2\nT3 c2: read x/1.2@4\n"
                           "T4 c1: write x/1.2 v=3\n"),
            kBoth);
  EXPECT_EQ(after_two_rows("T2 c1 aborted: write x/1.2 v=2\nT3 c2: write x/1.3 v=3\n"), kNeither)
      << "a committed write on top of it";
}

TEST(BruteForce, AnIntermediateVersionIsNotSeen) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; write x/1.3 v=3\nT3 c2: read x/1.2@2\n"),
            kNeither);
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; write x/1.3 v=3\nT3 c2: read x/1.3@2\n"),
            kBoth);
}

TEST(BruteForce, ATransactionSeesItsOwnWrites) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; read x/1.1\n"), kNeither);
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; read x/1.2\n"), kBoth);
  EXPECT_EQ(after_two_rows("T2 c1: erase x/1.2; read x/1.0; where x -> x/2.1\n"), kBoth);
}

TEST(BruteForce, APredicateReadSeesOwnWritesToo) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; where x v=1 -> x/2.1; where x v=2 -> x/1.2\n"),
            kBoth);
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2; where x v=1 -> x/1.1 x/2.1\n"), kNeither);
  EXPECT_EQ(after_two_rows("T2 c1: insert x/3.1 v=1; where x v=1 -> x/1.1 x/2.1\n"), kNeither);
}

TEST(BruteForce, APredicateReadReturnsAllThatMatchAndNothingElse) {
  EXPECT_EQ(after_two_rows("T2 c1: where x v=1 -> x/1.1\n"), kNeither);
  EXPECT_EQ(after_two_rows("T2 c1: where x v=2 -> x/1.1\n"), kNeither);
  EXPECT_EQ(after_two_rows("T2 c1: where x v=1 ->\n"), kBoth) << "before the rows were inserted";
  EXPECT_EQ(after_two_rows("T2 c1: where x v=1 ->\n", Needs::realtime), kBoth)
      << "no time is known";
}

// It matches in versions 1 and 3 and not in 0 and 2: what a reader missed may be either.
TEST(BruteForce, ARowThatFlipsMayBeMissedInSeveralRuns) {
  const std::string flips =
      "T1 c0: insert x/1.1 v=1\nT2 c1: write x/1.2 v=0; insert x/2.1 v=9\nT3 c1: write x/1.3 v=1\n";
  EXPECT_EQ(levels(flips + "T4 c2: where x v=1 ->\n"), kBoth);
  EXPECT_EQ(levels(flips + "T4 c2: where x v=1 ->; read x/2.1\n"), kBoth) << "in version 2";
  EXPECT_EQ(levels(flips + "T4 c2: where x v=1 ->; read x/2.0\n"), kBoth) << "in version 0";
  EXPECT_EQ(levels(flips + "T4 c2: where x v=1 ->; where x v=0 ->; read x/2.1\n"), kNeither);
}

TEST(BruteForce, ValuesFollowFromAllChanges) {
  const std::string changes =
      "T1 c0: insert x/1.1 v=5 note='a'\nT2 c1: write x/1.2 v+=3 note,='b'\n"
      "T3 c1: write x/1.3 v-=7\n";
  EXPECT_EQ(levels(changes + "T4 c2: where x v=1 note='a,b' -> x/1.3\n"), kBoth);
  EXPECT_EQ(levels(changes + "T4 c2: where x v<8 v>1 -> x/1.1\n"), kBoth);
  EXPECT_EQ(levels(changes + "T4 c2: where x v='8' ->; read x/1.2\n"), kBoth)
      << "no number is a text";
  EXPECT_EQ(levels(changes + "T4 c2: where x w<>1 ->; read x/1.2\n"), kBoth) << "NULL is nothing";
}

TEST(BruteForce, AVersionThatIsOneAheadIsNeither) {
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.3 v=2\n"), kNeither);
  EXPECT_EQ(after_two_rows("T2 c1: write x/1.2 v=2\nT3 c1: write x/1.2 v=2\n"), kNeither);
  EXPECT_EQ(after_two_rows("T2 c1: read x/1.7\n"), kNeither);
}

TEST(BruteForce, AStaleReadBreaksTheFormsThatForbidIt) {
  const std::string stale = "T2 c1 10..11: write x/1.2 v=2\nT3 c1 20..21: read x/1.1\n";
  EXPECT_EQ(after_two_rows(stale), kBoth);
  EXPECT_EQ(after_two_rows(stale, Needs::session), kNeither);
  EXPECT_EQ(after_two_rows(stale, Needs::realtime), kNeither);
  const std::string of_others = "T2 c1 10..11: write x/1.2 v=2\nT3 c2 20..21: read x/1.1\n";
  EXPECT_EQ(after_two_rows(of_others, Needs::session), kBoth);
  EXPECT_EQ(after_two_rows(of_others, Needs::realtime), kNeither);
  const std::string at_once = "T2 c1 10..20: write x/1.2 v=2\nT3 c2 20..21: read x/1.1\n";
  EXPECT_EQ(after_two_rows(at_once, Needs::realtime), kBoth);
}

TEST(BruteForce, AnUnknownOutcomeCountsOnceItIsSeen) {
  const std::string unknown = "T2 c1 unknown: read x/2.1; write x/1.2 v=2\n";
  EXPECT_EQ(after_two_rows(unknown + "T3 c2: read x/1.1; write x/2.2 v=2; write x/1.2 v=2\n"),
            kBoth)
      << "never committed, so its number was used again";
  EXPECT_EQ(after_two_rows(unknown + "T3 c2: read x/1.1; write x/2.2 v=2\nT4 c3: read x/1.2@2\n"),
            kSnapshotOnly);
  EXPECT_EQ(
      after_two_rows(unknown + "T3 c2: read x/1.1; write x/2.2 v=2\nT4 c3: write x/1.3 v=3\n"),
      kSnapshotOnly);
  EXPECT_EQ(after_two_rows(unknown + "T3 c2 aborted: read x/1.2@2\nT4 c3: read x/1.1\n"), kBoth)
      << "seen by one that does not count";
}

constexpr std::uint64_t kSeeds = tests::seeds_to_try(20'000);
constexpr std::array kForms = {Needs::data, Needs::session, Needs::realtime};

History executed(Strength strength, std::uint64_t seed) {
  return random_history(seed, {.strength = strength, .falsified = false});
}

TEST(RandomHistory, ExecutedSeriallyItIsStrictlySerializable) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const History history = executed(Strength::serial, seed);
    ASSERT_TRUE(serializable_by_definition(history, Needs::realtime)) << to_tiny_text(history);
  }
}

TEST(RandomHistory, ExecutedOnSnapshotsItIsStrictlySnapshotIsolated) {
  std::uint64_t serializable = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const History history = executed(Strength::snapshot, seed);
    ASSERT_TRUE(snapshot_isolated_by_definition(history, Needs::realtime)) << to_tiny_text(history);
    if (serializable_by_definition(history)) ++serializable;
  }
  EXPECT_LT(serializable, kSeeds);
  EXPECT_GT(serializable, kSeeds / 2);
}

TEST(RandomHistory, WhatIsImpliedByADefinitionHolds) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const History history = random_history(seed);
    bool was_serializable = true;
    bool was_snapshot_isolated = true;
    for (const Needs form : kForms) {
      const bool serializable = serializable_by_definition(history, form);
      const bool snapshot_isolated = snapshot_isolated_by_definition(history, form);
      ASSERT_LE(serializable, snapshot_isolated) << "seed " << seed << "\n"
                                                 << to_tiny_text(history);
      ASSERT_LE(serializable, was_serializable) << "seed " << seed << "\n" << to_tiny_text(history);
      ASSERT_LE(snapshot_isolated, was_snapshot_isolated) << "seed " << seed << "\n"
                                                          << to_tiny_text(history);
      was_serializable = serializable;
      was_snapshot_isolated = snapshot_isolated;
    }
  }
}

// Good and bad at every level, with and without falsified reads; and all that can happen happens.
TEST(RandomHistory, GoodOnesAndBadOnesAreBothFrequent) {
  std::array<std::uint64_t, 2 * kForms.size()> good{};
  std::array<std::uint64_t, static_cast<std::size_t>(Op::seen_row) + 1> operations{};
  std::uint64_t aborted = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const History history = random_history(seed);
    for (std::size_t form = 0; form < kForms.size(); ++form) {
      if (serializable_by_definition(history, kForms[form])) ++good[2 * form];
      if (snapshot_isolated_by_definition(history, kForms[form])) ++good[2 * form + 1];
    }
    for (const Op op : history.op_kind) ++operations[static_cast<std::size_t>(op)];
    for (const TxnFlags& flags : history.txn_flags) {
      if (flags.outcome == AttemptOutcome::aborted) ++aborted;
    }
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    RecordProperty("good_" + std::to_string(at), std::to_string(good[at]));
    EXPECT_GT(good[at], kSeeds / 5) << at;
    EXPECT_LT(good[at], kSeeds - kSeeds / 5) << at;
  }
  for (const std::uint64_t count : operations) EXPECT_GT(count, kSeeds / 20);
  EXPECT_GT(aborted, kSeeds / 20);
}

TEST(TinyHistory, ComesBackAsItWas) {
  const std::string text =
      "T1 c0 1..2: insert x/1.1 v=5 note='a'; insert y/7.1 v=NULL\n"
      "T2 c1 10..30 aborted: read x/1.1@1; write x/1.2 v+=1 v-=2 note,='late'\n"
      "T3 c2 20..40 unknown: where x v>=1 v<>0 note='a' -> x/1.1 x/4.1@2; erase x/1.3; read y/8.0\n"
      "T4 50..60: where y ->; read x/1.0\n";
  EXPECT_EQ(to_tiny_text(parse_tiny_history(text)), text);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::string random = to_tiny_text(random_history(seed));
    ASSERT_EQ(to_tiny_text(parse_tiny_history(random)), random);
  }
  EXPECT_THROW(parse_tiny_history("T1 c1: reed x/1.1"), std::invalid_argument);
  EXPECT_THROW(parse_tiny_history("T1 c1: read x1"), std::invalid_argument);
}

}  // namespace
}  // namespace hilsa
