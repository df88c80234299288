#include "checkers/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "checkers/printable.h"
#include "tests/checkers/small_history.h"
#include "tests/checkers/told_cases.h"
#include "tests/golden/golden.h"

namespace hilsa::tests {
namespace {

using ::testing::HasSubstr;

std::string told(const ToldCase& named) {
  const Told told = named.make();
  return explain(told.history, told.anomaly, told.anomaly.evidence.at(0));
}

class Explanation : public ::testing::TestWithParam<ToldCase> {};

TEST_P(Explanation, IsAsItWasReviewed) {
  expect_golden("explain/" + std::string(GetParam().name) + ".txt", told(GetParam()));
}

TEST_P(Explanation, FitsAndHoldsNoControlCharacters) {
  std::istringstream lines(told(GetParam()));
  std::string line;
  while (std::getline(lines, line)) {
    EXPECT_LE(width_of(line), 120U) << line;
    EXPECT_EQ(printable(line), line);
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Explanation, ::testing::ValuesIn(told_cases()),
                         [](const auto& test) {
                           std::string name(test.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Explanations, EveryGoldenFileIsUsed) {
  std::set<std::string> used;
  for (const ToldCase& named : told_cases()) used.insert(std::string(named.name) + ".txt");
  std::set<std::string> there;
  for (const auto& file : std::filesystem::directory_iterator(golden_folder() + "/explain")) {
    there.insert(file.path().filename().string());
  }
  EXPECT_EQ(used, there);
}

TEST(Explanations, EveryClassHasOne) {
  std::set<AnomalyClass> told;
  for (const ToldCase& named : told_cases()) told.insert(named.make().anomaly.anomaly);
  EXPECT_EQ(told.size(), kAnomalyClassCount);
}

TEST(Explanations, AnEdgeWithoutOperationsIsStillTold) {
  Told told = told_cases()[0].make();
  const EvidenceEdge edge{.from = 0, .to = 0, .kind = EdgeKind::ww, .object = 0};
  EXPECT_EQ(sentence_of(told.history, edge), "T5 depends on T5 on 255 (ww)");
}

TEST(Explanations, ValuesAreReplayedFromTheChanges) {
  SmallHistory h;
  const auto t = h.table("products", {"stock"});
  h.begin(1, {});
  h.insert(t, 1, {{"stock", 10}});
  h.end();
  for (int i = 0; i < 3; ++i) {
    h.begin(2 + i, {});
    h.write(t, 1, 2 + i, {{"stock", 2}}, ChangeKind::subtract);
    h.end();
  }
  const History history = h.finish();
  const EvidenceEdge edge{
      .from = 2, .to = 3, .kind = EdgeKind::ww, .object = 0, .from_op = 2, .to_op = 3};
  EXPECT_EQ(sentence_of(history, edge),
            "T3 wrote version 3 of products/1 (stock 6); T4 then wrote version 4 (stock 4)");
}

TEST(Explanations, WhatAnAbortedAttemptWroteIsNotReplayed) {
  SmallHistory h;
  const auto t = h.table("products", {"stock"});
  h.begin(1, {});
  h.insert(t, 1, {{"stock", 10}});
  h.end();
  h.begin(2, {.outcome = AttemptOutcome::aborted});
  h.write(t, 1, 2, {{"stock", 99}});
  h.end();
  h.begin(3, {});
  h.write(t, 1, 2, {{"stock", 1}}, ChangeKind::subtract);
  h.end();
  h.begin(4, {});
  h.write(t, 1, 3, {{"stock", 1}}, ChangeKind::subtract);
  h.end();
  const History history = h.finish();
  const EvidenceEdge edge{
      .from = 2, .to = 3, .kind = EdgeKind::ww, .object = 0, .from_op = 2, .to_op = 3};
  EXPECT_EQ(sentence_of(history, edge),
            "T3 wrote version 2 of products/1 (stock 9); T4 then wrote version 3 (stock 8)");
}

}  // namespace
}  // namespace hilsa::tests
