// The checker against the definitions: every level that has one, in every form, on random histories
// good and bad. A mismatch prints its seed and the history, to be kept as a fixed test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "checkers/checker.h"
#include "tests/checkers/brute_force.h"
#include "tests/checkers/random_history.h"
#include "tests/checkers/tiny_history.h"
#include "tests/seeds.h"

namespace hilsa {
namespace {

constexpr std::array kForms = {Needs::data, Needs::session, Needs::realtime};

struct Definition {
  Level level;
  bool (*holds)(const History&, Needs);
};
constexpr std::array kDefinitions = {
    Definition{Level::serializable, serializable_by_definition},
    Definition{Level::snapshot_isolation, snapshot_isolated_by_definition}};

std::optional<Validity> result_of(const Verdict& verdict, const LevelForm& level) {
  const auto found = std::find_if(verdict.results.begin(), verdict.results.end(),
                                  [&](const LevelResult& result) { return result.level == level; });
  if (found == verdict.results.end()) return std::nullopt;
  return found->validity;
}

std::string description(const Verdict& verdict) {
  std::string text;
  for (const LevelResult& result : verdict.results) {
    text += name_of(result.level) + ": " + std::string(name_of(result.validity)) + "\n";
  }
  for (const Anomaly& anomaly : verdict.anomalies) {
    text += class_name(anomaly.anomaly, anomaly.needs) + "\n";
  }
  return text;
}

bool leaves_commits_open(const Verdict& verdict) {
  return verdict.coverage.in_doubt > verdict.coverage.in_doubt_seen;
}

// Strong session and strict forms hold only if the definition holds in the same form.
void expect_agreement(const History& history) {
  const Verdict verdict = check(history);
  for (const auto& [level, holds] : kDefinitions) {
    for (const Needs form : kForms) {
      const LevelForm named{level, form};
      const std::optional<Validity> result = result_of(verdict, named);
      ASSERT_TRUE(result.has_value()) << name_of(named) << " is not among the results";
      const Validity expected = holds(history, form) ? Validity::valid : Validity::invalid;
      // What a read missed may be the work of a commit that was not answered: that is left open,
      // while the definition takes it as not having happened.
      if (*result == Validity::valid && leaves_commits_open(verdict)) continue;
      ASSERT_EQ(*result, expected) << name_of(named) << " should be " << name_of(expected) << "\n"
                                   << to_tiny_text(history) << description(verdict);
    }
  }
}

void expect_agreement(std::uint64_t first_seed, std::uint64_t seeds,
                      const RandomHistoryOptions& options) {
  for (std::uint64_t seed = first_seed; seed < first_seed + tests::seeds_to_try(seeds); ++seed) {
    const History history = random_history(seed, options);
    if (!outcomes_are_clear(history)) continue;
    expect_agreement(history);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Agreement, WithTheDefinitionsOnRowsAndPredicates) { expect_agreement(0, 80'000, {}); }

TEST(Agreement, WithTheDefinitionsOnRowsAlone) {
  expect_agreement(0, 30'000, {.predicates = false});
}

TEST(Agreement, WithTheDefinitionsWhereCommitsWereNotAnswered) {
  expect_agreement(0, 30'000, {.unknown_outcomes = true});
}

// One transaction after the other, whatever became known of their commits.
TEST(Agreement, SerialHistoriesAreNeverReportedForCommitsThatWereNotAnswered) {
  for (std::uint64_t seed = 0; seed < tests::seeds_to_try(30'000); ++seed) {
    const History history = random_history(
        seed, {.strength = Strength::serial, .falsified = false, .unknown_outcomes = true});
    const Verdict verdict = check(history);
    ASSERT_EQ(result_of(verdict, {}), Validity::valid)
        << "seed " << seed << "\n"
        << to_tiny_text(history) << description(verdict);
  }
}

// One row that changes often: it matches a predicate in several runs of its versions.
TEST(Agreement, WithTheDefinitionsWhereRowsFlip) { expect_agreement(0, 30'000, {.rows_max = 1}); }

// Rows far from a read are left out, as in long histories: some anomalies are missed, but what is
// reported is one by definition, though reads may be as stale as they like.
TEST(Agreement, NothingIsInventedWhereRowsFarFromAReadAreLeftOut) {
  for (std::uint64_t seed = 0; seed < 60'000; ++seed) {
    const bool flips = seed % 2 == 0;
    const History history = random_history(seed, {.rows_max = flips ? 1 : 4});
    if (!outcomes_are_clear(history)) continue;
    const PredicateBounds bounds = {.comparisons = 0, .choices = seed % 3 == 0 ? 0 : 100};
    const Verdict verdict = check(history, {.predicates = bounds});
    for (const auto& [level, holds] : kDefinitions) {
      for (const Needs form : kForms) {
        const LevelForm named{level, form};
        if (result_of(verdict, named) != Validity::invalid) continue;
        ASSERT_FALSE(holds(history, form)) << name_of(named) << ", seed " << seed << "\n"
                                           << to_tiny_text(history) << description(verdict);
      }
    }
  }
}

// The last thing that T3 does is to read what T4 wrote and took back; the next line begins with a
// write of the version after it, which is not T3's.
TEST(Agreement, WhereAnotherTransactionWritesNext) {
  expect_agreement(
      parse_tiny_history("T1 c0 1..2: insert x/1.1 a=0\n"
                         "T3 c1 3..8: read x/1.1; read x/1.2\n"
                         "T5 c3 5..9 aborted: write x/1.3 a=1\n"
                         "T4 c2 4..10 aborted: write x/1.2 a+=1\n"));
}

// Of two that may have made one version, the one whose other write was seen.
TEST(Agreement, WhereTwoUnansweredCommitsMadeOneVersion) {
  expect_agreement(
      parse_tiny_history("T1 c1 1..2 unknown: insert x/1.1 a=0; insert x/2.1 a=1\n"
                         "T2 c1 3..4 unknown: insert x/1.1 a=2; insert x/3.1 a=1\n"
                         "T3 c1 5..6 unknown: write x/3.2 a-=1; insert x/2.1 a=2\n"
                         "T4 c1 7..8: read x/2.1@3\n"));
  expect_agreement(
      parse_tiny_history("T1 c0 1..2: insert x/1.1 a=1\n"
                         "T2 c1 3..4 unknown: write x/1.2 a=3; write x/1.3 a=2\n"
                         "T3 c2 5..6: read x/1.3@2\n"
                         "T5 c1 7..8 unknown: write x/1.2 a-=1\n"));
}

}  // namespace
}  // namespace hilsa
