#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/harness/history/readers/story.h"

namespace hilsa {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

// One transaction that ran alone.
std::string alone(const std::string& micro_operations) {
  return R"({"index":1,"process":0,"type":"invoke","value":[["append","z",0]]}
{"index":2,"process":0,"type":"ok","value":[)" +
         micro_operations + "]}\n";
}

TEST(JsonEvents, AMapALineAndOneArrayAreTheSame) {
  const std::string invoke = R"({"index":4,"type":"invoke","process":0,"value":[["r",1,null]]})";
  const std::string ok = R"({"index":5,"type":"ok","process":0,"value":[["r",1,[1,2]]]})";
  const auto expected = ElementsAre("T4 of 1, committed, 1-2: r(1,[1 2])");
  EXPECT_THAT(story_of(invoke + "\n" + ok), expected);
  EXPECT_THAT(story_of(invoke + "\r\n\r\n" + ok + "\r\n"), expected)
      << "lines as Windows ends them";
  EXPECT_THAT(story_of("[" + invoke + ",\n" + ok + "]\n"), expected);
  EXPECT_THAT(story_of("[\n  " + invoke + ",  " + ok + "\n]"), expected);
  EXPECT_THAT(story_of(invoke + ok), expected) << "nothing in between";
}

TEST(JsonEvents, EventsMayBeSpreadOverLines) {
  EXPECT_THAT(story_of(R"([
  {
    "index": 4, "type": "invoke", "process": 0,
    "extra": {"a": [1, {}], "text": "}]\"}"},
    "value": [
      ["r", 1, null]
    ]
  }
  ,
  { "index": 5, "type": "ok", "process": 0, "extra": {},
    "value": [["r", 1, [1, 2]]] }
])"),
              ElementsAre("T4 of 1, committed, 1-2: r(1,[1 2])"));
}

TEST(JsonEvents, NamesMayHaveAColon) {
  EXPECT_THAT(story_of(R"({"type":":invoke","process":0,"value":[[":w",":x",1]]}
{"type":":fail","process":0,"value":[[":w",":x",1]]})"),
              ElementsAre("T1 of 1, aborted, 1-2: w(:x,1)"));
}

TEST(JsonEvents, KeysAndValuesMayBeAnyScalarsAndKeepTheirText) {
  EXPECT_THAT(story_of(alone(R"(["append","a\"bé",1.50],["append",null,true],["append",-7,false],
                             ["append",99999999999999999999,9223372036854775807],
                             ["append",[1, [2]],{"a":1}],["r","k",[null,"x",-1e3]])")),
              ElementsAre("T1 of 1, committed, 1-2: append(a\"bé,1.50) append(NULL,true) "
                          "append(-7,false) append(99999999999999999999,9223372036854775807) "
                          "append([1, [2]],{\"a\":1}) r(k,[NULL x -1e3])"));
}

TEST(JsonEvents, ANemesisIsSkippedAndSoIsWhatIsNoTransaction) {
  EXPECT_THAT(story_of(R"({"type":"info","process":"nemesis","value":{"cut":[1]}}
{"type":"info","process":"nemesis","value":[["r",1,null],7]}
{"type":"invoke","process":1,"value":7}
{"type":"invoke","process":0,"value":[["append",1,1]]}
{"type":"ok","process":1,"value":[1,2]}
{"type":"ok","process":0,"value":[["append",1,1]]})"),
              ElementsAre("T4 of 2, committed, 4-6: append(1,1)"));
}

TEST(JsonEvents, MalformedEventsAreErrorsWithTheirLine) {
  const std::string good = alone(R"(["append",1,1])");
  EXPECT_EQ(error_of(good + "{\"type\":\"okay\"}\n" + good),
            "h:3: the type 'okay'; expected invoke, ok, fail or info");
  EXPECT_EQ(error_of(good + "{\"type\":7}\n"),
            "h:3: a value of another type than its place has; expected what the format has there");
  EXPECT_EQ(error_of(good + "{\"type\" \"ok\"}\n"),
            "h:3: something that is no JSON; expected one JSON value");
  EXPECT_EQ(error_of(good + "{\"type\":\"ok\",\"value\":[[\"append\",1,1]]\n" + good),
            "h:3: an event that is never closed; expected its '}' in the same line");
  EXPECT_EQ(error_of(good + "{\"type\":\"ok\",\"process\":0}}\n" + good),
            "h:3: '}'; expected an event: a map");
  EXPECT_EQ(error_of(good + "]\n"), "h:3: ']'; expected an event: a map");
  EXPECT_EQ(error_of(good + "nonsense\n"), "h:3: 'nonsense'; expected an event: a map");
  EXPECT_EQ(error_of(good + "{\"x\":\"\xff\"}\n"), "h:3: bytes that are not UTF-8; expected UTF-8");
  EXPECT_EQ(error_of(alone(R"(["apend",1,1])")),
            "h:2: the function 'apend'; expected r, append or w");
  EXPECT_EQ(error_of(alone(R"(["w",1,1])")), "h:2: w; expected what list-append has");
}

TEST(JsonEvents, DeepNestingDoesNoHarm) {
  const std::string deep(100'000, '[');
  const std::string back(100'000, ']');
  EXPECT_EQ(error_of(alone("[\"append\",1," + deep + back + "]")), "") << "kept as its text";
  EXPECT_EQ(error_of("{\"type\":\"info\",\"value\":" + deep + back + "}"),
            "h: found no transaction; expected at least one");
}

TEST(JsonEvents, AFileCutAnywhereIsGoodUpToThere) {
  const std::string text =
      alone(R"(["append","k",1],["r","k",[1,22]])") + alone(R"(["append",2,2])");
  const auto whole = story_of(text);
  for (std::size_t size = 1; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const std::string error = error_of(cut);
    if (!error.empty()) {
      EXPECT_THAT(error, AnyOf(HasSubstr("no transaction"), HasSubstr("expected history.jsonl")))
          << cut;
      continue;
    }
    const History history = read_history_text("h", cut);
    ASSERT_LE(history.transactions(), whole.size());
    const bool is_between_events = text[size - 1] == '}' || text[size - 1] == '\n';
    EXPECT_EQ(history.cut_short, !is_between_events) << cut;
  }
}

TEST(JsonEvents, WhatBreaksOffIsNotedWithItsLine) {
  const History history = read_history_text("h", alone(R"(["append",1,1])") + "{\"type\":\"inv");
  EXPECT_TRUE(history.cut_short);
  EXPECT_THAT(history.notes, ElementsAre("h breaks off in line 3: what came after is not known"));
  EXPECT_TRUE(read_history_text("h", "[" + alone(R"(["append",1,1])")).cut_short)
      << "an array that is not closed";
}

// Longer than the window that a file is read through, so that events lie across its end.
TEST(JsonEvents, LongFilesAreReadWhole) {
  std::string text;
  constexpr int kEvents = 40'000;
  for (int i = 1; i <= kEvents; ++i) {
    text += std::string(R"({"type":")") + (i % 2 == 1 ? "invoke" : "ok") +
            R"(","process":0,"index":)" + std::to_string(i) + R"(,"value":[["append",)" +
            std::to_string(i) + ",1]]}\n";
  }
  const History history = read_history_text("h", text);
  ASSERT_EQ(history.transactions(), std::size_t{kEvents / 2});
  EXPECT_EQ(history.txn_id.back(), kEvents - 1);
}

}  // namespace
}  // namespace hilsa
