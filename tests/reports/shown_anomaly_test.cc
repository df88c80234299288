// Anomalies as they are shown: whose columns, in which order, who waited.
#include "reports/shown_anomaly.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "checkers/checker.h"
#include "harness/history/history_builder.h"

namespace hilsa {
namespace {

struct Moment {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
};

// A lost update: T2 and T3 read version 1 of a row; T2 writes version 2, T3, whose write is sent
// before T2 commits and waits for it, version 3. Times in µs.
class LostUpdate {
 public:
  LostUpdate() {
    const std::vector<std::string> columns = {"stock"};
    table_ = builder_.table("products", "id", columns);
    row_ = builder_.object(table_, builder_.scalars().integer(1));
    txn(1, 0, {0, 10}, [&] { put(Op::insert, 1, {1, 2}); });
    txn(2, 1, {100, 500}, [&] {
      put(Op::read, 1, {110, 120});
      put(Op::write, 2, {300, 310});
    });
    txn(3, 2, {100, 700}, [&] {
      put(Op::read, 1, {130, 140});
      put(Op::write, 3, {250, 600});
    });
  }

  History take() {
    builder_.add_final_row(table_, builder_.scalars().integer(1), 3, 3);
    builder_.note_final_state();
    return builder_.finish();
  }

 private:
  template <typename Operations>
  void txn(AttemptId id, std::int32_t client, Moment when, const Operations& operations) {
    id_ = id;
    HistoryBuilder::Txn txn;
    txn.id = id;
    txn.client = client;
    txn.begin = when.begin * 1000;
    txn.end = when.end * 1000;
    builder_.begin_txn(txn);
    operations();
    builder_.end_txn();
  }
  void put(Op op, std::int64_t version, Moment when) {
    HistoryBuilder::Stamp stamp;
    stamp.writer = op == Op::read ? 1 : id_;
    stamp.statement = builder_.statement(op == Op::read ? "SELECT stock" : "UPDATE stock");
    stamp.begin = when.begin * 1000;
    stamp.end = when.end * 1000;
    builder_.add(op, row_, version, stamp);
  }

  HistoryBuilder builder_;
  std::uint32_t table_ = 0;
  ObjectIndex row_ = 0;
  AttemptId id_ = 0;
};

ShownAnomaly the_lost_update() {
  const History history = LostUpdate().take();
  const std::vector<ShownAnomaly> shown = shown_anomalies(history, check(history));
  const auto found = std::find_if(shown.begin(), shown.end(),
                                  [](const ShownAnomaly& one) { return one.anomaly == "P4"; });
  EXPECT_NE(found, shown.end());
  return found == shown.end() ? ShownAnomaly() : *found;
}

TEST(ShownAnomaly, TransactionsAreColumnsAndTheCycleIsAmongThem) {
  const ShownAnomaly shown = the_lost_update();
  EXPECT_EQ(shown.name, "lost update");
  ASSERT_EQ(shown.timeline.lanes.size(), 2);
  EXPECT_FALSE(shown.sentences.empty());
  for (const ShownEdge& edge : shown.cycle) {
    EXPECT_LT(edge.from, 2);
    EXPECT_LT(edge.to, 2);
    EXPECT_EQ(edge.about, "products/1");
  }
}

TEST(ShownAnomaly, AStatementThatOthersOvertookIsDrawnAsAWait) {
  const ShownTimeline timeline = the_lost_update().timeline;
  int waits = 0;
  for (const ShownTimeline::Step& step : timeline.steps) {
    if (!step.waited) {
      EXPECT_EQ(step.sent, step.answered);
      continue;
    }
    ++waits;
    EXPECT_EQ(timeline.lanes.at(static_cast<std::size_t>(step.lane)).name, "T3");
    EXPECT_LT(step.sent, step.answered);
  }
  EXPECT_EQ(waits, 1);
}

TEST(ShownAnomaly, NoTwoStepsOfALaneOverlap) {
  const ShownTimeline timeline = the_lost_update().timeline;
  for (const ShownTimeline::Step& a : timeline.steps) {
    EXPECT_LE(a.sent, a.answered);
    EXPECT_LT(a.answered, timeline.places());
    for (const ShownTimeline::Step& b : timeline.steps) {
      if (&a == &b || a.lane != b.lane) continue;
      EXPECT_TRUE(a.answered < b.sent || b.answered < a.sent) << a.what << " and " << b.what;
    }
  }
}

}  // namespace
}  // namespace hilsa
