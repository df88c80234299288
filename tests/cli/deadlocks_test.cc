// Deadlocks on purpose, on every real server: counted, timed, and one of them explained from both
// sides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class DeadlocksOn : public OnProduct {
 protected:
  static json row_of(const Words& arguments) {
    Words all = arguments;
    all.insert(all.end(), {"--format", "json", "--quiet"});
    const Finished finished = tool(all);
    EXPECT_EQ(complaints_of(finished), "");
    return json::parse(finished.out)["rows"][0];
  }
  void TearDown() override { EXPECT_EQ(left_behind(), ""); }
};

INSTANTIATE_TEST_SUITE_P(Products, DeadlocksOn,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

// Both sides of a deadlock of two, as the report has it.
void expect_explained(const json& example) {
  SCOPED_TRACE(example.dump(1));
  ASSERT_EQ(example["waits"].size(), 2U);
  const json& victim = example["waits"][0];
  const json& survivor = example["waits"][1];
  EXPECT_EQ(victim["victim"], true);
  EXPECT_EQ(survivor["victim"], false);
  EXPECT_EQ(victim["waits_for"], survivor["transaction"]);
  EXPECT_EQ(survivor["waits_for"], victim["transaction"]);
  EXPECT_NE(victim["session"], survivor["session"]);
  EXPECT_NE(victim["client"], survivor["client"]);
  EXPECT_NE(victim["row"], survivor["row"]);
  for (const json& wait : example["waits"]) {
    EXPECT_GT(wait["waited_ms"], 0);
    EXPECT_THAT(wait["statement"].get<std::string>(), HasSubstr("UPDATE products"));
    EXPECT_THAT(example["server"].get<std::string>(),
                HasSubstr(std::to_string(wait["session"].get<std::int64_t>())));
  }
}

TEST_P(DeadlocksOn, TwoCartsInOppositeOrdersAreExplainedFromBothSides) {
  const json row = row_of({"run", "carts", "--strategy", "unsorted", "--carts", "2", "--trials",
                           "3", "--think", "50ms", "--max-attempts", "1000"});
  EXPECT_EQ(row["measured"], "safe");
  EXPECT_EQ(row["outcomes"]["done"], 6);
  if (is("sqlite")) {
    // One writer at a time: the second cart waits before it has taken anything.
    EXPECT_FALSE(row.contains("deadlocks"));
    return;
  }
  const json& deadlocks = row["deadlocks"];
  EXPECT_EQ(deadlocks["count"], row["errors"]["deadlock"]);
  EXPECT_GE(deadlocks["count"], 1);
  EXPECT_GT(deadlocks["victims_waited_ms"]["max"], 0);
  EXPECT_GT(deadlocks["survivors_waited_ms"]["max"], 0);
  expect_explained(deadlocks["example"]);
}

TEST_P(DeadlocksOn, TenUnsortedCartsHaveVictimsAndSortedOnesNone) {
  const Words level = is("sqlite") ? Words{} : Words{"--isolation", "read-committed"};
  Words arguments = {"run",        "carts",  "--trials",       "1",
                     "--strategy", "sorted", "--max-attempts", "1000"};
  arguments.insert(arguments.end(), level.begin(), level.end());
  const json sorted = row_of(arguments);
  EXPECT_EQ(sorted["outcomes"]["done"], 10);
  EXPECT_EQ(sorted["measures"]["deadlock_victims_max"], 0);
  EXPECT_FALSE(sorted.contains("deadlocks"));
  arguments[5] = "unsorted";
  const json unsorted = row_of(arguments);
  EXPECT_EQ(unsorted["measured"], "safe");
  if (is("sqlite")) return;
  EXPECT_GT(unsorted["measures"]["deadlock_victims_max"], 0);
}

TEST_P(DeadlocksOn, TheTextSaysItInWords) {
  if (is("sqlite")) GTEST_SKIP() << "it has no deadlocks";
  const Finished finished = tool({"run", "transfer", "--strategy", "from-first-locks",
                                  "--isolation", "read-committed", "--trials", "2", "--quiet"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("deadlocks; victims waited"), HasSubstr(" waited for T"),
                    HasSubstr("the victim"), HasSubstr("FOR UPDATE"), HasSubstr("the server: ")));
}

TEST_P(DeadlocksOn, AHistoryKeepsThem) {
  if (is("sqlite")) GTEST_SKIP() << "it has no deadlocks";
  const TemporaryFile folder;
  tool({"run", "carts", "--strategy", "unsorted", "--carts", "2", "--trials", "1", "--think",
        "50ms", "--quiet", "--out", folder.path().string()});
  const std::string file = (folder.path() / "history.jsonl").string();
  const json checked = json::parse(hilsa_tool({"check", file, "--format", "json"}).out);
  EXPECT_EQ(checked["verdict"], "valid");
  EXPECT_GE(checked["deadlocks"]["count"], 1);
  EXPECT_EQ(checked["deadlocks"]["example"]["waits"].size(), 2U);
  EXPECT_THAT(hilsa_tool({"check", file}).out, HasSubstr("; victims waited"));
  std::filesystem::remove_all(folder.path());
}

TEST(Deadlocks, OfASimulatedDatabaseAreExplainedToo) {
  const Finished finished =
      hilsa_tool({"run", "carts", "--strategy", "unsorted", "--db", "sim:read-committed", "--seed",
                  "1", "--carts", "2", "--trials", "3", "--format", "json", "--quiet"});
  const json row = json::parse(finished.out)["rows"][0];
  EXPECT_GE(row["deadlocks"]["count"], 1);
  expect_explained(row["deadlocks"]["example"]);
}

}  // namespace
}  // namespace hilsa::tests
