#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/harness/history/readers/story.h"

namespace hilsa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kHeader =
    R"({"hilsa":"history","format":1,"tool":"hilsa 0.1.0","workload":"oversell","strategy":"atomic",)"
    R"("isolation":"read committed","product":"postgresql","version":"15.18","url":"postgres://db",)"
    R"("clients":2,"seed":7,"started_at":"2026-01-02T03:04:05Z","tables":[)"
    R"({"name":"products","key":"id","columns":["id","stock"]},)"
    R"({"name":"orders","key":"id","columns":["id","product"]}]})"
    "\n";
constexpr std::string_view kStatements =
    "{\"statement\":4,\"sql\":\"SELECT {products}\"}\n{\"statement\":5,\"sql\":\"UPDATE\"}\n";

std::string attempt(int id, const std::string& ops) {
  return R"({"attempt":)" + std::to_string(id) +
         R"(,"client":1,"trial":0,"task":3,"try":2,"scope":"transaction","begin":100,"end":900,)"
         R"("outcome":"committed","reply":"done","ops":[)" +
         ops + "]}\n";
}
std::string end(int attempts, int operations) {
  return R"({"end":{"attempts":)" + std::to_string(attempts) + R"(,"operations":)" +
         std::to_string(operations) + R"(,"interrupted":false}})" + "\n";
}
std::string start() { return std::string(kHeader) + std::string(kStatements); }
// A whole file with one attempt of these operations.
std::string file_of(const std::string& ops, int operations) {
  return start() + attempt(12, ops) + end(1, operations);
}

constexpr std::string_view kEveryOperation =
    R"(["r",4,200,300,0,1,3,9,{"stock":5}],)"
    R"(["w",5,200,300,0,1,4,{"stock":["-",1],"note":"a\nb"}],)"
    R"(["w",5,200,300,0,1,5,{"stock":["+",2],"list":["..","7"],"id":null}],)"
    R"(["i",5,310,320,1,12,1,{"product":1,"note":null}],)"
    R"(["d",5,330,340,1,12,2,{}],)"
    R"(["r",-1,350,360,1,-5,0,0,{}],)"
    R"(["w",5,350,360,1,-5,-1,{"product":2.50}],)"
    R"(["p",4,370,380,0,[["stock",">=",1],["stock","<>",99999999999999999999]],)"
    R"([[1,3,9,{"stock":5}],["k",1,0,{}]]])";

TEST(RecordedHistory, EveryOperationIsRead) {
  const History history = read_history_text("h", file_of(std::string(kEveryOperation), 8));
  EXPECT_THAT(story_of(history),
              ElementsAre("T12 of 1, committed, 100-900: r(products/1 v3 by 9; stock=5) "
                          "w(products/1 v4; stock-=1; note=a\nb) "
                          "w(products/1 v5; stock+=2; list..=7; id=NULL) "
                          "i(orders/12 v1; product=1; note=NULL) d(orders/12 v2) r(orders/-5 v0) "
                          "w(orders/-5 v-1; product=2.50) "
                          "p(products stock>=1 stock<>99999999999999999999) "
                          "seen(products/1 v3 by 9; stock=5) seen(products/k v1)"));
  EXPECT_EQ(history.statements, (std::vector<std::string>{"SELECT {products}", "UPDATE"}));
  EXPECT_EQ(history.op_statement[0], 0U);
  EXPECT_EQ(history.op_statement[1], 1U);
  EXPECT_EQ(history.op_statement[5], kNone);
  EXPECT_EQ(history.op_begin[0], 200);
  EXPECT_EQ(history.op_end[0], 300);
  EXPECT_FALSE(history.cut_short);
  EXPECT_FALSE(history.has_final_state);
  EXPECT_THAT(history.notes, IsEmpty());
}

TEST(RecordedHistory, TheHeaderIsKept) {
  const HistoryHeader header = read_history_text("h", start() + end(0, 0)).header;
  EXPECT_EQ(header.workload, "oversell");
  EXPECT_EQ(header.strategy, "atomic");
  EXPECT_EQ(header.isolation, "read committed");
  EXPECT_EQ(header.product, "postgresql");
  EXPECT_EQ(header.version, "15.18");
  EXPECT_EQ(header.url, "postgres://db");
  EXPECT_EQ(header.clients, 2);
  EXPECT_EQ(header.seed, 7U);
  EXPECT_EQ(header.started_at, "2026-01-02T03:04:05Z");
  ASSERT_EQ(header.tables.size(), 2U);
  EXPECT_EQ(header.tables[1].name, "orders");
  EXPECT_EQ(header.tables[1].key, "id");
  EXPECT_EQ(header.tables[1].columns, (std::vector<std::string>{"id", "product"}));
}

