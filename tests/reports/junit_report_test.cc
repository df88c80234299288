// What is in the file; that others can read it is for tests/reports/written/junit_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <set>
#include <string>

#include "reports/report_set.h"
#include "tests/reports/rich_results.h"

namespace hilsa::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Junit {
 public:
  // Nodes live as long as their document: only a named one hands them out.
  explicit Junit(const ReportSet& result) : text(to_junit_report(result)) {
    EXPECT_TRUE(document.load_string(text.c_str())) << text;
  }
  pugi::xml_node suites() const& { return document.child("testsuites"); }
  pugi::xml_node suite(int place = 0) const& {
    pugi::xml_node suite = suites().child("testsuite");
    for (; place > 0; --place) suite = suite.next_sibling("testsuite");
    return suite;
  }
  pugi::xml_node one(const char* name) const& {
    for (pugi::xml_node suite : suites().children("testsuite")) {
      const pugi::xml_node found = suite.find_child_by_attribute("testcase", "name", name);
      if (found) return found;
    }
    ADD_FAILURE() << "no case " << name << " in " << text;
    return {};
  }
  pugi::xml_node suites() const&& = delete;
  pugi::xml_node suite(int place = 0) const&& = delete;
  pugi::xml_node one(const char* name) const&& = delete;
  std::string text;
  pugi::xml_document document;
};

std::string attribute(pugi::xml_node node, const char* name) {
  return node.attribute(name).as_string("(missing)");
}

TEST(JunitReport, AStrategyIsACaseOfItsWorkloadProductAndLevel) {
  const Junit junit(failing_compare());
  EXPECT_EQ(attribute(junit.suite(), "name"), "oversell on PostgreSQL 15.18");
  EXPECT_EQ(attribute(junit.one("atomic"), "classname"), "oversell.postgresql.read-committed");
  EXPECT_EQ(attribute(junit.one("atomic"), "time"), "2.345");
  EXPECT_EQ(attribute(junit.suite(), "timestamp"), "2026-03-01T12:30:00");
}

TEST(JunitReport, CountsAreThoseOfItsCases) {
  const Junit junit(failing_compare());
  EXPECT_EQ(attribute(junit.suite(), "tests"), "4");
  EXPECT_EQ(attribute(junit.suite(), "failures"), "1");
  EXPECT_EQ(attribute(junit.suite(), "errors"), "0");
  EXPECT_EQ(attribute(junit.suite(), "skipped"), "1");
  EXPECT_EQ(attribute(junit.suites(), "tests"), "4");
  EXPECT_EQ(attribute(junit.suites(), "failures"), "1");
}

TEST(JunitReport, ABrokenPromiseFailsWithItsExplanation) {
  const Junit junit(failing_compare());
  const pugi::xml_node failure = junit.one("atomic").child("failure");
  EXPECT_EQ(attribute(failure, "message"),
            "promised safe, but 4 of 10 trials violated it: oversold in 4, stock below 0 in 1");
  EXPECT_THAT(failure.text().get(),
              AllOf(HasSubstr("first: trial 1: oversold: 7 sold of 1"),
                    HasSubstr("T15's update is lost"), HasSubstr("SELECT id, stock FROM products"),
                    HasSubstr("to repeat it: hilsa compare oversell")));
}

TEST(JunitReport, WhatWasPromisedUnsafePassesAndTellsWhatItShowed) {
  const Junit junit(failing_compare());
  const pugi::xml_node one = junit.one("decrement");
  EXPECT_FALSE(one.child("failure"));
  EXPECT_THAT(one.child("system-out").text().get(),
              AllOf(StartsWith("unsafe, as promised: 4 of 10 trials violated it"),
                    HasSubstr("T15's update is lost")));
}

TEST(JunitReport, WhatTheProductLacksIsSkipped) {
  const Junit junit(failing_compare());
  EXPECT_EQ(attribute(junit.one("advisory-lock").child("skipped"), "message"),
            "PostgreSQL has no advisory locks");
}

TEST(JunitReport, UnknownAndBrokenOffAreErrors) {
  const Junit junit(broken_off());
  EXPECT_EQ(attribute(junit.one("optimistic").child("error"), "message"),
            "unknown, since nothing was done");
  EXPECT_EQ(attribute(junit.one("the run").child("error"), "message"),
            "broken off: the server is gone");
  EXPECT_EQ(attribute(junit.suites(), "errors"), "2");
  EXPECT_EQ(attribute(junit.suites(), "failures"), "0");
}

