#include "harness/history/readers/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "harness/history/history_builder.h"
#include "tests/harness/history/readers/story.h"

namespace hilsa {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::string exported(const History& history) {
  std::ostringstream out;
  export_edn(history, out);
  return out.str();
}

std::string reason_against(const History& history) {
  try {
    exported(history);
    return {};
  } catch (const NotExportable& error) {
    return error.what();
  }
}

// Where an unknown outcome was noted is not kept, so places in the file may move up.
std::vector<std::string> without_places(std::vector<std::string> story) {
  for (std::string& line : story) {
    const std::size_t colon = line.find(':');
    const std::size_t times = line.rfind(',', colon);
    line = line.substr(0, times).substr(line.find(" of")) + line.substr(colon);
  }
  return story;
}

void expect_round_trip(std::string_view text) {
  const History history = read_history_text("h", text);
  EXPECT_THAT(without_places(story_of(exported(history))),
              ElementsAreArray(without_places(story_of(history))))
      << exported(history);
}

TEST(ExportEdn, ListsComeBackAsTheyWere) {
  expect_round_trip(R"(
{:type :invoke, :process 3, :value [[:append :x 1] [:r "a b" nil]]}
{:type :invoke, :process 4, :value [[:append :x 2] [:r :x nil]]}
{:type :info, :process 3, :value [[:append :x 1] [:r "a b" nil]]}
{:type :invoke, :process 3, :value [[:append :x 4]]}
{:type :ok, :process 4, :value [[:append :x 2] [:r :x [1 2]]]}
{:type :invoke, :process 4, :value [[:r :x nil]]}
{:type :fail, :process 3, :value [[:append :x 4]]}
{:type :ok, :process 4, :value [[:r :x [2 1 \a 1.5 "q\"" 99999999999999999999]]]}
{:type :invoke, :process 4, :value [[:append :x 9]]}
)");
}

TEST(ExportEdn, RegistersComeBackAsTheyWere) {
  expect_round_trip(R"(
{:index 1, :type :invoke, :process 0, :value [[:w 1 1] [:r 2 nil]]}
{:index 2, :type :ok, :process 0, :value [[:w 1 1] [:r 2 nil]]}
{:index 3, :type :invoke, :process 0, :value [[:r 1 nil]]}
{:index 4, :type :ok, :process 0, :value [[:r 1 1]]}
)");
}

TEST(ExportEdn, TextsThatAreNoEdnBecomeStrings) {
  const History history = read_history_text("h", R"(
{"type":"invoke","process":0,"value":[["append","a b",1]]}
{"type":"ok","process":0,"value":[["append","a b",1],["r",";x",["1","nil","#t","[1","x/y"]]]}
)");
  EXPECT_EQ(
      exported(history),
      R"({:index 0, :type :invoke, :process 1, :f :txn, :value [[:append "a b" 1] [:r ";x" nil]], :time 1, :attempt 1}
{:index 1, :type :ok, :process 1, :f :txn, :value [[:append "a b" 1] [:r ";x" ["1" "nil" "#t" "[1" x/y]]], :time 2, :attempt 1}
)");
}

TEST(ExportEdn, WithoutTimesEachRunsAloneAndTheFileSaysSo) {
  const History history = read_history_text("h", "w(1,1,1,1)\nr(1,1,2,1)\n");
  const std::string text = exported(history);
  EXPECT_TRUE(text.starts_with("; when these ran is not known"));
  EXPECT_THAT(story_of(text),
              ElementsAre("T1 of 1, committed, 1-2: w(1,1)", "T3 of 2, committed, 3-4: r(1,1)"));
}

// A recording of one of Elle's workloads, of one table with one column.
class Recording {
 public:
  explicit Recording(const std::string& workload) {
    builder_.header().workload = workload;
    const std::vector<std::string> columns = {"id", "value"};
    builder_.table("lists", "id", columns);
  }

  void txn(AttemptId id, std::int32_t client, AttemptOutcome outcome, Nanoseconds begin,
           Nanoseconds end) {
    builder_.begin_txn(
        {.id = id, .client = client, .flags = {outcome, true}, .begin = begin, .end = end});
  }
  void op(Op op, std::int64_t key, Version version) {
    builder_.add(op, builder_.object(0, builder_.scalars().integer(key)), version, {});
  }
  void op(Op op_kind, std::int64_t key, Version version, ChangeKind change, Scalar value) {
    builder_.add_cell(1, change, value);
    op(op_kind, key, version);
  }
  Scalar text(std::string_view text) { return builder_.scalars().text(text); }
  Scalar number(std::int64_t number) { return builder_.scalars().integer(number); }
  HistoryBuilder& builder() { return builder_; }
  History finish() { return builder_.finish(); }

