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

// Strong session and strict forms hold only if the definition holds in the same form.
void expect_agreement(const History& history) {
  const Verdict verdict = check(history);
  for (const auto& [level, holds] : kDefinitions) {
    for (const Needs form : kForms) {
      const LevelForm named{level, form};
      const std::optional<Validity> result = result_of(verdict, named);
      ASSERT_TRUE(result.has_value()) << name_of(named) << " is not among the results";
      const Validity expected = holds(history, form) ? Validity::valid : Validity::invalid;
      ASSERT_EQ(*result, expected) << name_of(named) << " should be " << name_of(expected) << "\n"
                                   << to_tiny_text(history) << description(verdict);
    }
  }
}

void expect_agreement(std::uint64_t first_seed, std::uint64_t seeds,
                      const RandomHistoryOptions& options) {
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
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

// One row that changes often: it matches a predicate in several runs of its versions.
TEST(Agreement, WithTheDefinitionsWhereRowsFlip) { expect_agreement(0, 30'000, {.rows_max = 1}); }

}  // namespace
}  // namespace hilsa
