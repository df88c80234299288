#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "checkers/printable.h"
#include "reports/lines.h"
#include "reports/markdown.h"
#include "reports/report_set.h"
#include "tests/reports/rich_results.h"

namespace hilsa::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// What a reader sees of a text: without entities and comments.
std::string seen(std::string text) {
  text = std::regex_replace(text, std::regex("<!-- -->|</?span>"), "");
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text.compare(i, 2, "&#") == 0 ? text.find(';', i) : std::string::npos;
    if (end == std::string::npos) {
      plain += text[i];
    } else {
      plain += static_cast<char>(std::stoi(text.substr(i + 2, end - i - 2)));
      i = end;
    }
  }
  return plain;
}

// The text outside of its fenced blocks.
std::string outside_of_fences(const std::string& markdown) {
  std::string outside;
  std::string fence;
  for (const std::string_view line : lines_of(markdown)) {
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && ticks >= 3) {
      fence = std::string(ticks, '`');
    } else if (fence.empty()) {
      outside += std::string(line) + "\n";
    } else if (ticks >= fence.size() && ticks == line.size()) {
      fence.clear();
    }
  }
  EXPECT_THAT(fence, IsEmpty()) << "a fence that does not end";
  return outside;
}

TEST(Markdown, TextIsShownAsItIs) {
  EXPECT_EQ(in_markdown("read_committed: 3 of 10"), "read_committed: 3 of 10");
  EXPECT_EQ(seen(in_markdown("*a* _b_ [c](d) | <e> & `f` ~g~ !h \\i")),
            "*a* _b_ [c](d) | <e> & `f` ~g~ !h \\i");
  EXPECT_EQ(seen(in_markdown(kHostile)), printable(kHostile));
}

TEST(Markdown, NothingInATextIsMarkup) {
  EXPECT_THAT(in_markdown(kHostile),
              AllOf(Not(HasSubstr("<script")), Not(HasSubstr("|")), Not(HasSubstr("`")),
                    Not(HasSubstr("[x]")), Not(HasSubstr("*")), Not(HasSubstr("\n"))));
}

TEST(Markdown, NobodyIsMentionedAndNothingIsLinked) {
  EXPECT_EQ(in_markdown("@someone #12"), "@<!-- -->someone #<!-- -->12");
  EXPECT_EQ(in_markdown("https://evil.example"), "https&#58;//evil.example");
  EXPECT_EQ(in_markdown("www.evil.example"), "www&#46;evil.example");
  EXPECT_EQ(in_markdown(":smile: GH-12 a: b"), ":<!-- -->smile: GH-<!-- -->12 a: b");
  EXPECT_EQ(in_markdown("$1 + $2"), "<span>$</span>1 + <span>$</span>2");
}

TEST(Markdown, AFenceIsLongerThanAnyInside) {
  EXPECT_EQ(fenced("a\n````\nb", 1000), "`````text\na\n````\nb\n`````\n");
  EXPECT_EQ(fenced("a\x1b\n", 1000, "sh"), "```sh\na\\x1b\n```\n");
}

TEST(Markdown, FromThePieceThatDoesNotFitAllAreCounted) {
  BoundedPieces pieces(10);
  for (const char* const piece : {"12345", "123456", "1"}) pieces.add(piece);
  EXPECT_EQ(pieces.text(), "12345");
  EXPECT_EQ(pieces.left_out(), 2U);
}

TEST(MarkdownReport, BeginsWithTheVerdictAndWhatIsWrong) {
  EXPECT_THAT(to_markdown_report(failing_compare()),
              StartsWith("## hilsa: not as promised: 1 of 3 strategies broke its promise\n\n"
                         "- ❌ **atomic at read committed, oversell on PostgreSQL 15.18**: promised "
                         "safe, but 4 of 10 trials violated it: oversold in 4, stock below 0 in 1; "
                         "lost update (P4), 9 times\n"));
}

TEST(MarkdownReport, ComparesStrategiesInATable) {
  const std::string text = to_markdown_report(failing_compare());
  EXPECT_THAT(text, HasSubstr("| strategy | isolation | promised | measured | violated | anomalies "
                              "| done/s | p99 ms |\n| --- | --- | --- | --- | ---: | --- | ---: | "
                              "---: |\n"));
  EXPECT_THAT(text, HasSubstr("| atomic | read committed | safe | **unsafe** ❌ | 4/10 | P4 x9, "
                              "G2-item x2 | 85 | 13.3 |\n"));
  EXPECT_THAT(text, HasSubstr("\nfastest that stayed safe: for-update at read committed (43 "
                              "done/s)\n"));
}

