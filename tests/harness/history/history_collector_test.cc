#include "harness/history/history_collector.h"

#include <gtest/gtest.h>

#include "harness/history/history_writer.h"
#include "tests/harness/history/temporary_file.h"

namespace hilsa {
namespace {

HistoryHeader a_header() {
  return {.workload = "oversell",
          .tables = {{"products", "id", {"id", "stock"}}, {"orders", "id", {"id"}}}};
}

Attempt an_attempt(AttemptId id) {
  Attempt attempt{.id = id, .client = 1, .outcome = AttemptOutcome::committed};
  attempt.begin_ns = id * 10;
  attempt.end_ns = id * 10 + 5;
  attempt.operations.push_back({.kind = OperationKind::insert,
                                .table = 1,
                                .key = id,
                                .version = 1,
                                .values = {{"id", Value(id)}}});
  return attempt;
}

TEST(HistoryCollector, KeepsAttemptsAndTheFinalState) {
  HistoryCollector collector(a_header(), 10);
  collector.write(an_attempt(3));
  collector.write(an_attempt(4));
  const std::vector<SeenRow> rows = {{.key = 4, .version = 1, .writer = 4}};
  collector.write_final(1, rows);
  collector.write_end(false);
  const History history = collector.take();
  EXPECT_EQ(history.header.workload, "oversell");
  EXPECT_EQ(history.transactions(), 2U);
  EXPECT_EQ(history.object_name(history.op_object[1]), "orders/4");
  ASSERT_EQ(history.final_rows.size(), 1U);
  EXPECT_EQ(history.final_rows[0].object, history.op_object[1]);
  EXPECT_TRUE(history.has_final_state);
  EXPECT_FALSE(history.cut_short);
}

TEST(HistoryCollector, AnEmptyFinalStateIsOne) {
  HistoryCollector collector(a_header(), 10);
  collector.write(an_attempt(3));
  collector.write_end(true);
  const History history = collector.take();
  EXPECT_TRUE(history.has_final_state);
  EXPECT_TRUE(history.interrupted);
}

TEST(HistoryCollector, HalfAFinalStateIsNone) {
  HistoryCollector collector(a_header(), 10);
  collector.write(an_attempt(3));
  const std::vector<SeenRow> rows = {{.key = 3, .version = 1, .writer = 3}};
  collector.write_final(1, rows);
  const History history = collector.take();
  EXPECT_FALSE(history.has_final_state);
  EXPECT_TRUE(history.final_rows.empty());
  EXPECT_TRUE(history.cut_short);
}

TEST(HistoryCollector, NothingIsKeptOfTooMany) {
  HistoryCollector collector(a_header(), 2);
  for (AttemptId id = 1; id <= 2; ++id) collector.write(an_attempt(id));
  EXPECT_FALSE(collector.is_overfull());
  collector.write(an_attempt(3));
  EXPECT_TRUE(collector.is_overfull());
  EXPECT_EQ(collector.attempts(), 3);
  EXPECT_EQ(collector.take().transactions(), 0U);
}

TEST(SplitSink, HandsEverythingOnToAll) {
  const TemporaryFile file;
  SplitSink split;
  auto writer = std::make_unique<HistoryWriter>(file.path(), a_header(), 0);
  auto collector = std::make_unique<HistoryCollector>(a_header(), 10);
  const HistoryWriter& written = *writer;
  const HistoryCollector& collected = *collector;
  split.add(std::move(writer));
  split.add(std::move(collector));
  split.write(an_attempt(1));
  split.write_end(false);
  EXPECT_EQ(written.counts().attempts, 1);
  EXPECT_EQ(collected.attempts(), 1);
  EXPECT_FALSE(split.failed());
}

TEST(SplitSink, FailsWithOneOfThem) {
  SplitSink split;
  split.add(std::make_unique<HistoryCollector>(a_header(), 10));
  split.add(std::make_unique<HistoryWriter>("/dev/full", a_header(), 0));
  split.write(an_attempt(1));
  split.flush();
  EXPECT_TRUE(split.failed());
}

}  // namespace
}  // namespace hilsa
