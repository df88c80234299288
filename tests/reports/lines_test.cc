#include "reports/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/reports/rich_results.h"

namespace hilsa::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

TEST(Lines, LineEndsAndTabsStayAndTheRestIsMadeVisible) {
  EXPECT_EQ(visible_lines("a\n\tb\x1b\r\n"), "a\n\tb\\x1b\\r\n");
  EXPECT_EQ(visible_lines("\xef\xbf\xbe\xef\xbf\xbd\xef\xbf\xbf"), "\\ufffe\xef\xbf\xbd\\uffff");
}

TEST(Lines, WhatIsVisibleStaysWhatItIs) {
  const std::string once = visible_lines(kHostile);
  EXPECT_EQ(visible_lines(once), once);
}

TEST(Lines, AnEmptyLineIsALine) { EXPECT_THAT(lines_of("a\n\nb\n"), ElementsAre("a", "", "b")); }

TEST(Lines, ALongTextIsCutAfterALine) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a line\n";
  const std::string cut = shortened_at_line(text, 300);
  EXPECT_LE(cut.size(), 300U);
  EXPECT_THAT(cut, EndsWith("a line\n… (463 more bytes are left out)\n"));
  EXPECT_EQ(shortened_at_line(text, 700), text);
}

TEST(Lines, ALongLineIsCutBetweenCharacters) {
  std::string text = "x";
  for (int i = 0; i < 200; ++i) text += "é";
  const std::string cut = shortened_at_line(text, 100);
  EXPECT_EQ(visible_lines(cut), cut);
}

}  // namespace
}  // namespace hilsa::tests
