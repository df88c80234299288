// Predicate reads in long histories, of which the bounds are lowered to a few comparisons.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "checkers/checker.h"
#include "tests/checkers/small_history.h"

namespace hilsa {
namespace {

using tests::SmallHistory;

constexpr PredicateBounds kNoComparisons = {.comparisons = 0};

bool found(const Verdict& verdict, AnomalyClass anomaly) {
  return std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(),
                     [&](const Anomaly& one) { return one.anomaly == anomaly; });
}

std::int64_t predicate_rw(const Verdict& verdict) {
  return verdict.coverage.edges[static_cast<std::size_t>(EdgeKind::predicate_rw)];
}

bool tells(const Verdict& verdict, const std::string& words) {
  return std::any_of(verdict.notes.begin(), verdict.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

// Two who each look for bookings of a room, find none, and book it.
History two_bookings() {
  SmallHistory history;
  const std::uint32_t bookings = history.table("bookings", {"room"});
  history.begin(1, {.client = 1, .begin = 1, .end = 9});
  history.at(2).ask(bookings, "room", Comparator::equal, 7);
  history.at(5).insert(bookings, 1, {{"room", 7}});
  history.end();
  history.begin(2, {.client = 2, .begin = 1, .end = 10});
  history.at(3).ask(bookings, "room", Comparator::equal, 7);
  history.at(6).insert(bookings, 2, {{"room", 7}});
  history.end();
  return history.finish();
}

// A row that was in group 1 from 3 to 23 ms, and a read of that group while `reader` lasts, which
// does not find it.
History read_beside_a_match(SmallHistory::Settings reader, int read_at) {
  SmallHistory history;
  const std::uint32_t rows = history.table("rows", {"grp"});
  const auto read = [&] {
    history.begin(9, reader);
    history.at(read_at).ask(rows, "grp", Comparator::equal, 1);
    history.end();
  };
  history.begin(1, {.client = 1, .begin = 1, .end = 5});
  history.at(3).insert(rows, 1, {{"grp", 1}});
  history.end();
  if (reader.end < 23) read();
  history.begin(2, {.client = 1, .begin = 20, .end = 23});
  history.at(21).write(rows, 1, 2, {{"grp", 2}});
  history.end();
  if (reader.end >= 23) read();
  return history.finish();
}

TEST(PredicateDependencies, PhantomsAreFoundWhereRowsFarFromAReadAreLeftOut) {
  const Verdict verdict = check(two_bookings(), {.predicates = kNoComparisons});
  EXPECT_EQ(verdict.validity, Validity::invalid);
  EXPECT_TRUE(found(verdict, AnomalyClass::g2));
}

TEST(PredicateDependencies, ANoteSaysThatRowsWereLeftOut) {
  EXPECT_FALSE(tells(check(two_bookings()), "predicate reads"));
  EXPECT_TRUE(tells(check(two_bookings(), {.predicates = kNoComparisons}),
                    "predicate reads: too many rows for all to be compared with all; rows that "
                    "changed far from a read in time were left out"));
}

TEST(PredicateDependencies, HistoriesWithoutTimesAreComparedInFull) {
  SmallHistory history;
  const std::uint32_t rows = history.table("rows", {"grp"});
  history.begin(1, {});
  history.ask(rows, "grp", Comparator::equal, 1);
  history.end();
  history.begin(2, {.client = 2});
  history.insert(rows, 1, {{"grp", 1}});
  history.end();
  History timeless = history.finish();
  timeless.txn_begin.clear();
  timeless.txn_end.clear();
  timeless.op_begin.clear();
  timeless.op_end.clear();
  const Verdict verdict = check(timeless, {.predicates = {0, 0}});
  EXPECT_EQ(predicate_rw(verdict), 1);
  EXPECT_FALSE(tells(verdict, "predicate reads"));
}

TEST(PredicateDependencies, ARowThatMatchesOnlyLongAfterAReadIsLeftOut) {
  SmallHistory history;
  const std::uint32_t rows = history.table("rows", {"grp"});
  history.begin(1, {.client = 1, .begin = 1, .end = 5});
  history.at(2).ask(rows, "grp", Comparator::equal, 1);
  history.end();
  history.begin(2, {.client = 2, .begin = 10, .end = 15});
  history.at(12).insert(rows, 1, {{"grp", 1}});
  history.end();
  const History finished = history.finish();
  EXPECT_EQ(predicate_rw(check(finished)), 1);
  EXPECT_EQ(predicate_rw(check(finished, {.predicates = kNoComparisons})), 0);
}

TEST(PredicateDependencies, AStaleReadOfARowThatStillMatchesIsCompared) {
  const History history = read_beside_a_match({.client = 2, .begin = 10, .end = 15}, 12);
  EXPECT_EQ(predicate_rw(check(history, {.predicates = kNoComparisons})), 1);
}

TEST(PredicateDependencies, ARowThatCeasesToMatchBesideAReadLeavesAChoice) {
  const History history = read_beside_a_match({.client = 2, .begin = 10, .end = 40}, 30);
  EXPECT_EQ(check(history, {.predicates = kNoComparisons}).coverage.choices, 1);
}

TEST(PredicateDependencies, ARowThatHasLongCeasedToMatchIsLeftOut) {
  const History history = read_beside_a_match({.client = 2, .begin = 30, .end = 35}, 32);
  EXPECT_EQ(check(history).coverage.choices, 1);
  EXPECT_EQ(check(history, {.predicates = kNoComparisons}).coverage.choices, 0);
}

TEST(PredicateDependencies, PastTheBoundOfChoicesWhatAllExplanationsShareIsUsed) {
  const History history = read_beside_a_match({.client = 2, .begin = 10, .end = 40}, 30);
  const Verdict verdict = check(history, {.predicates = {.choices = 0}});
  EXPECT_EQ(verdict.coverage.choices, 0);
  EXPECT_TRUE(tells(verdict, "of 1 only what all its explanations have in common was used"));
}

}  // namespace
}  // namespace hilsa
