// The baseline file: what is written is read, and what is damaged is told, never used.
#include "reports/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilsa {
namespace {

using ::testing::HasSubstr;

Baseline a_baseline() {
  Baseline baseline;
  BaselineEntry& entry = baseline.suites["checkout"]["postgres"];
  entry.measured_with = {{"clients", "8"}, {"database", "PostgreSQL 15"}};
  entry.cpus = 2;
  entry.rows["atomic at read committed"] = {{Figure::throughput, {1.25, 1.3, 0.123456789}},
                                            {Figure::p99, {0.5, 12345.678}}};
  baseline.suites["checkout"]["mysql"] = entry;
  baseline.suites["seats"]["postgres"] = entry;
  return baseline;
}

TEST(BaselineFile, IsMadeToBeCommitted) {
  Baseline baseline;
  baseline.suites["checkout"]["postgres"] = a_baseline().suites["checkout"]["postgres"];
  EXPECT_EQ(to_baseline_json(baseline), R"({
  "hilsa_baseline": 1,
  "suites": {
    "checkout": {
      "postgres": {
        "cpus": 2,
        "measured_with": {
          "clients": "8",
          "database": "PostgreSQL 15"
        },
        "rows": {
          "atomic at read committed": {
            "throughput": [1.25, 1.3, 0.12346],
            "p99": [0.5, 12346]
          }
        }
      }
    }
  }
}
)");
}

TEST(BaselineFile, ReadsWhatItWrote) {
  const std::string text = to_baseline_json(a_baseline());
  const Baseline back = from_baseline_json(text);
  EXPECT_EQ(to_baseline_json(back), text);
  ASSERT_NE(back.find("checkout", "mysql"), nullptr);
  EXPECT_EQ(back.find("checkout", "mysql")->cpus, 2);
  EXPECT_EQ(back.find("checkout", "sqlite"), nullptr);
  EXPECT_EQ(back.find("nothing", "mysql"), nullptr);
}

std::string complaint_about(std::string_view text) {
  try {
    from_baseline_json(text);
  } catch (const BaselineUnreadable& error) {
    return error.what();
  }
  return "none";
}

std::string with_row(const std::string& row) {
  return R"({"hilsa_baseline": 1, "suites": {"a": {"b": {"measured_with": {}, "rows": {"r": )" +
         row + "}}}}}";
}

TEST(BaselineFile, ADamagedOneIsNotUsed) {
  EXPECT_THAT(complaint_about(""), HasSubstr("it is not JSON"));
  EXPECT_THAT(complaint_about("<<<<<<< HEAD\n{}"), HasSubstr("it is not JSON"));
  EXPECT_THAT(complaint_about("[]"), HasSubstr("no baseline of hilsa's"));
  EXPECT_THAT(complaint_about("{}"), HasSubstr("no baseline of hilsa's"));
  EXPECT_THAT(complaint_about(R"({"hilsa_baseline": 2})"),
              HasSubstr("its format is 2, this hilsa reads 1"));
  EXPECT_THAT(complaint_about(R"({"hilsa_baseline": 1})"), HasSubstr("'suites' is missing"));
  EXPECT_THAT(complaint_about(R"({"hilsa_baseline": 1, "suites": {}, "x": 1})"),
              HasSubstr("x: there is no such key"));
  EXPECT_THAT(complaint_about(R"({"hilsa_baseline": 1, "suites": {"a": 1}})"),
              HasSubstr("suites / a: this should be an object"));
  EXPECT_THAT(complaint_about(R"({"hilsa_baseline": 1, "suites": {"a": {}, "a": {}}})"),
              HasSubstr("'a' is there twice"));
  for (const char* const row :
       {R"({"throughput": []})", R"({"throughput": "1"})", R"({"throughput": [0]})",
        R"({"throughput": [-1]})", R"({"throughput": [1, null]})", R"({"thruput": [1]})", "1"}) {
    EXPECT_THAT(complaint_about(with_row(row)), HasSubstr("suites / a / b / rows / r")) << row;
  }
  EXPECT_EQ(complaint_about(with_row(R"({"throughput": [1, 2.5]})")), "none");
  // Cut anywhere, as by a full disk: still no baseline.
  const std::string whole = to_baseline_json(a_baseline());
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    ASSERT_NE(complaint_about(std::string_view(whole).substr(0, length)), "none") << length;
  }
}

TEST(BaselineFile, AHostileNameIsShownAsText) {
  EXPECT_THAT(complaint_about("{\"hilsa_baseline\": 1, \"suites\": {\"\\u001b[2J\": 1}}"),
              HasSubstr("\\x1b[2J"));
}

TEST(Circumstances, SayWhatIsDifferent) {
  EXPECT_EQ(difference({{"clients", "8"}}, {{"clients", "8"}}), "");
  EXPECT_EQ(
      difference({{"clients", "8"}, {"think", "0 ms"}}, {{"clients", "9"}, {"think", "0 ms"}}),
      "clients was 8 and is 9");
  EXPECT_EQ(difference({{"rate", "5"}}, {{"option stock", "3"}}),
            "rate was 5 and is not there, option stock was not there and is 3");
}

}  // namespace
}  // namespace hilsa