TEST(RecordedHistory, AttemptsKeepTheirTaskTheirReplyAndTheirScope) {
  const History history = read_history_text(
      "h",
      start() +
          R"({"attempt":1,"client":0,"trial":2,"task":3,"try":4,"scope":"statement","begin":1,)"
          R"("end":2,"outcome":"aborted","reply":"sold out","ops":[]})"
          "\n"
          R"({"attempt":2,"client":2,"trial":0,"task":0,"try":1,"scope":"transaction","begin":1,)"
          R"("end":2,"outcome":"unknown","reply":"","error":{"kind":"deadlock",)"
          R"("sqlstate":"40P01","code":0,"text":"found"},"ops":[]})"
          "\n" +
          end(2, 0));
  EXPECT_THAT(story_of(history),
              ElementsAre("T1 of 0, aborted in statements, 1-2:", "T2 of 2, unknown, 1-2:"));
  EXPECT_EQ(history.txn_task[0].trial, 2);
  EXPECT_EQ(history.txn_task[0].task, 3);
  EXPECT_EQ(history.txn_task[0].try_number, 4);
  const auto reply_of = [&](std::size_t txn) {
    return history.scalars.text_of(
        Scalar::from_bits((std::int64_t{history.txn_reply[txn]} << 2) |
                          static_cast<std::int64_t>(Scalar::Kind::text)));
  };
  EXPECT_EQ(reply_of(0), "sold out");
  EXPECT_EQ(reply_of(1), "deadlock (40P01): found");
}

std::string failed_attempt(int id, int end, const std::string& more) {
  return R"({"attempt":)" + std::to_string(id) + R"(,"client":1,"session":4711,"begin":1,"end":)" +
         std::to_string(end) + R"(,"outcome":"aborted",)" + more + R"("ops":[]})" + "\n";
}
constexpr std::string_view kDeadlock =
    R"("error":{"kind":"deadlock","sqlstate":"40P01","code":0,"text":"deadlock detected"},)";

TEST(RecordedHistory, WhereAnAttemptFailedIsKeptAndFollowsItsAttempt) {
  const std::string failed = R"("failed":{"statement":5,"begin":3,"end":8,"table":1,"key":12},)";
  const History history =
      read_history_text("h", start() + failed_attempt(3, 20, failed + std::string(kDeadlock)) +
                                 failed_attempt(2, 15, std::string(kDeadlock)) +
                                 failed_attempt(1, 10, "") + end(3, 0));
  ASSERT_EQ(history.failed.size(), 2U);
  EXPECT_EQ(history.failure_of(0), nullptr);
  ASSERT_NE(history.failure_of(1), nullptr);
  EXPECT_EQ(history.failure_of(1)->kind, ErrorKind::deadlock);
  EXPECT_FALSE(history.failure_of(1)->has_times());
  EXPECT_EQ(history.failure_of(1)->statement, kNone);
  const Failure& known = *history.failure_of(2);
  EXPECT_EQ(history.txn_id[2], 3);
  EXPECT_EQ(history.statements[known.statement], "UPDATE");
  EXPECT_EQ(history.object_name(known.object), "orders/12");
  EXPECT_EQ(known.begin, 3);
  EXPECT_EQ(known.end, 8);
  EXPECT_EQ(history.reply_of(2), "deadlock (40P01): deadlock detected");
  EXPECT_EQ(history.txn_session, (std::vector<std::int64_t>{4711, 4711, 4711}));
}

TEST(RecordedHistory, WhatFailedWithoutAnErrorIsNoFailure) {
  const History history = read_history_text(
      "h", start() + failed_attempt(1, 10, R"("failed":{"statement":5,"begin":3,"end":8},)") +
               end(1, 0));
  EXPECT_TRUE(history.failed.empty());
}

TEST(RecordedHistory, AFailedStatementThatEndsBeforeItBeginsIsAnError) {
  for (const char* const failed :
       {R"("failed":{"statement":5,"begin":8,"end":3},)", R"("failed":{"statement":9},)",
        R"("failed":{"table":7,"key":1},)", R"("failed":7,)"}) {
    EXPECT_THROW(
        read_history_text("h", start() + failed_attempt(1, 10, failed + std::string(kDeadlock))),
        HistoryUnreadable)
        << failed;
  }
}

TEST(RecordedHistory, TheFinalStateIsReadAndSoIsAnEmptyOne) {
  const History history = read_history_text(
      "h", start() + "{\"final\":0,\"rows\":[[1,4,12,{\"stock\":3}],[2,1,13,{}]]}\n" + end(0, 0));
  EXPECT_TRUE(history.has_final_state);
  ASSERT_EQ(history.final_rows.size(), 2U);
  EXPECT_EQ(history.object_name(history.final_rows[0].object), "products/1");
  EXPECT_EQ(history.final_rows[0].version, 4);
  EXPECT_EQ(history.final_rows[0].writer, 12);
  EXPECT_TRUE(
      read_history_text("h", start() + "{\"final\":0,\"rows\":[]}\n" + end(0, 0)).has_final_state);
}

