// The tool on simulated databases: one seed, one history; names that are wrong are met with the
// right ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/hilsa_process.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

// Runs it with its history in a folder of its own; the history.
std::string history_of(Words arguments) {
  const TemporaryFile folder;
  arguments.insert(arguments.end(), {"--out", folder.path().string(), "--quiet"});
  EXPECT_EQ(hilsa_tool(arguments).status, 0);
  std::string text = text_of(folder.path() / "history.jsonl");
  std::filesystem::remove_all(folder.path());
  return text;
}

TEST(Simulated, TwoRunsWithOneSeedWriteTheSameHistory) {
  Words arguments = {"run",  "oversell",           "--strategy", "read-then-write",
                     "--db", "sim:read-committed", "--seed",     "7"};
  const std::string history = history_of(arguments);
  EXPECT_THAT(history, HasSubstr("\"product\":\"simulated\""));
  EXPECT_THAT(history, HasSubstr("\"interrupted\":false"));
  EXPECT_EQ(history_of(arguments), history);
  arguments.back() = "8";
  EXPECT_NE(history_of(arguments), history);
}

TEST(Simulated, ComparesAsAnyOther) {
  const Finished finished = hilsa_tool(
      {"compare", "oversell", "--db", "sim:snapshot", "--format", "json", "--seed", "1"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["rows"].size(), 9U);
  for (const json& row : report["rows"]) {
    EXPECT_EQ(row["product"], "simulated");
    EXPECT_EQ(row["measured"], row["promised"]) << row["strategy"];
  }
}

TEST(Simulated, ABugBreaksWhatTheLevelPromises) {
  const Finished finished =
      hilsa_tool({"run", "oversell", "--strategy", "atomic", "--db",
                  "sim:read-committed?bug=lost-write", "--seed", "1", "--tasks", "500"});
  EXPECT_EQ(finished.status, 1) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("unbalanced"));
}

TEST(Simulated, DoctorTellsWhatItIs) {
  const Finished finished =
      hilsa_tool({"doctor", "--db", "sim:serializable-2pl?bug=dirty-read&schedule=free"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("simulated database"));
  EXPECT_THAT(finished.out, HasSubstr("serializable-2pl"));
  EXPECT_THAT(finished.out, HasSubstr("dirty-read"));
  EXPECT_THAT(finished.out, HasSubstr("free"));
}

TEST(Simulated, WrongWordsAreMetWithTheNearestRightOnes) {
  const auto error_for = [](const std::string& url) {
    const Finished finished = hilsa_tool({"doctor", "--db", url});
    EXPECT_EQ(finished.status, 2) << url;
    return finished.err;
  };
  EXPECT_EQ(error_for("sim:snapshto"),
            "hilsa: a simulated database has no level 'snapshto'; there are read-uncommitted, "
            "read-committed, snapshot, serializable-2pl and serializable-ssi; did you mean "
            "'snapshot'?\n");
  EXPECT_THAT(error_for("sim:?bug=lost-writes"), HasSubstr("did you mean 'lost-write'?"));
  EXPECT_THAT(error_for("sim:?bugs=lost-write"), HasSubstr("no option 'bugs'"));
  EXPECT_THAT(error_for("sim:?schedule=fair"), HasSubstr("no schedule 'fair'"));
}

TEST(Simulated, AnotherLevelThanTheUrlsIsRefused) {
  const Finished finished = hilsa_tool({"run", "oversell", "--strategy", "atomic", "--db",
                                        "sim:snapshot", "--isolation", "read-committed"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("runs at the level in its URL"));
}

TEST(Simulated, CanBeStopped) {
  const TemporaryFile folder;
  HilsaProcess process({"run", "oversell", "--strategy", "for-update", "--db", "sim:read-committed",
                        "--duration", "1h", "--out", folder.path().string()});
  const auto history = folder.path() / "history.jsonl";
  ASSERT_TRUE(eventually([&] {
    std::error_code ignored;
    return std::filesystem::exists(history) && std::filesystem::file_size(history, ignored) > 20000;
  }));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().status, 4);
  EXPECT_THAT(text_of(history), HasSubstr("\"interrupted\":true"));
  std::filesystem::remove_all(folder.path());
}

}  // namespace
}  // namespace hilsa::tests
