#include "harness/history/readers/read_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <fstream>
#include <string>
#include <vector>

#include "harness/history/history_writer.h"
#include "tests/harness/history/readers/story.h"
#include "tests/harness/history/temporary_file.h"

namespace hilsa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string compressed(std::string_view text) {
  std::string result(ZSTD_compressBound(text.size()), '\0');
  result.resize(ZSTD_compress(result.data(), result.size(), text.data(), text.size(), 3));
  return result;
}

class FileOf {
 public:
  explicit FileOf(std::string_view text) { std::ofstream(file_.path()) << text; }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  TemporaryFile file_;
};

std::string error_of_files(const std::vector<std::filesystem::path>& files) {
  try {
    read_histories(files);
    return {};
  } catch (const HistoryUnreadable& error) {
    return error.what();
  }
}

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) {
    text += "w(1," + std::to_string(i) + ",1," + std::to_string(i) + ")\n";
  }
  return text;
}

TEST(ReadHistory, WhatCannotBeReadIsAnErrorThatNamesTheFile) {
  EXPECT_EQ(error_of_files({"/nowhere/h.edn"}),
            "/nowhere/h.edn: cannot be read: No such file or directory");
  EXPECT_EQ(error_of_files({"/"}), "/: cannot be read: Is a directory");
  EXPECT_EQ(error_of(""), "h:1: an empty file; expected a history");
  EXPECT_EQ(error_of(" \n\n"), "h:1: an empty file; expected a history");
  EXPECT_EQ(error_of("\n\nhello {}\n"),
            "h:1: 'hello {}'; expected history.jsonl, EDN, JSON, or lines like "
            "r(key,value,session,txn)");
  EXPECT_EQ(error_of(std::string("\x7f"
                                 "ELF\x00\x01",
                                 6)),
            "h:1: '?ELF?"
            "?'; expected history.jsonl, EDN, JSON, or lines like "
            "r(key,value,session,txn)");
}

