// The workloads that hunt anomalies in a database itself, end to end on every real server: what
// they record is sound at every level, and they meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/on_product.h"
#include "tests/cli/sound_history.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GeneralWorkloads : public OnProduct {
 protected:
  // Runs it with --out and examines every history that it wrote.
  static std::vector<Soundness> histories_of(Words arguments) {
    const TemporaryFile folder;
    arguments.insert(arguments.end(), {"--out", folder.path().string(), "--format", "json"});
    const Finished finished = tool(arguments);
    std::vector<Soundness> histories;
    const json report = json::parse(finished.out, nullptr, false);
    if (report.is_discarded()) {
      ADD_FAILURE() << finished.err;
      return histories;
    }
    for (const json& row : report["rows"]) {
      SCOPED_TRACE(row.dump());
      // Nothing but what databases refuse when transactions meet: one that is refused is done again,
      // unless its first statements have committed by themselves.
      EXPECT_EQ(row["errors"].value("other", 0), 0);
      if (row["strategy"] != "autocommit") {
        EXPECT_EQ(row["outcomes"]["failed"], 0);
      }
      EXPECT_GT(row["outcomes"]["done"], 0);
      histories.push_back(soundness_of(row["history"].get<std::string>()));
      EXPECT_THAT(histories.back().contradictions, IsEmpty());
    }
    std::filesystem::remove_all(folder.path());
    return histories;
  }
  static Words at_every_level(Words arguments) {
    const auto database = open_for_test(GetParam());
    for (const Isolation level : levels_of(database->product())) {
      arguments.insert(arguments.end(), {"--isolation", std::string(name_of(level))});
    }
    return arguments;
  }
  static std::size_t levels() { return levels_of(open_for_test(GetParam())->product()).size(); }
  // PostgreSQL looks for deadlocks only after a second: random transactions would spend most of
  // their time on that.
  void SetUp() override {
    if (!is("postgres")) return;
    const auto database = open_for_test(GetParam());
    const auto session = database->open_session();
    ASSERT_TRUE((*session)->execute(definition_sql("ALTER SYSTEM SET deadlock_timeout = '20ms'")));
    ASSERT_TRUE((*session)->execute(definition_sql("SELECT pg_reload_conf()")));
  }
  void TearDown() override { EXPECT_EQ(left_behind(), ""); }
};

INSTANTIATE_TEST_SUITE_P(Products, GeneralWorkloads,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(GeneralWorkloads, RowsRecordsSoundHistoriesAtEveryLevelAndWithout) {
  // The pauses make transactions overlap, few keys make them meet.
  const auto histories = histories_of(at_every_level(
      {"compare", "rows", "--trials", "1", "--tasks", "600", "--keys", "6", "--think", "1ms"}));
  ASSERT_EQ(histories.size(), levels() + 1);
  for (const Soundness& history : histories) {
    for (const char* const code : {"r", "w", "i", "d", "p"}) {
      EXPECT_GT(history.committed.at(code), 0) << code;
    }
    EXPECT_GT(history.met, 0);
    EXPECT_GT(history.rows_by_value, 0);
  }
}

TEST_P(GeneralWorkloads, RowsRecordsSoundHistoriesInTrials) {
  for (const Soundness& history : histories_of({"compare", "rows", "--trials", "5"})) {
    EXPECT_GT(history.met, 0);
  }
}

TEST_P(GeneralWorkloads, AppendRecordsSoundHistoriesAtEveryLevelAndWithout) {
  const auto histories = histories_of(at_every_level({"compare", "append", "--tasks", "300"}));
  ASSERT_EQ(histories.size(), levels() + 1);
  for (const Soundness& history : histories) EXPECT_GT(history.committed.at("w"), 0);
}

TEST_P(GeneralWorkloads, AppendGoesOnToNewListsWhenTheOldOnesAreLong) {
  const auto histories =
      histories_of({"run", "append", "--strategy", "transaction", "--tasks", "300", "--keys", "2",
                    "--list-length", "5", "--clients", "4"});
  ASSERT_EQ(histories.size(), 1U);
  EXPECT_GT(histories[0].committed.at("i"), 20);
}

TEST_P(GeneralWorkloads, RegisterRecordsSoundHistoriesAtEveryLevelAndWithout) {
  const auto histories = histories_of(
      at_every_level({"compare", "register", "--tasks", "300", "--think", "1ms", "--keys", "4"}));
  ASSERT_EQ(histories.size(), levels() + 1);
  for (const Soundness& history : histories) EXPECT_GT(history.met, 0);
}

TEST(GeneralWorkloadOptions, AreWithinTheirBounds) {
  const Finished finished =
      hilsa_tool({"run", "rows", "--strategy", "transaction", "--skew", "101"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("skew"));
}

TEST(GeneralWorkloadOptions, AreListedWithWhatDecides) {
  const Finished finished = hilsa_tool({"list", "rows"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("as isolated as the database promises"));
  EXPECT_THAT(finished.out, HasSubstr("--predicates"));
}

}  // namespace
}  // namespace hilsa::tests