 private:
  HistoryBuilder builder_;
};

TEST(ExportEdn, ARecordingOfAppendBecomesListAppend) {
  Recording recording("append");
  recording.txn(1, 0, AttemptOutcome::committed, 1, 5);
  recording.op(Op::insert, 7, 1, ChangeKind::set, recording.text(""));
  recording.builder().end_txn();
  recording.txn(2, 1, AttemptOutcome::committed, 10, 30);
  recording.op(Op::read, 7, 1, ChangeKind::set, recording.text(""));
  recording.op(Op::read, 7, 1);  // what an update sees of the row's version
  recording.op(Op::write, 7, 2, ChangeKind::append, recording.text("1"));
  recording.op(Op::read, 8, kUnborn);
  recording.builder().end_txn();
  recording.txn(3, 2, AttemptOutcome::unknown, 20, 40);
  recording.op(Op::write, 7, 3, ChangeKind::append, recording.number(2));
  recording.builder().end_txn();
  recording.txn(4, 2, AttemptOutcome::committed, 41, 50);
  recording.op(Op::read, 7, 3, ChangeKind::set, recording.text("1,2,x"));
  recording.builder().end_txn();
  EXPECT_THAT(story_of(exported(recording.finish())),
              ElementsAre("T1 of 1, committed, 1-3: r(7,[]) append(7,1) r(8,[])",
                          "T5 of 3, committed, 5-6: r(7,[1 2 \"x\"])",
                          "T2 of 2, unknown, 2-: append(7,2)"));
}

TEST(ExportEdn, ARecordingOfRegisterBecomesRwRegister) {
  Recording recording("register");
  recording.txn(1, 1, AttemptOutcome::committed, 10, 30);
  recording.op(Op::insert, 7, 1, ChangeKind::set, Scalar());
  recording.op(Op::write, 7, 2, ChangeKind::set, recording.number(5));
  recording.op(Op::read, 7, 2, ChangeKind::set, recording.number(5));
  recording.builder().end_txn();
  recording.txn(2, 1, AttemptOutcome::aborted, 30, 40);
  recording.op(Op::write, 7, 3, ChangeKind::set, recording.number(6));
  recording.builder().end_txn();
  EXPECT_THAT(
      story_of(exported(recording.finish())),
      ElementsAre("T1 of 1, committed, 1-2: w(7,5) r(7,5)", "T3 of 1, aborted, 3-4: w(7,6)"));
}

TEST(ExportEdn, OtherRecordingsHaveNoSuchFormAndTheErrorSaysWhy) {
  EXPECT_EQ(reason_against(Recording("oversell").finish()),
            "a history of the workload 'oversell' has no form that Elle knows; those of append and "
            "register have one");
  Recording wide("append");
  wide.builder().column(0, "more");
  EXPECT_EQ(reason_against(wide.finish()),
            "the table 'lists' has 2 columns besides its key; a list or a register is one");
  Recording deleting("register");
  deleting.txn(3, 1, AttemptOutcome::committed, 1, 2);
  deleting.op(Op::erase, 1, 2);
  deleting.builder().end_txn();
  EXPECT_EQ(reason_against(deleting.finish()), "T3 deletes a row");
  Recording setting("append");
  setting.txn(3, 1, AttemptOutcome::committed, 1, 2);
  setting.op(Op::write, 1, 2, ChangeKind::set, setting.text("1"));
  setting.builder().end_txn();
  EXPECT_EQ(reason_against(setting.finish()), "T3 has a write that is no append");
  Recording loose("append");
  loose.builder().begin_txn({.id = 3, .client = 1, .flags = {AttemptOutcome::committed, false}});
  loose.builder().end_txn();
  EXPECT_EQ(reason_against(loose.finish()), "T3 is not one database transaction");
  Recording nobody("append");
  nobody.txn(3, -1, AttemptOutcome::committed, 1, 2);
  nobody.builder().end_txn();
  EXPECT_EQ(reason_against(nobody.finish()), "the history does not say which client ran T3");
}

}  // namespace
}  // namespace hilsa
