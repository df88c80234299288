#include "reports/html/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/html/chart_library.h"
#include "reports/html/html_index.h"
#include "tests/reports/html/sample_results.h"

namespace hilsa::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kPageMax = 5'000'000;

std::size_t times(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// Its libraries' own comments name their home pages.
std::string without_library(std::string page) {
  const auto at = page.find(kChartLibrary);
  if (at != std::string::npos) page.erase(at, kChartLibrary.size());
  return page;
}

class EverySample : public ::testing::TestWithParam<std::pair<std::string, ReportSet>> {};

TEST_P(EverySample, IsSelfContained) {
  const std::string page = without_library(to_html_report(GetParam().second));
  for (const char* const reference : {"http://", "https://", "@import", "url(", "<iframe"}) {
    EXPECT_EQ(times(page, reference), 0U) << reference;
  }
  // As text it may be there, never as an attribute.
  EXPECT_EQ(times(page, " src="), times(page, "&lt;img src=") + times(page, "\\u003cimg src="));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_LT(page.size(), kPageMax);
}

TEST_P(EverySample, KeepsWhatCameFromOutsideAsText) {
  const std::string page = without_library(to_html_report(GetParam().second));
  EXPECT_EQ(times(page, "<script>document"), 0U);
  EXPECT_EQ(times(page, "<img"), 0U);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; };
  EXPECT_TRUE(std::none_of(page.begin(), page.end(), control));
  EXPECT_EQ(times(page, "\xE2\x80\xAE"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Pages, EverySample, ::testing::ValuesIn(samples()),
                         [](const auto& sample) {
                           std::string name = sample.param.first;
                           std::erase(name, '-');
                           return name;
                         });

TEST(HtmlReport, BeginsWithTheVerdict) {
  EXPECT_THAT(to_html_report(failing_comparison()),
              HasSubstr("<h1><span class=\"word\">not as promised:</span> optimistic at read "
                        "committed is unsafe; serializable at serializable is unknown</h1>"));
  EXPECT_THAT(to_html_report(write_skew()),
              HasSubstr("as promised:</span> check-then-leave at repeatable read is unsafe, and "
                        "promises nothing</h1>"));
  EXPECT_THAT(to_html_report(demanded()),
              HasSubstr("broken:</span> 1 of 3 demands: optimistic at read committed on "
                        "postgresql must be safe</h1>"));
  EXPECT_THAT(to_html_report({}), HasSubstr("unknown:</span> nothing was measured</h1>"));
}

TEST(HtmlReport, AnUnknownVerdictSaysWhy) {
  ReportSet result = failing_comparison();
  auto& rows = std::get<RunReport>(result.reports[0]).rows;
  rows.erase(rows.begin() + 1);
  EXPECT_THAT(to_html_report(result),
              HasSubstr("unknown:</span> whether serializable at serializable is safe, since no "
                        "task was done</h1>"));
}

TEST(HtmlReport, WhatWasCutShortIsNotGreen) {
  ReportSet result = failing_comparison();
  auto& report = std::get<RunReport>(result.reports[0]);
  report.rows.erase(report.rows.begin() + 1, report.rows.end());
  report.interrupted = true;
  EXPECT_THAT(
      to_html_report(result),
      HasSubstr("unknown:</span> interrupted; until then read-then-write at read committed"));
  report.broken_off = "the server is gone";
  EXPECT_THAT(to_html_report(result),
              HasSubstr("unknown:</span> broken off (the server is gone); until then "));
}

TEST(HtmlReport, TheFailingRowsAnomalyComesFirst) {
  const std::string page = to_html_report(failing_comparison());
  const auto broken = page.find("lost update (P4) in optimistic at read committed</h4>");
  const auto expected = page.find("lost update (P4) in read-then-write at read committed</h4>");
  ASSERT_NE(expected, std::string::npos);
  EXPECT_LT(broken, expected);
  EXPECT_THAT(page, HasSubstr("the shortest one is shown, and there are 40 more"));
}

TEST(HtmlReport, AWaitReachesFromItsSendingToItsAnswer) {
  EXPECT_THAT(to_html_report(failing_comparison()),
              AllOf(HasSubstr("class=\"step lane2 waits\" style=\"grid-column:2;grid-row:4/7\""),
                    HasSubstr("waits 2.90 ms, until after step 6")));
}

TEST(HtmlReport, ADeadlockIsDrawnWithBothStatements) {
  EXPECT_THAT(to_html_report(deadlocked()),
              AllOf(HasSubstr("aria-label=\"cycle: T7 → T6: waits for accounts/2; T6 → T7: waits "
                              "for accounts/1\""),
                    HasSubstr("balance + 5 WHERE id = 2"), HasSubstr("balance + 3 WHERE id = 1"),
                    HasSubstr("Process 4711 waits for ShareLock")));
}

TEST(HtmlReport, TheChartLibraryIsOnlyWhereChartsAre) {
  EXPECT_THAT(to_html_report(sustained()), HasSubstr(kChartLibrary));
  EXPECT_EQ(times(to_html_report(failing_comparison()), "<script"), 0U);
}

TEST(HtmlReport, StaysSmallHoweverMuchThereIs) {
  for (const std::string& text : {std::string("short"), std::string(9'000, '"'), kHostile}) {
    const std::string page = to_html_report(huge(text, text.size() > 1'000 ? 20 : 200));
    EXPECT_LT(page.size(), kPageMax);
    EXPECT_GT(times(page, "<svg"), 0U);
    EXPECT_LE(times(page, "<svg"), 72U);
    EXPECT_THAT(page, HasSubstr("not drawn: "));
  }
}

TEST(HtmlReport, ManyReportsStaySmallAsWell) {
  ReportSet result;
  const Report one = huge("text", 50).reports[0];
  for (int i = 0; i < 20; ++i) result.reports.push_back(one);
  const std::string page = to_html_report(result);
  EXPECT_LT(page.size(), kPageMax);
  EXPECT_THAT(page, HasSubstr("for which this page has no room"));
}

TEST(HtmlIndex, TheNewestRunComesFirst) {
  const std::string page = to_html_index(
      {{"a", "run oversell", "2026-03-01T12:00:00Z", "PostgreSQL", "as promised"},
       {"b", "run doctors", "2026-03-02T12:00:00Z", "MySQL", "not as promised", true}});
  EXPECT_LT(page.find("run doctors"), page.find("run oversell"));
  EXPECT_THAT(page, AllOf(HasSubstr("<a href=\"./b/report.html\">run doctors</a>"),
                          HasSubstr("2026-03-02 12:00:00")));
}

TEST(HtmlIndex, AFolderIsNeverAnAddressElsewhere) {
  const std::string page = to_html_index({{"javascript:alert(1)//\"<x>", "", kHostile, kHostile}});
  EXPECT_THAT(page, HasSubstr("href=\"./javascript%3Aalert%281%29//%22%3Cx%3E/report.html\""));
  EXPECT_EQ(times(page, "<script"), 0U);
}

}  // namespace
}  // namespace hilsa::tests