TEST(RecordedHistory, AFinalStateWithoutAnEndSaysNothing) {
  const History history =
      read_history_text("h", start() + "{\"final\":0,\"rows\":[[1,4,12,{}]]}\n");
  EXPECT_TRUE(history.cut_short);
  EXPECT_FALSE(history.has_final_state);
  EXPECT_THAT(history.final_rows, IsEmpty());
}

TEST(RecordedHistory, FieldsThatNobodyKnowsAreIgnoredAndTheirOrderDoesNotMatter) {
  EXPECT_THAT(
      story_of(start() +
               R"({"new":{"a":[1,{"b":null}]},"ops":[["r",4,1,2,0,1,3,9,{}]],"outcome":"aborted",)"
               R"("end":2,"begin":1,"attempt":5,"more":"x"})"
               "\n"
               R"({"end":{"operations":1,"attempts":1,"future":true}})"),
      ElementsAre("T5 of -1, aborted, 1-2: r(products/1 v3 by 9)"));
}

TEST(RecordedHistory, AnInterruptedRunIsOne) {
  EXPECT_TRUE(read_history_text(
                  "h", start() + R"({"end":{"attempts":0,"operations":0,"interrupted":true}})")
                  .interrupted);
}

TEST(RecordedHistory, AFileCutAnywhereIsGoodUpToItsLastWholeLine) {
  const std::string text = start() + attempt(12, std::string(kEveryOperation)) +
                           attempt(13, R"(["r",4,1,2,0,1,3,9,{"stock":5}])") +
                           "{\"final\":0,\"rows\":[[1,4,12,{\"stock\":3}]]}\n" + end(2, 9);
  for (std::size_t size = kHeader.size() - 1; size < text.size() - 2; ++size) {
    const History history = read_history_text("h", text.substr(0, size));
    EXPECT_TRUE(history.cut_short) << size;
    ASSERT_EQ(history.notes.size(), 1U);
    EXPECT_THAT(history.notes[0], HasSubstr("h breaks off in line "));
    for (const std::string& line : story_of(history)) {
      EXPECT_THAT(line, testing::AnyOf(HasSubstr("T12"), HasSubstr("T13")));
    }
  }
  EXPECT_FALSE(read_history_text("h", text.substr(0, text.size() - 1)).cut_short)
      << "an end line without a newline is whole";
  for (std::size_t size = 10; size < kHeader.size() - 1; ++size) {
    EXPECT_THAT(error_of(text.substr(0, size)),
                testing::AnyOf("h:1: a header that breaks off; expected a whole line",
                               "h: found no transaction; expected at least one"))
        << size;
  }
}

TEST(RecordedHistory, AttemptsAreInTheOrderOfTheirEndsHoweverTheyWereWritten) {
  const auto ends_at = [](int id, int end, const std::string& ops) {
    return R"({"attempt":)" + std::to_string(id) + R"(,"client":)" + std::to_string(id) +
           R"(,"begin":1,"end":)" + std::to_string(end) + R"(,"outcome":"committed","ops":[)" +
           ops + "]}\n";
  };
  EXPECT_THAT(story_of(start() + ends_at(1, 30, R"(["r",4,1,2,0,1,3,9,{"stock":5,"id":1}])") +
                       ends_at(2, 20, "") +
                       ends_at(3, 10, R"(["w",4,1,2,0,2,3,{"stock":7}],["d",4,1,2,1,2,4,{}])") +
                       ends_at(4, 20, R"(["i",4,1,2,1,4,1,{}])") + end(4, 4)),
              ElementsAre("T3 of 3, committed, 1-10: w(products/2 v3; stock=7) d(orders/2 v4)",
                          "T2 of 2, committed, 1-20:", "T4 of 4, committed, 1-20: i(orders/4 v1)",
                          "T1 of 1, committed, 1-30: r(products/1 v3 by 9; stock=5; id=1)"));
}

struct BadLine {
  const char* line;
  const char* error;
};

class BadLines : public testing::TestWithParam<BadLine> {};

