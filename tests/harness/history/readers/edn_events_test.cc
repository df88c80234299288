#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/harness/history/readers/story.h"

namespace hilsa {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One transaction that ran alone.
std::string alone(const std::string& micro_operations) {
  return "{:type :invoke, :process 0, :index 1, :value []}\n"
         "{:type :ok, :process 0, :index 2, :value [" +
         micro_operations + "]}\n";
}

TEST(EdnEvents, InvocationAndCompletionAreOneTransaction) {
  EXPECT_THAT(story_of(R"(
{:index 10, :type :invoke, :f :txn, :process 2, :value [[:append 9 1] [:r 8 nil]]}
{:index 11, :type :invoke, :f :txn, :process 0, :value [[:r 9 nil]]}
{:index 12, :type :ok, :f :txn, :process 0, :value [[:r 9 [1]]]}
{:index 13, :type :ok, :f :txn, :process 2, :value [[:append 9 1] [:r 8 []]]}
)"),
              ElementsAre("T11 of 2, committed, 2-3: r(9,[1])",
                          "T10 of 1, committed, 1-4: append(9,1) r(8,[])"));
}

TEST(EdnEvents, RegistersAreRecognisedByTheirWrites) {
  const History history = read_history_text("h", alone("[:w :x 2] [:r :y nil] [:r :z 7]"));
  EXPECT_EQ(history.form, Form::registers);
  EXPECT_THAT(story_of(history),
              ElementsAre("T1 of 1, committed, 1-2: w(:x,2) r(:y,NULL) r(:z,7)"));
}

TEST(EdnEvents, ReadsAloneAreRecognisedByWhatTheyRead) {
  EXPECT_EQ(read_history_text("h", alone("[:r 1 [2]]")).form, Form::lists);
  EXPECT_EQ(read_history_text("h", alone("[:r 1 2]")).form, Form::registers);
}

TEST(EdnEvents, ReadsOfNothingNeedTheFormGiven) {
  const std::string text = alone("[:r 1 nil]") + alone("[:r 2 nil]");
  EXPECT_EQ(error_of(text),
            "h: found nothing but reads of nothing; expected an append or a w, or --workload "
            "list-append or rw-register");
  EXPECT_THAT(story_of(text, {.form = Form::lists}),
              ElementsAre("T1 of 1, committed, 1-2: r(1,[])", "T3 of 1, committed, 3-4: r(2,[])"));
  EXPECT_THAT(
      story_of(text, {.form = Form::registers}),
      ElementsAre("T1 of 1, committed, 1-2: r(1,NULL)", "T3 of 1, committed, 3-4: r(2,NULL)"));
}

TEST(EdnEvents, ReadsOfNothingBeforeTheFormIsKnownCountToo) {
  EXPECT_THAT(story_of(alone("[:r 1 nil]") + alone("[:r 1 [2]]")),
              ElementsAre("T1 of 1, committed, 1-2: r(1,[])", "T3 of 1, committed, 3-4: r(1,[2])"));
}

TEST(EdnEvents, AFailedTransactionIsAbortedAndItsReadsAreNotKnown) {
  EXPECT_THAT(story_of(R"(
{:type :invoke, :process 0, :value [[:append 1 1] [:r 1 nil]]}
{:type :fail, :process 0, :value nil, :error [:conflict "x"]}
)"),
              ElementsAre("T1 of 1, aborted, 1-2: append(1,1)"));
}

TEST(EdnEvents, AnUnknownOutcomeNeverEndsAndItsProcessIsANewClientThen) {
  EXPECT_THAT(
      story_of(R"(
{:type :invoke, :process 0, :value [[:append 1 1] [:r 1 nil]]}
{:type :info, :process 0, :value [[:append 1 1] [:r 1 [1]]], :error :timeout}
{:type :invoke, :process 0, :value [[:append 1 2]]}
{:type :ok, :process 0, :value [[:append 1 2]]}
)"),
      ElementsAre("T3 of 2, committed, 3-4: append(1,2)", "T1 of 1, unknown, 1-: append(1,1)"));
}

TEST(EdnEvents, AnInvocationWithoutCompletionHasAnUnknownOutcome) {
  EXPECT_THAT(story_of(R"(
{:type :invoke, :process 7, :value [[:append 1 1]]}
{:type :invoke, :process 3, :value [[:append 1 2]]}
{:type :invoke, :process 5, :value [[:append 1 3]]}
)"),
              ElementsAre("T1 of 1, unknown, 1-: append(1,1)", "T2 of 2, unknown, 2-: append(1,2)",
                          "T3 of 3, unknown, 3-: append(1,3)"));
}

TEST(EdnEvents, WithoutProcessesEventsBelongTogetherByWhatTheyDo) {
  EXPECT_THAT(story_of(R"(
{:type :invoke, :value [[:append 1 1] [:r 2 nil]]}
{:type :invoke, :value [[:append 1 2] [:r 2 nil]]}
{:type :invoke, :value [[:r 1 nil]]}
{:type :ok, :value [[:append 1 2] [:r 2 []]]}
{:type :invoke, :value [[:r 1 nil]]}
{:type :ok, :value [[:r 1 [2]]]}
{:type :ok, :value [[:append 1 1] [:r 2 []]]}
{:type :ok, :value [[:r 1 [2 1]]]}
)"),
              ElementsAre("T2 of 2, committed, 2-4: append(1,2) r(2,[])",
                          "T3 of 3, committed, 3-6: r(1,[2])",
                          "T1 of 1, committed, 1-7: append(1,1) r(2,[])",
                          "T5 of 4, committed, 5-8: r(1,[2 1])"));
}

TEST(EdnEvents, ANemesisIsSkippedAndSoIsWhatIsNoTransaction) {
  const History history = read_history_text("h", R"(
{:type :info, :process :nemesis, :f :start, :value {:cut [1 2]}}
{:type :invoke, :process 1, :f :final-read, :value nil}
{:type :ok, :process 1, :f :final-read, :value #{1 2}}
{:type :invoke, :process 0, :value [[:append 1 1]]}
{:type :info, :process "nemesis", :f :stop, :value [:majority [1]]}
{:type :ok, :process 0, :value [[:append 1 1]]}
)");
  EXPECT_THAT(story_of(history), ElementsAre("T4 of 2, committed, 4-6: append(1,1)"));
  EXPECT_THAT(history.notes,
              ElementsAre("1 operation that is no transaction was left out",
                          "transactions are called by the place of their invocation among the "
                          "events, from 1"));
}

TEST(EdnEvents, AMisspelledFunctionIsAnErrorAndNotSkipped) {
  EXPECT_EQ(error_of(alone("[:apend 1 1]")), "h:2: the function 'apend'; expected r, append or w");
}

TEST(EdnEvents, KeysAndValuesMayBeAnyScalarsAndKeepTheirText) {
  EXPECT_THAT(
      story_of(alone(R"([:append "a b" :x/y] [:append :k nil] [:append nil true] [:append sym 1.50]
                        [:append 3/4 \newline] [:append -7 +8] [:append 1N 99999999999999999999]
                        [:append [1 [2]] #inst "2026"] [:r :k [nil "é" -1 007 \}]])")),
      ElementsAre("T1 of 1, committed, 1-2: append(\"a b\",:x/y) append(:k,NULL) append(NULL,true) "
                  "append(sym,1.50) append(3/4,\\newline) append(-7,8) "
                  "append(1,99999999999999999999) append([1 [2]],\"2026\") "
                  "r(:k,[NULL \"é\" -1 007 \\}])"));
}

TEST(EdnEvents, EdnIsReadInAllItsForms) {
  const std::string plain =
      "{:type :invoke :process 0 :index 3 :value [[:append 1 1]]}"
      "{:type :ok :process 0 :index 4 :value [[:append 1 1]]}";
  const auto expected = ElementsAre("T3 of 1, committed, 1-2: append(1,1)");
  EXPECT_THAT(story_of(plain), expected) << "no newline between events";
  EXPECT_THAT(story_of("[" + plain + "]"), expected) << "in a vector";
  EXPECT_THAT(story_of("(" + plain + "\n)"), expected) << "in a list";
  EXPECT_THAT(story_of("; about this\n#_{:type :oops} " + plain + " ; end"), expected)
      << "comments, a discarded form";
  EXPECT_THAT(story_of("\xef\xbb\xbf" + plain), expected) << "a byte order mark";
  EXPECT_THAT(story_of(R"(
#jepsen.history.Op{:index 3, :time 17, :type :invoke,
                   :process 0, :f :txn, #_#_:value 1 :value ((:append 1 1)),
                   :extra {:a #{1 "}" \}}, :b [#inst "2026-01-02" #_x 1.5]}}
#jepsen.history.Op {"type" "ok" "process" 0 "index" 4 "value" [["append" 1, 1,],]}
)"),
              expected)
      << "records, sets, tags, discards, strings for keywords";
}

TEST(EdnEvents, IndicesThatCannotBeNamesAreReplacedByPlaces) {
  constexpr std::string_view kWithZero = R"(
{:index 0, :type :invoke, :process 0, :value [[:append 1 1]]}
{:index 1, :type :ok, :process 0, :value [[:append 1 1]]}
)";
  EXPECT_THAT(story_of(kWithZero), ElementsAre("T1 of 1, committed, 1-2: append(1,1)"));
  EXPECT_THAT(
      story_of(alone("[:append 1 1]") + alone("[:append 1 2]")),
      ElementsAre("T1 of 1, committed, 1-2: append(1,1)", "T3 of 1, committed, 3-4: append(1,2)"))
      << "an index twice";
}

TEST(EdnEvents, AnOkThatDiffersFromItsInvocationCounts) {
  EXPECT_THAT(story_of(R"(
{:type :invoke, :process 0, :value [[:append 1 1]]}
{:type :ok, :process 0, :value [[:append 2 5] [:r 1 [4]]]}
)"),
              ElementsAre("T1 of 1, committed, 1-2: append(2,5) r(1,[4])"));
}

TEST(EdnEvents, CompletionsAloneHaveNoBeginning) {
  const History history = read_history_text("h", R"(
{:index 5, :type :ok, :process 0, :value [[:append 1 1]]}
{:index 6, :type :ok, :process 0, :value [[:append 1 2]]}
)");
  EXPECT_THAT(story_of(history), ElementsAre("T5 of 1, committed, 0-1: append(1,1)",
                                             "T6 of 1, committed, 0-2: append(1,2)"));
  EXPECT_THAT(history.notes,
              ElementsAre("2 completions have no invocation: when they began is not known"));
}

TEST(EdnEvents, CompletionsAloneThatNeverEndHaveTheirOwnNamesToo) {
  EXPECT_THAT(
      story_of(R"(
{:type :info, :process 0, :value [[:append 1 1]]}
{:type :info, :value [[:append 1 2]]}
{:type :fail, :process 0, :value [[:append 1 3]]}
{:type :invoke, :process 1, :value [[:append 1 4]]}
)"),
      ElementsAre("T3 of 3, aborted, 0-3: append(1,3)", "T1 of 1, unknown, 0-: append(1,1)",
                  "T2 of 2, unknown, 0-: append(1,2)", "T4 of 4, unknown, 4-: append(1,4)"));
}

TEST(EdnEvents, ListsThatDisagreeAreKeptForTheChecker) {
  EXPECT_THAT(story_of(alone("[:r 1 [1 2]] [:r 1 [2 1]] [:r 1 [1 1]] [:append 1 1] [:append 1 1]")),
              ElementsAre("T1 of 1, committed, 1-2: r(1,[1 2]) r(1,[2 1]) r(1,[1 1]) "
                          "append(1,1) append(1,1)"));
}

TEST(EdnEvents, MixedFormsAreAnError) {
  EXPECT_EQ(error_of(alone("[:append 1 1] [:w 1 2]")), "h:2: w; expected what list-append has");
  EXPECT_EQ(error_of(alone("[:w 1 1] [:append 1 2]")),
            "h:2: append; expected what rw-register has");
  EXPECT_EQ(error_of(alone("[:w 1 1] [:r 1 [2]]")),
            "h:2: a read of a list; expected what rw-register has");
  EXPECT_EQ(error_of(alone("[:append 1 1] [:r 1 2]")),
            "h:2: a read of something that is no list; expected what list-append has");
  EXPECT_EQ(error_of(alone("[:append 1 1]"), {.form = Form::registers}),
            "h:2: append; expected what rw-register has");
}

TEST(EdnEvents, MalformedEventsAreErrorsWithTheirLine) {
  const std::string good = alone("[:append 1 1]");
  EXPECT_EQ(error_of(good + "{:type :okay, :process 0}\n" + good),
            "h:3: the type ':okay'; expected :invoke, :ok, :fail or :info");
  EXPECT_EQ(error_of(good + "{:process 0, :value []}\n"),
            "h:3: an event without a type; expected :type :invoke, :ok, :fail or :info");
  EXPECT_EQ(error_of(good + "{:type :ok, :value [[:append 1 1})}\n" + good),
            "h:3: '}'; expected ']'");
  EXPECT_EQ(error_of(good + "{:type :ok, :value [[:append 1 1]]\n" + good),
            "h:4: '{'; expected a keyword as the key in an event, or '}'");
  EXPECT_EQ(error_of(good + "{:type :ok, :value [[:append 1 1]\n" + good),
            "h:3: an event that is never closed; expected its '}' in the same line");
  EXPECT_EQ(error_of(good + "]\n"), "h:3: ']'; expected an event: a map");
  EXPECT_EQ(error_of(good + "nonsense\n"), "h:3: 'nonsense'; expected an event: a map");
  EXPECT_EQ(error_of(good + "# {}\n"), "h:3: a lone '#'; expected a tag, a set or #_");
  EXPECT_EQ(error_of("{:type :invoke, :process 1, :value []}\n"
                     "{:type :invoke, :process 1, :value []}\n"),
            "h:2: a second invocation by process 1; expected the completion of its first one, "
            "event 1");
  EXPECT_EQ(error_of("{:type :invoke, :process 1, :value []}\n"
                     "{:type :ok, :process 1, :value nil}\n"),
            "h:2: an ok without a transaction; expected the micro-operations of event 1");
  EXPECT_EQ(error_of("{:type :info, :process :nemesis}\n"),
            "h: found no transaction; expected at least one");
}

TEST(EdnEvents, DeepNestingIsAnErrorAndNoCrash) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(error_of("{:type :info, :process 1, :extra " + deep + "\n"),
            "h:1: brackets more than 512 deep; expected fewer");
}

TEST(EdnEvents, AFileCutAnywhereIsGoodUpToThere) {
  const std::string text = alone("[:append \"k\" 1] [:r \"k\" [1 22]]") + alone("[:append :k 2]");
  const auto whole = story_of(text);
  for (std::size_t size = 1; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const std::string error = error_of(cut);
    if (!error.empty()) {
      EXPECT_THAT(error, AnyOf(HasSubstr("no transaction"), HasSubstr("nothing but reads"))) << cut;
      continue;
    }
    const History history = read_history_text("h", cut);
    const auto story = story_of(history);
    ASSERT_LE(story.size(), whole.size());
    for (std::size_t i = 0; i < story.size(); ++i) {
      if (story[i].find("unknown") != std::string::npos) continue;
      // Indices repeat only in the whole text.
      EXPECT_EQ(story[i].substr(story[i].find(" of")), whole[i].substr(whole[i].find(" of")));
    }
    const bool is_between_events = text[size - 1] == '}' || text[size - 1] == '\n';
    EXPECT_EQ(history.cut_short, !is_between_events) << cut;
  }
}

TEST(EdnEvents, WhatBreaksOffIsNotedWithItsLine) {
  const History history = read_history_text("h", alone("[:append 1 1]") + "{:type :inv");
  EXPECT_TRUE(history.cut_short);
  EXPECT_THAT(history.notes, ElementsAre("h breaks off in line 3: what came after is not known"));
  const History in_vector = read_history_text("h", "[" + alone("[:append 1 1]"));
  EXPECT_TRUE(in_vector.cut_short) << "a vector that is not closed";
}

// Longer than the window that a file is read through, so that events lie across its end.
TEST(EdnEvents, LongFilesAreReadWhole) {
  std::string text;
  constexpr int kEvents = 40'000;
  for (int i = 1; i <= kEvents; ++i) {
    text += "{:type " + std::string(i % 2 == 1 ? ":invoke" : ":ok") + ", :process 0, :index " +
            std::to_string(i) + ", :value [[:append " + std::to_string(i) + " 1]]}\n";
  }
  const History history = read_history_text("h", text);
  ASSERT_EQ(history.transactions(), std::size_t{kEvents / 2});
  EXPECT_THAT(history.notes, IsEmpty());
  EXPECT_EQ(history.txn_id.back(), kEvents - 1);
  EXPECT_EQ(history.operations(), std::size_t{kEvents / 2});
}

TEST(EdnEvents, AnEventLongerThanTheWindowIsReadWhole) {
  std::string list;
  constexpr std::size_t kElements = 400'000;
  for (std::size_t i = 0; i < kElements; ++i) list += std::to_string(i) + " ";
  const History history = read_history_text("h", alone("[:r 1 [" + list + "]]"));
  ASSERT_EQ(history.operations(), 1U);
  EXPECT_EQ(history.longest_list[0].size(), kElements);
}

}  // namespace
}  // namespace hilsa
