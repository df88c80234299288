#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/harness/history/readers/story.h"

namespace hilsa {
namespace {

using testing::ElementsAre;

TEST(RegisterText, LinesOfOneTransactionNumberAreOneTransaction) {
  const History history = read_history_text("h", R"(w(1,7,1,1)
r(2,0,1,1)
r(1,7,1,2)
w( 2 , 5 , 2 , 1 )
)");
  EXPECT_EQ(history.form, Form::registers);
  EXPECT_FALSE(history.cut_short);
  EXPECT_THAT(story_of(history),
              ElementsAre("T1 of 1, committed: w(1,7) r(2,NULL)", "T3 of 1, committed: r(1,7)",
                          "T4 of 2, committed: w(2,5)"));
}

TEST(RegisterText, SessionsMayBeMixed) {
  EXPECT_THAT(story_of("w(1,7,1,1)\nw(1,8,2,1)\nr(1,7,1,1)\nr(1,8,2,2)\nr(1,8,2,1)\n"),
              ElementsAre("T2 of 2, committed: w(1,8)", "T4 of 2, committed: r(1,8)",
                          "T1 of 1, committed: w(1,7) r(1,7)", "T5 of 2, committed: r(1,8)"));
}

TEST(RegisterText, AReadOfZeroSawTheInitialValueAndAWriteOfZeroWritesIt) {
  EXPECT_THAT(story_of("r(1,0,1,1)\nw(1,0,1,2)\n"),
              ElementsAre("T1 of 1, committed: r(1,NULL)", "T2 of 1, committed: w(1,0)"));
}

TEST(RegisterText, TransactionMinusOneIsAnAbortedWrite) {
  EXPECT_THAT(story_of("w(1,1,1,5)\nw(1,2,1,-1)\nw(1,3,1,-1)\nr(1,1,1,5)\n"),
              ElementsAre("T2 of 1, aborted: w(1,2)", "T3 of 1, aborted: w(1,3)",
                          "T1 of 1, committed: w(1,1) r(1,1)"));
}

TEST(RegisterText, ClientsAreCalledByTheirSessionsUnlessOneIsZero) {
  EXPECT_THAT(story_of("w(1,1,70,1)\n"), ElementsAre("T1 of 70, committed: w(1,1)"));
  EXPECT_THAT(story_of("w(1,1,70,1)\nw(1,2,0,1)\n"),
              ElementsAre("T1 of 1, committed: w(1,1)", "T2 of 2, committed: w(1,2)"));
}

TEST(RegisterText, MalformedLinesAreErrorsWithTheirLine) {
  const std::string expected = "; expected r(key,value,session,txn) or w(key,value,session,txn)";
  EXPECT_EQ(error_of("w(1,1,1,1)\n\nx(1,1,1,1)\n"), "h:3: 'x(1,1,1,1)'" + expected);
  EXPECT_EQ(error_of("w(1,1,1)\nw(1,1,1,1)\n"), "h:1: ')'" + expected);
  EXPECT_EQ(error_of("w(1,1,1,1\nw(1,1,1,1)\n"), "h:1: the end of the line" + expected);
  EXPECT_EQ(error_of("w(1,1,1,1) w\n"), "h:1: 'w'" + expected);
  EXPECT_EQ(error_of("w(1,99999999999999999999,1,1)\n"),
            "h:1: '99999999999999999999,1,1)'" + expected);
  EXPECT_EQ(error_of("w(1,1,1,1)\n", {.form = Form::lists}),
            "h:1: operations as text; expected list-append, as was asked for");
}

TEST(RegisterText, AFileCutAnywhereIsGoodUpToThere) {
  const std::string text = "w(1,1,1,1)\nw(1,12,1,13)\nr(1,12,1,14)\n";
  for (std::size_t size = 11; size < text.size(); ++size) {
    const History history = read_history_text("h", text.substr(0, size));
    const char last = text[size - 1];
    EXPECT_EQ(history.cut_short, last != '\n' && last != ')') << size;
    EXPECT_EQ(history.transactions(), size < 23 ? 1U : size < 36 ? 2U : 3U) << size;
  }
}

}  // namespace
}  // namespace hilsa
