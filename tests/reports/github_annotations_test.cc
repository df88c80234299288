#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reports/lines.h"
#include "reports/report_set.h"
#include "tests/reports/rich_results.h"

namespace hilsa::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(GithubAnnotations, ABrokenPromiseIsAnError) {
  EXPECT_EQ(to_github_annotations(failing_compare()),
            "::error title=hilsa%3A atomic at read committed%2C oversell on PostgreSQL "
            "15.18::promised safe, but 4 of 10 trials violated it: oversold in 4, stock below 0 in "
            "1%0Alost update (P4), 9 times\n");
}

TEST(GithubAnnotations, WhatIsUnknownIsAWarningAndComesLast) {
  const std::string text = to_github_annotations(broken_off());
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(std::string(lines[0]), StartsWith("::error title=hilsa%3A wallet on PostgreSQL"));
  EXPECT_THAT(std::string(lines[1]), StartsWith("::warning title=hilsa%3A optimistic at read"));
}

TEST(GithubAnnotations, DemandsCountWhereThereAreSome) {
  const std::string text = to_github_annotations(demanded());
  EXPECT_EQ(lines_of(text).size(), 3U);
  EXPECT_THAT(text, HasSubstr("31 %25 below the baseline's 0.72"));
}

TEST(GithubAnnotations, ThereAreNoneWhereAllIsWell) {
  EXPECT_THAT(to_github_annotations(write_skew()), IsEmpty());
  EXPECT_THAT(to_github_annotations(empty()), IsEmpty());
}

TEST(GithubAnnotations, TheTenthSaysHowManyMoreThereAre) {
  const std::string text = to_github_annotations(huge());
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_THAT(std::string(lines[9]), StartsWith("::error title=hilsa%3A more::and 3 more: "));
}

TEST(GithubAnnotations, ATextIsNeverACommandOfItsOwn) {
  const std::string text = to_github_annotations(hostile());
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\r")), Not(HasSubstr("\xff"))));
  for (const std::string_view line : lines_of(text)) {
    EXPECT_TRUE(line.starts_with("::error title=") || line.starts_with("::warning title="));
    const std::size_t title_end = line.find("::", 2);
    const std::string_view title = line.substr(0, title_end);
    EXPECT_EQ(title.find(':', 2), std::string_view::npos) << title;
    EXPECT_EQ(title.find(','), std::string_view::npos) << title;
  }
}

}  // namespace
}  // namespace hilsa::tests
