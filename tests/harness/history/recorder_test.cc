#include "harness/history/recorder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "harness/history/history_writer.h"
#include "tests/harness/history/temporary_file.h"

namespace hilsa {
namespace {

TEST(Recorder, KeepsEveryAttemptOfManyClientsInTheOrderOfTheirEnds) {
  constexpr int kClients = 8;
  constexpr int kEach = 2000;
  const TemporaryFile file;
  {
    HistoryWriter writer(file.path(), {}, 0);
    Recorder recorder(writer, kClients);
    std::vector<std::thread> clients;
    for (int client = 1; client <= kClients; ++client) {
      clients.emplace_back([&recorder, client] {
        for (int i = 0; i < kEach; ++i) {
          recorder.record({.id = client * kEach + i, .client = client, .begin_ns = now_ns()});
        }
      });
    }
    for (std::thread& client : clients) client.join();
    recorder.finish();
    writer.write_end(false);
  }
  std::ifstream lines(file.path());
  std::string line;
  std::getline(lines, line);  // header
  std::set<std::int64_t> ids;
  std::int64_t last_end = 0;
  while (std::getline(lines, line)) {
    const auto json = nlohmann::json::parse(line);
    if (json.contains("end") && json["end"].is_object()) {
      EXPECT_EQ(json["end"]["attempts"], kClients * kEach);
      continue;
    }
    ids.insert(json["attempt"].get<std::int64_t>());
    EXPECT_GE(json["end"].get<std::int64_t>(), last_end);
    EXPECT_GE(json["end"].get<std::int64_t>(), json["begin"].get<std::int64_t>());
    last_end = json["end"].get<std::int64_t>();
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kClients) * kEach);
}

TEST(Recorder, FinishWritesWhatIsLeft) {
  const TemporaryFile file;
  HistoryWriter writer(file.path(), {}, 0);
  Recorder recorder(writer, 1);
  recorder.record({.id = 1, .client = 1});
  recorder.finish();
  EXPECT_EQ(writer.counts().attempts, 1);
  recorder.finish();  // once more does nothing
  EXPECT_EQ(writer.counts().attempts, 1);
}

}  // namespace
}  // namespace hilsa
