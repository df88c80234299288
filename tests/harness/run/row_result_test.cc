// What a row's figures, and its history where that decides, make of it.
#include <gtest/gtest.h>

#include "harness/run/experiment.h"

namespace hilsa {
namespace {

RowResult a_result() {
  RowResult result;
  result.trials = 3;
  result.overlap = 2;
  result.promised = Promise::safe;
  result.history_decides = true;
  result.tally.committed = 5;
  result.tally.add(TaskEnd::done);
  return result;
}

TEST(RowResult, AHistoryThatNobodyCheckedDecidesNothing) {
  const RowResult result = a_result();
  EXPECT_EQ(result.measured(), Measured::unknown);
  EXPECT_EQ(result.why_unknown(), "the history decides, and it was not checked");
}

TEST(RowResult, TheHistoryDecides) {
  RowResult result = a_result();
  result.history_says = Measured::safe;
  EXPECT_EQ(result.measured(), Measured::safe);
  result.history_says = Measured::unsafe;
  EXPECT_EQ(result.measured(), Measured::unsafe);
  EXPECT_EQ(result.why_unknown(), "");
  result.history_says = Measured::unknown;
  result.why_history_unknown = "nothing met";
  EXPECT_EQ(result.measured(), Measured::unknown);
  EXPECT_EQ(result.why_unknown(), "nothing met");
}

TEST(RowResult, WhatWasNeverPutToTheTestIsNotSafe) {
  RowResult result = a_result();
  result.history_says = Measured::safe;
  result.overlap = 1;
  EXPECT_EQ(result.measured(), Measured::unknown);
}

TEST(RowResult, WithInvariantsTheHistoryDecidesNothing) {
  RowResult result = a_result();
  result.history_decides = false;
  result.history_says = Measured::unsafe;
  EXPECT_EQ(result.measured(), Measured::safe);
}

}  // namespace
}  // namespace hilsa