TEST_P(BadLines, AreErrorsThatSayWhatWasExpected) {
  const std::string text = start() + attempt(1, "") + GetParam().line + "\n" + end(2, 1);
  EXPECT_EQ(error_of(text), std::string("h:5: ") + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    RecordedHistory, BadLines,
    testing::Values(
        BadLine{"{\"attempt\":2,", "something that is no JSON; expected one JSON value"},
        BadLine{"[1]",
                "a value of another type than its place has; expected what the format has there"},
        BadLine{"{} {}",
                "a line of no known kind; expected a statement, an attempt, a final or an "
                "end"},
        BadLine{"{\"statement\":9,\"sql\":\"\"} {}",
                "something behind the line's value; expected one JSON value a line"},
        BadLine{"{\"hilsa\":\"history\",\"format\":1}",
                "a second header; expected one, in the first line"},
        BadLine{"{\"statement\":4,\"sql\":\"\"}",
                "statement 4 a second time; expected each id once"},
        BadLine{"{\"statement\":-4,\"sql\":\"\"}",
                "the statement id -4; expected one from 0 to 2147483647"},
        BadLine{"{\"final\":2,\"rows\":[]}", "table 2; expected one of the header's 2"},
        BadLine{"{\"rows\":[],\"final\":1}",
                "a final state without rows; expected final, then rows"},
        BadLine{R"({"attempt":1,"outcome":"committed","ops":[]})",
                "attempt 1 a second time; expected each id once, in all files"},
        BadLine{R"({"attempt":0,"outcome":"committed","ops":[]})",
                "the attempt id 0; expected one from 1 to 9223372036854775807"},
        BadLine{R"({"attempt":"x","outcome":"committed","ops":[]})",
                "the attempt id that is no whole number; expected one from 1 to "
                "9223372036854775807"},
        BadLine{R"({"attempt":2,"ops":[]})",
                "an attempt without an outcome; expected attempt, outcome and ops"},
        BadLine{R"({"attempt":2,"outcome":"committed"})",
                "an attempt without operations; expected attempt, outcome and ops"},
        BadLine{R"({"attempt":2,"outcome":"maybe","ops":[]})",
                "the outcome 'maybe'; expected committed, aborted or unknown"},
        BadLine{R"({"attempt":2,"outcome":"aborted","scope":"row","ops":[]})",
                "the scope 'row'; expected transaction or statement"},
        BadLine{R"({"attempt":2,"outcome":"aborted","begin":5,"end":4,"ops":[]})",
                "an attempt that ends before it begins; expected begin and end, in this order"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["x",4,1,2,0,1,1,{}]]})",
                "the operation 'x'; expected r, w, i, d or p"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["r",6,1,2,0,1,1,0,{}]]})",
                "statement 6; expected one whose line came before"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["r",4,1,2,7,1,1,0,{}]]})",
                "table 7; expected one of the header's 2"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["r",4,3,2,0,1,1,0,{}]]})",
                "the end 2; expected one from 3 to 9223372036854775807"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["r",4,1,2,0,1,2147483647,0,{}]]})",
                "the version 2147483647; expected one from -1 to 2147483646"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["w",4,1,2,0,1,0,{}]]})",
                "the version 0; expected -1 or above 0"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["i",4,1,2,0,1,0,{}]]})",
                "the version 0; expected one from 1 to 2147483646"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["r",4,1,2,0,1,1]]})",
                "an operation with too few places; expected all of them"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["w",4,1,2,0,1,1,{},7]]})",
                "an operation with too many places; expected fewer"},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["w",4,1,2,0,1,1,{"stock":["*",2]}]]})",
                "the change '*'; expected +, - or .."},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["p",4,1,2,0,[["stock","~",2]],[]]]})",
                "the comparison '~'; expected =, <>, <, <=, > or >="},
        BadLine{R"({"attempt":2,"outcome":"aborted","ops":[["p",4,1,2,0,[],[[1,1]]]]})",
                "a row with too few places; expected all of them"},
        BadLine{R"({"end":{"attempts":7,"operations":0}})",
                "1 attempts with 0 operations; expected 7 with 0, as the end line counts them"}));

TEST(RecordedHistory, AFormatThatIsNotKnownIsAnErrorThatSaysSo) {
  EXPECT_EQ(error_of("{\"hilsa\":\"history\",\"format\":2}\n"),
            "h:1: format 2; expected format 1, the only one known here");
  EXPECT_EQ(error_of("{\"hilsa\":\"report\",\"format\":1}\n"),
            "h:1: a file of kind 'report'; expected 'history'");
}

TEST(RecordedHistory, NothingFollowsTheEndLine) {
  EXPECT_EQ(error_of(start() + end(0, 0) + end(0, 0)),
            "h:5: a line behind the end line; expected nothing");
}

TEST(RecordedHistory, TooManyColumnsAreAnError) {
  std::string cells;
  for (int i = 0; i < 1001; ++i) {
    cells += (i > 0 ? ",\"c" : "\"c") + std::to_string(i) + "\":1";
  }
  EXPECT_EQ(error_of(file_of(R"(["i",4,1,2,0,1,1,{)" + cells + "}]", 1)),
            "h:4: more than 1000 columns in one table; expected fewer");
}

TEST(RecordedHistory, ItsFormIsNoQuestion) {
  EXPECT_EQ(error_of(start(), {.form = Form::lists}),
            "h:1: a history of hilsa's own; expected list-append, as was asked for");
}

}  // namespace
}  // namespace hilsa
