#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/report_json.h"
#include "reports/report_set.h"
#include "tests/reports/rich_results.h"

namespace hilsa::tests {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::string text_of(const ReportSet& result) {
  std::string text;
  for (const Report& report : result.reports) {
    text += std::visit([](const auto& one) { return to_text_report(one) + to_json_report(one); },
                       report);
  }
  return text;
}

// Why a file is refused; empty: it is not.
std::string refused(const std::string& json) {
  try {
    from_result_json(json);
  } catch (const ResultUnreadable& error) {
    return error.what();
  }
  return "";
}

// The file of a failing comparison after a change to it.
template <typename Change>
std::string refused_after(const Change& change, ReportSet (*make)() = failing_compare) {
  Json json = Json::parse(to_result_json(make()));
  change(json);
  return refused(json.dump());
}

TEST(ResultJson, ReadsBackToTheSameFile) {
  for (const RichResult& rich : rich_results()) {
    const std::string written = to_result_json(rich.make());
    EXPECT_EQ(to_result_json(from_result_json(written)), written) << rich.name;
  }
}

TEST(ResultJson, ReadsBackToTheSameReports) {
  for (const RichResult& rich : rich_results()) {
    const ReportSet result = rich.make();
    const ReportSet again = from_result_json(to_result_json(result));
    EXPECT_EQ(to_markdown_report(again), to_markdown_report(result)) << rich.name;
    EXPECT_EQ(to_junit_report(again), to_junit_report(result)) << rich.name;
    EXPECT_EQ(to_github_annotations(again), to_github_annotations(result)) << rich.name;
    if (rich.name == "hostile") continue;  // in the file it is visible
    EXPECT_EQ(text_of(again), text_of(result)) << rich.name;
  }
}

TEST(ResultJson, TellsStandardOutputsFieldsInTheSameWay) {
  const ReportSet result = failing_compare();
  const Json told = Json::parse(to_json_report(std::get<RunReport>(result.reports[0])));
  const Json kept = Json::parse(to_result_json(result))["reports"][0];
  for (const auto& [name, value] : told.items()) {
    if (name == "rows" || name == "tool" || name == "minimized") continue;
    EXPECT_EQ(kept[name], value) << name;
  }
  for (const auto& [name, value] : told["rows"][1].items()) {
    EXPECT_EQ(kept["rows"][1][name], value) << name;
  }
}

TEST(ResultJson, StaysSmallHoweverLongTheRun) {
  EXPECT_LT(to_result_json(huge()).size(), 4'000'000U);
}

TEST(ResultJson, KeepsABoundedNumberOfRounds) {
  const ReportSet again = from_result_json(to_result_json(huge()));
  EXPECT_EQ(std::get<RunReport>(again.reports[0]).rows[0].rounds.size(), kRoundsKeptMax);
}

TEST(ResultJson, HoldsNoControlCharactersAndNoBrokenText) {
  const std::string written = to_result_json(hostile());
  EXPECT_THAT(written, Not(HasSubstr("\\u001b")));
  EXPECT_THAT(written, HasSubstr("\\\\x1b[31m"));
  EXPECT_THAT(written, HasSubstr("\\\\xff"));
  EXPECT_TRUE(Json::accept(written));
}

TEST(ResultJson, EstimatesBeyondAllNumbersAreKept) {
  ReportSet result = explored();
  auto& row = std::get<ExploreReport>(result.reports[0]).rows[1];
  row.schedules = row.covered = std::numeric_limits<double>::infinity();
  const std::string written = to_result_json(result);
  EXPECT_EQ(to_result_json(from_result_json(written)), written);
}

TEST(ResultJson, IsNotReadWhenItIsSomethingElse) {
  for (const char* const other :
       {"[]", "{}", "null", "7", "{\"format\": 7}", "{\"format\": \"other\", \"version\": 1}"}) {
    EXPECT_THAT(refused(other), HasSubstr("no result of hilsa")) << other;
  }
  EXPECT_THAT(refused(""), HasSubstr("not whole JSON"));
  EXPECT_THAT(refused("\xff\xfe"), HasSubstr("not whole JSON"));
}

TEST(ResultJson, AnotherVersionIsSaidToBeOne) {
  EXPECT_EQ(refused_after([](Json& json) {
              json["version"] = 2;
              json["tool"] = "hilsa 9.1\x1b";
            }),
            "a result of version 2, written by hilsa 9.1\\x1b, and this hilsa (" HILSA_VERSION
            ") reads version 1: render it with the hilsa that wrote it, or a newer one");
}

TEST(ResultJson, FieldsOfLaterVersionsArePassedOver) {
  EXPECT_EQ(refused_after([](Json& json) {
              json["more"] = {1, 2};
              json["reports"][0]["rows"][0]["more"] = nullptr;
            }),
            "");
}

TEST(ResultJson, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_EQ(refused_after([](Json& json) { json["reports"][0]["rows"][1].erase("trials"); }),
            "reports[0].rows[1]: the field \"trials\" is missing");
  EXPECT_EQ(refused_after([](Json& json) { json["reports"][0]["rows"][1]["trials"] = "7"; }),
            "reports[0].rows[1].trials: not a whole number");
  EXPECT_EQ(refused_after([](Json& json) { json["reports"][0]["rows"][1]["trials"] = -7; }),
            "reports[0].rows[1].trials: -7 is not from 0 to 2147483647");
  EXPECT_EQ(refused_after([](Json& json) { json["reports"][0]["kind"] = "check"; }),
            "reports[0].kind: neither \"run\" nor \"explore\"");
  EXPECT_EQ(refused_after([](Json& json) { json["demands"][0]["status"] = "perhaps"; }, demanded),
            "demands[0].status: neither \"kept\" nor \"broken\" nor \"unknown\"");
}

TEST(ResultJson, LanesAndPlacesThatAreNotThereAreRefused) {
  const auto shown = [](Json& json) -> Json& { return json["reports"][0]["rows"][0]["shown"][1]; };
  EXPECT_THAT(refused_after([&](Json& json) { shown(json)["steps"][0]["lane"] = 1000; }),
              HasSubstr("shown[1].steps[0]: of a lane that is not there"));
  EXPECT_THAT(refused_after([&](Json& json) { shown(json)["edges"][0]["to"] = 1000; }),
              HasSubstr("shown[1].edges[0]: of a lane that is not there"));
  EXPECT_THAT(refused_after([&](Json& json) { shown(json)["steps"][0]["answered"] = 2000000000; }),
              HasSubstr("beyond the last place"));
  EXPECT_THAT(refused_after([&](Json& json) { shown(json)["lanes"] = Json::array(); }),
              HasSubstr("of a lane that is not there"));
}

TEST(ResultJson, ClientsThatAreNotThereAreRefused) {
  const auto row = [](Json& json) -> Json& { return json["reports"][0]["rows"][0]; };
  EXPECT_THAT(
      refused_after([&](Json& json) { row(json)["shortest"]["steps"][0]["client"] = 3; }, explored),
      HasSubstr("rows[0]: a schedule of more clients than there are"));
  EXPECT_THAT(
      refused_after([&](Json& json) { row(json)["shortest"]["steps"][0]["client"] = 0; }, explored),
      HasSubstr("0 is not from 1 to 64"));
  EXPECT_THAT(refused_after([&](Json& json) { json["reports"][0]["clients"] = 0; }, explored),
              HasSubstr("0 is not from 1 to 64"));
  EXPECT_THAT(refused_after([&](Json& json) { row(json).erase("shortest"); }, explored),
              HasSubstr("it violates, but no schedule shows how"));
}

TEST(ResultJson, WhatWouldNotFitTogetherIsRefused) {
  const auto row = [](Json& json) -> Json& { return json["reports"][0]["rows"][1]; };
  EXPECT_THAT(refused_after([&](Json& json) { row(json)["figures"].clear(); }),
              HasSubstr("not as many as the first row has"));
  EXPECT_THAT(refused_after([&](Json& json) {
                row(json)["latency_ns"][0] = {1, 2, 3};
              }),
              HasSubstr("not a pair"));
  EXPECT_THAT(refused_after([&](Json& json) {
                row(json)["series"]["intervals"] = Json(121, row(json)["series"]["intervals"][0]);
              }),
              HasSubstr("more intervals than there can be"));
  EXPECT_THAT(refused_after([&](Json& json) {
                row(json)["series"]["intervals"][0]["latencies"][0][0] = 256;
              }),
              HasSubstr("256 is not from 0 to 255"));
  EXPECT_THAT(refused_after([&](Json& json) { row(json)["latency_ns"][0][0] = 1e300; }),
              HasSubstr("not a whole number"));
  EXPECT_THAT(refused_after([&](Json& json) { row(json)["latency_ns"][0][0] = UINT64_MAX; }),
              HasSubstr("18446744073709551615 is not from"));
}

TEST(ResultJson, WhatWouldTakeTooMuchMemoryIsRefused) {
  EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(refused(std::string((64U << 20) + 1, ' ')), HasSubstr("more than a result has"));
  std::string many = "[0";
  for (int i = 0; i < 9'000'000; ++i) many += ",0";
  EXPECT_THAT(refused(many + "]"), HasSubstr("more values than a result has"));
  EXPECT_THAT(refused_after([](Json& json) {
                json["reports"][0]["rows"] = Json(4001, json["reports"][0]["rows"][2]["measured"]);
              }),
              HasSubstr("more rows than 4000"));
}

// A list of many objects takes a parser no more than linear time.
TEST(ResultJson, ALongListIsRead) {
  EXPECT_EQ(refused_after([](Json& json) { json["more"] = Json(1'000'000, Json::object()); }), "");
}

TEST(ResultJson, BracketsInTextsAreNoNesting) {
  EXPECT_EQ(refused_after([](Json& json) {
              json["reports"][0]["workload"] = "\\\"" + std::string(100, '[');
            }),
            "");
}

TEST(ResultJson, ATruncatedFileIsNeverRead) {
  const std::string whole = to_result_json(demanded());
  for (std::size_t size = 0; size + 2 < whole.size(); size += 1 + size / 64) {
    EXPECT_THAT(refused(whole.substr(0, size)), HasSubstr("not whole JSON")) << size;
  }
}

// Every value of a file replaced by others in turn: it is read or refused, and what is read can be
// rendered.
void replace_each(Json& root, Json& value, int& read) {
  static const std::array<Json, 7> kOthers = {nullptr, true,           -1,           Json::array(),
                                              "text",  Json::object(), 4'000'000'000};
  if (value.is_structured()) {
    for (Json& element : value) replace_each(root, element, read);
  }
  const Json before = value;
  for (const Json& other : kOthers) {
    value = other;
    try {
      const ReportSet result = from_result_json(root.dump());
      to_junit_report(result);
      ++read;
    } catch (const ResultUnreadable&) {
    }
  }
  value = before;
}

// So that the test below has few values to replace, but one of each, in a small file.
void shorten(Json& value) {
  if (value.is_string()) value = value.get<std::string>().substr(0, 20);
  if (value.is_array() && value.size() > 2) value.erase(value.begin() + 2, value.end());
  if (!value.is_structured()) return;
  for (Json& element : value) shorten(element);
}

TEST(ResultJson, ADamagedFileIsReadOrRefused) {
  Json json = Json::parse(to_result_json(explored()));
  Json run = Json::parse(to_result_json(failing_compare()));
  json["reports"].insert(json["reports"].begin(), run["reports"][0]);
  json["demands"] = Json::parse(to_result_json(demanded()))["demands"];
  shorten(json);
  ASSERT_NO_THROW(from_result_json(json.dump()));
  int read = 0;
  replace_each(json, json, read);
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace hilsa::tests