TEST(ReadHistory, CompressedFilesAreReadWhateverTheyAreCalled) {
  EXPECT_EQ(story_of(compressed(lines(1, 3))), story_of(lines(1, 3)));
  EXPECT_EQ(story_of(compressed(lines(1, 2)) + compressed(lines(3, 3))), story_of(lines(1, 3)))
      << "several frames";
  const std::string large = lines(1, 200'000);
  EXPECT_EQ(read_history_text("h", compressed(large)).transactions(), 200'000U);
}

TEST(ReadHistory, ACompressedFileCutAnywhereIsGoodUpToThere) {
  const std::string whole = compressed(lines(1, 30'000));
  for (std::size_t size = whole.size() / 2; size < whole.size(); size += 997) {
    const History history = read_history_text("h", whole.substr(0, size));
    EXPECT_TRUE(history.cut_short);
    ASSERT_EQ(history.notes.size(), 1U);
    EXPECT_THAT(history.notes[0], HasSubstr("h breaks off in line"));
  }
}

TEST(ReadHistory, DamagedCompressedDataAreAnError) {
  std::string damaged = compressed(lines(1, 3));
  damaged[5] = static_cast<char>(damaged[5] ^ 0x55);
  EXPECT_THAT(error_of(damaged), HasSubstr("h:1: damaged zstd data ("));
}

TEST(ReadHistory, WhatTheWriterCompressesTheReaderReads) {
  const TemporaryFile plain;
  const std::filesystem::path zst = plain.path().string() + ".zst";
  const HistoryHeader header{.workload = "w", .tables = {{"t", "id", {"id", "n"}}}};
  Attempt attempt{.id = 1, .client = 1, .begin_ns = 1, .end_ns = 2};
  attempt.outcome = AttemptOutcome::committed;
  for (const auto& path : {plain.path(), zst}) {
    HistoryWriter writer(path, header, 0);
    for (attempt.id = 1; attempt.id <= 1000; ++attempt.id) writer.write(attempt);
    writer.write_end(false);
    EXPECT_FALSE(writer.failed());
  }
  const History history = read_histories(std::vector{zst});
  EXPECT_FALSE(history.cut_short);
  EXPECT_EQ(story_of(history), story_of(read_histories(std::vector{plain.path()})));
  EXPECT_EQ(history.transactions(), 1000U);
  EXPECT_LT(std::filesystem::file_size(zst), std::filesystem::file_size(plain.path()) / 5);
  std::filesystem::remove(zst);
}

TEST(ReadHistory, WhatTheWriterHasFlushedCanBeReadAfterACrash) {
  const TemporaryFile plain;
  const std::filesystem::path zst = plain.path().string() + ".zst";
  Attempt attempt{.id = 1, .client = 1, .begin_ns = 1, .end_ns = 2};
  HistoryWriter writer(zst, {}, 0);
  writer.write(attempt);
  writer.flush();
  attempt.id = 2;
  writer.write(attempt);
  const History history = read_histories(std::vector{zst});
  EXPECT_EQ(history.transactions(), 1U);
  EXPECT_TRUE(history.cut_short);
  std::filesystem::remove(zst);
}

TEST(ReadHistory, FilesOfTextAreDifferentClientsAndHaveNoTimes) {
  const FileOf first("w(1,1,1,1)\nw(1,2,1,2)\n");
  const FileOf second("w(1,3,1,1)\n");
  EXPECT_THAT(story_of(read_histories(std::vector{first.path(), second.path()})),
              ElementsAre("T1 of 1, committed: w(1,1)", "T2 of 1, committed: w(1,2)",
                          "T3 of 2, committed: w(1,3)"));
}

TEST(ReadHistory, FilesOfEdnArePiecesOfOneHistory) {
  const FileOf first(
      "{:index 1 :type :invoke :process 5 :value [[:append 1 1]]}\n"
      "{:index 2 :type :invoke :process 6 :value [[:append 1 2]]}\n"
      "{:index 3 :type :ok :process 6 :value [[:append 1 2]]}\n");
  const FileOf second(
      "{:index 4 :type :ok :process 5 :value [[:append 1 1]]}\n"
      "{:index 5 :type :invoke :process 6 :value [[:append 1 3]]}\n"
      "{:index 6 :type :ok :process 6 :value [[:append 1 3]]}\n");
  EXPECT_THAT(story_of(read_histories(std::vector{first.path(), second.path()})),
              ElementsAre("T2 of 2, committed: append(1,2)", "T1 of 1, committed: append(1,1)",
                          "T5 of 2, committed: append(1,3)"));
}

std::string recording(int attempt, int client) {
  return R"({"hilsa":"history","format":1,"clients":2,"tables":[{"name":")" +
         std::string(client == 1 ? "a" : "b") +
         R"(","key":"id","columns":["id"]}]})"
         "\n{\"statement\":1,\"sql\":\"S" +
         std::to_string(client) + "\"}\n{\"attempt\":" + std::to_string(attempt) + R"(,"client":)" +
         std::to_string(client) +
         R"(,"begin":1,"end":2,"outcome":"committed","ops":[["i",1,1,2,0,7,1,{}]]})"
         "\n{\"end\":{\"attempts\":1,\"operations\":1}}\n";
}

TEST(ReadHistory, RecordingsAreOneHistoryOfDifferentClients) {
  const FileOf first(recording(1, 1));
  const FileOf second(recording(2, 2));
  const History history = read_histories(std::vector{first.path(), second.path()});
  EXPECT_THAT(story_of(history),
              ElementsAre("T1 of 1, committed: i(a/7 v1)", "T2 of 3, committed: i(b/7 v1)"));
  EXPECT_EQ(history.header.clients, 4);
  EXPECT_EQ(history.statements, (std::vector<std::string>{"S1", "S2"}));
}

TEST(ReadHistory, AnAttemptInTwoFilesIsAnError) {
  const FileOf first(recording(1, 1));
  const FileOf second(recording(1, 2));
  EXPECT_EQ(
      error_of_files({first.path(), second.path()}),
      second.path().string() + ":3: attempt 1 a second time; expected each id once, in all files");
}

TEST(ReadHistory, FilesOfDifferentFormatsAreAnError) {
  const FileOf first(recording(1, 1));
  const FileOf second("w(1,1,1,1)\n");
  EXPECT_EQ(error_of_files({first.path(), second.path()}),
            second.path().string() +
                ":1: operations as text; expected a history of hilsa's own, as in " +
                first.path().string());
}

TEST(ReadHistory, ProgressCountsBytes) {
  std::uint64_t bytes = 0;
  const std::string text = lines(1, 100'000);
  read_history_text("h", text, {.progress = [&](std::uint64_t so_far) {
                      EXPECT_GT(so_far, bytes);
                      bytes = so_far;
                    }});
  EXPECT_EQ(bytes, text.size());
}

}  // namespace
}  // namespace hilsa
