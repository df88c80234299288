#include "checkers/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilsa {
namespace {

using ::testing::ElementsAre;

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(printable("stock 1, Käse, 鱼, 🐟"), "stock 1, Käse, 鱼, 🐟");
}

TEST(Printable, ShowsWhatWouldActOnATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\t\r\x7f"), "a\\x1b[2Jb\\n\\t\\r\\x7f");
  EXPECT_EQ(printable("\xef\xbf\xbe\xef\xbf\xbd\xef\xbf\xbf"), "\\ufffe\xef\xbf\xbd\\uffff");
  EXPECT_EQ(printable("\u009b31m\u202eabc\u2066\u200b"), "\\u009b31m\\u202eabc\\u2066\\u200b");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, ShowsBrokenUtf8ByteByByte) {
  EXPECT_EQ(printable("\xff\xc0\x80z"), "\\xff\\xc0\\x80z");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");           // cut short
}

TEST(Printable, ShortensInTheMiddle) {
  EXPECT_EQ(elided("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(elided("abcdefghi", 8), "abcd…ghi");
  EXPECT_EQ(elided("äöüäöüäöü", 5), "äö…öü");
}

TEST(Printable, BreaksAtBlanks) {
  EXPECT_THAT(wrapped("one two three", 20), ElementsAre("one two three"));
  EXPECT_THAT(wrapped("one two three", 8, 2), ElementsAre("one two", "  three"));
  EXPECT_THAT(wrapped("abcdefghij", 4, 1), ElementsAre("abcd", " efg", " hij"));
  EXPECT_THAT(wrapped("", 4), ElementsAre(""));
}

}  // namespace
}  // namespace hilsa