TEST(MarkdownReport, FoldsTheEvidenceTheBrokenOnesFirst) {
  const std::string text = to_markdown_report(failing_compare());
  const std::size_t broken = text.find(
      "<details><summary>lost update (P4), 9 times: atomic at read committed, oversell on "
      "PostgreSQL 15.18</summary>\n\n```text\nlost update (P4): a transaction wrote over");
  ASSERT_NE(broken, std::string::npos);
  EXPECT_GT(text.find("9 times: decrement at read committed"), broken);
  EXPECT_THAT(text, HasSubstr("<summary>deadlock, 2 times: for-update at read committed"));
}

TEST(MarkdownReport, EndsWithHowToRepeatIt) {
  const std::string text = to_markdown_report(failing_compare());
  EXPECT_GT(text.find("To repeat it:\n\n```sh\nhilsa compare oversell --db 'postgres://u:***@h/d' "
                      "--duration 2s --seed 7\n```\n"),
            text.find("### Evidence"));
}

TEST(MarkdownReport, DemandsAreTheVerdictWhereThereAreSome) {
  const std::string text = to_markdown_report(demanded());
  EXPECT_THAT(text, StartsWith("## hilsa: failed: 2 of 4 demands broken, 1 unknown\n"));
  const std::size_t broken = text.find(
      "| ❌ broken | checkout | atomic at read committed on "
      "postgresql | must be safe | 4 of 10 trials violated "
      "oversold |");
  EXPECT_LT(broken, text.find("| ❔ unknown | payment |"));
  EXPECT_LT(text.find("| ❔ unknown | payment |"), text.find("| ✅ kept | checkout |"));
}

TEST(MarkdownReport, WhatIsNotKnownIsNotGreen) {
  EXPECT_THAT(to_markdown_report(broken_off()),
              AllOf(StartsWith("## hilsa: unknown: 1 of 2 strategies not decided\n"),
                    HasSubstr("broken off: the server is gone"),
                    HasSubstr("unknown, since nothing was done")));
  EXPECT_THAT(to_markdown_report(empty()), StartsWith("## hilsa: unknown: nothing was run\n"));
  EXPECT_THAT(to_markdown_report(interrupted()),
              AllOf(StartsWith("## hilsa: unknown: it did not get to its end; as promised until "
                               "then: 1 of 1 strategy\n"),
                    HasSubstr("interrupted: the figures are of what had been done by then"),
                    Not(HasSubstr("as promised: 1"))));
}

TEST(MarkdownReport, WhatIsHostileIsShownAsText) {
  const std::string text = to_markdown_report(hostile());
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\xff"))));
  const std::string outside = outside_of_fences(text);
  EXPECT_THAT(outside,
              AllOf(Not(HasSubstr("<script")), Not(HasSubstr("[x](")), Not(HasSubstr("@someone")),
                    Not(HasSubstr("https://")), Not(HasSubstr("#12 "))));
  EXPECT_THAT(outside, HasSubstr("&#60;script&#62;alert(1)&#60;/script&#62; &#92;x1b&#91;31m"));
}

TEST(MarkdownReport, EveryRowOfATableHasItsColumns) {
  for (const RichResult& rich : rich_results()) {
    std::ptrdiff_t columns = 0;
    const std::string text = outside_of_fences(to_markdown_report(rich.make()));
    for (const std::string_view line : lines_of(text)) {
      if (!line.starts_with("| ")) {
        columns = 0;
        continue;
      }
      const std::ptrdiff_t bars = std::count(line.begin(), line.end(), '|');
      if (columns == 0) columns = bars;
      EXPECT_EQ(bars, columns) << rich.name << ": " << line;
    }
  }
}

TEST(MarkdownReport, NeverIsMoreThanAMebibyte) {
  constexpr std::size_t kMebibyte = 1'048'576;
  ReportSet result;
  result.reports.push_back(hostile().reports[0]);
  for (int i = 0; i < 3000; ++i) {
    result.demands.push_back({std::string(kHostile), std::string(kHostile), "must be safe",
                              Demand::Status::broken, std::string(kHostile)});
  }
  auto& rows = std::get<RunReport>(result.reports[0]).rows;
  rows.resize(200, rows[0]);
  for (std::size_t i = 0; i < 30; ++i) {
    rows[i].check.shown[0].text = std::string(100'000, '`') + "\n";
  }
  const std::string text = to_markdown_report(result);
  EXPECT_LE(text.size(), kMebibyte);
  EXPECT_THAT(text, HasSubstr("more findings are left out here; report.html has all.\n"));
  EXPECT_THAT(text, HasSubstr("more demands are left out here"));
  EXPECT_THAT(text, HasSubstr("more rows and remarks are left out here"));
  EXPECT_THAT(text, HasSubstr("more pieces of evidence are left out here"));
}

}  // namespace
}  // namespace hilsa::tests