TEST(JunitReport, HalfARunIsNoPass) {
  const Junit junit(interrupted());
  EXPECT_EQ(attribute(junit.one("the run").child("error"), "message"),
            "interrupted: the figures are of what had been done by then");
  EXPECT_EQ(attribute(junit.suites(), "errors"), "1");
}

TEST(JunitReport, TellsWhereItComesFrom) {
  const Junit junit(failing_compare());
  const pugi::xml_node properties = junit.suite().child("properties");
  const auto value = [&](const char* name) {
    return attribute(properties.find_child_by_attribute("property", "name", name), "value");
  };
  EXPECT_EQ(value("seed"), "18446744073709551615");
  EXPECT_EQ(value("version"), "15.18");
  EXPECT_EQ(value("url"), "postgres://u:***@h/d");
  EXPECT_EQ(value("isolation"), "read committed");
  EXPECT_THAT(value("command"), StartsWith("hilsa compare oversell"));
}

TEST(JunitReport, AnExploredScheduleIsShown) {
  const Junit junit(explored());
  EXPECT_EQ(attribute(junit.one("atomic"), "classname"), "oversell.mariadb.repeatable-read");
  EXPECT_THAT(junit.one("atomic").child("failure").text().get(),
              AllOf(HasSubstr("client 1"), HasSubstr("... goes on -> 1 row")));
}

TEST(JunitReport, WhereSomethingIsDemandedOnlyThatCanFail) {
  const Junit junit(demanded());
  EXPECT_EQ(attribute(junit.suites(), "failures"), "2");
  EXPECT_EQ(attribute(junit.suites(), "errors"), "1");
  EXPECT_FALSE(junit.one("atomic").child("failure"));
  const pugi::xml_node demand = junit.one("atomic at read committed on postgresql: must be safe");
  EXPECT_EQ(attribute(demand, "classname"), "ci.checkout");
  EXPECT_EQ(attribute(demand.child("failure"), "message"),
            "must be safe: 4 of 10 trials violated oversold");
  EXPECT_THAT(demand.child("failure").text().get(), HasSubstr("T15's update is lost"));
}

TEST(JunitReport, NoTwoCasesHaveOneName) {
  for (const RichResult& rich : rich_results()) {
    const Junit junit(rich.make());
    std::set<std::string> names;
    for (pugi::xml_node suite : junit.suites().children("testsuite")) {
      for (pugi::xml_node one : suite.children("testcase")) {
        const std::string name = attribute(one, "classname") + "/" + attribute(one, "name");
        EXPECT_TRUE(names.insert(name).second) << name;
      }
    }
  }
}

TEST(JunitReport, RunsOfTheSameAreToldApartByTheirVersion) {
  const Junit junit(demanded());
  EXPECT_EQ(attribute(junit.one("for-update (16.4, seed 18446744073709551615)"), "classname"),
            "oversell.postgresql.read-committed");
}

TEST(JunitReport, WhatIsHostileIsShownAsText) {
  const Junit junit(hostile());
  EXPECT_THAT(junit.text, Not(HasSubstr("<script>")));
  EXPECT_THAT(junit.text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(junit.text, Not(HasSubstr("\xff")));
  EXPECT_THAT(junit.text, Not(HasSubstr("\xef\xbf\xbf")));
  const std::string shown =
      junit.suite()
          .find_node([](pugi::xml_node node) { return std::string(node.name()) == "failure"; })
          .text()
          .get();
  EXPECT_THAT(shown, AllOf(HasSubstr("<script>alert(1)</script> \\x1b[31m ]]> -->"),
                           HasSubstr("\\xff\\xc3 \\uffff"), HasSubstr("\\x00")));
}

TEST(JunitReport, StaysSmallHoweverMuchThereIsToTell) {
  ReportSet result = failing_compare();
  auto& rows = std::get<RunReport>(result.reports[0]).rows;
  rows[0].check.shown[0].text = std::string(100'000, 'x') + "\n";
  rows.resize(250, rows[0]);
  const std::string text = to_junit_report(result);
  EXPECT_LT(text.size(), 12'000'000U);
  EXPECT_THAT(text, HasSubstr("are left out here, for the file must not grow too large"));
  EXPECT_THAT(text, HasSubstr("more bytes are left out)"));
}

}  // namespace
}  // namespace hilsa::tests
