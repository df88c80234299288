#include "harness/history/history_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tests/harness/history/temporary_file.h"

namespace hilsa {
namespace {

using Json = nlohmann::json;

HistoryHeader a_header() {
  return {.workload = "oversell",
          .strategy = "atomic",
          .isolation = "read committed",
          .product = "postgresql",
          .version = "15.18",
          .url = "postgres://shop:***@db/shop",
          .clients = 2,
          .seed = 7,
          .started_at = "2026-01-02T03:04:05Z",
          .tables = {{"products", "id", {"id", "stock"}}, {"orders", "id", {"id", "product"}}}};
}

Attempt a_purchase() {
  Attempt attempt{.id = 12, .client = 1, .trial = 0, .task = 3, .try_number = 2};
  attempt.outcome = AttemptOutcome::committed;
  attempt.reply = "done";
  attempt.begin_ns = 1100;
  attempt.end_ns = 1900;
  Operation read{.kind = OperationKind::read, .statement = 4, .sql = "SELECT \"stock\""};
  read.key = 1;
  read.version = 3;
  read.writer = 9;
  read.values = {{"stock", std::int64_t{5}}};
  read.begin_ns = 1200;
  read.end_ns = 1300;
  Operation write = read;
  write.kind = OperationKind::write;
  write.statement = 5;
  write.sql = "UPDATE";
  write.version = 4;
  write.changes = {{"stock", ChangeKind::subtract, std::int64_t{1}},
                   {"note", ChangeKind::set, std::string("a\nb")}};
  Operation insert{.kind = OperationKind::insert, .statement = 6, .sql = "INSERT"};
  insert.table = 1;
  insert.key = 12;
  insert.version = 1;
  insert.values = {{"product", std::int64_t{1}}, {"note", std::monostate()}};
  insert.begin_ns = insert.end_ns = 1000;
  Operation looked{.kind = OperationKind::predicate_read, .statement = 7, .sql = "SELECT"};
  looked.predicate = {{"stock", Comparator::at_least, std::int64_t{1}}};
  looked.rows = {{.key = 1, .version = 3, .writer = 9, .values = {{"stock", std::int64_t{5}}}}};
  looked.begin_ns = looked.end_ns = 1000;
  attempt.operations = {read, write, insert, looked};
  return attempt;
}

std::vector<Json> lines_of(const std::filesystem::path& path) {
  std::vector<Json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(HistoryWriter, WritesWhatTheFormatPageSays) {
  const TemporaryFile file;
  {
    HistoryWriter writer(file.path(), a_header(), 1000);
    writer.write(a_purchase());
    const std::vector<SeenRow> final_rows = {{.key = 1, .version = 4, .writer = 12}};
    writer.write_final(0, final_rows);
    writer.write_end(false);
    EXPECT_FALSE(writer.failed());
  }
  const auto lines = lines_of(file.path());
  ASSERT_EQ(lines.size(), 8U);  // header, 4 statements, attempt, final, end
  EXPECT_EQ(lines[0]["hilsa"], "history");
  EXPECT_EQ(lines[0]["format"], kHistoryFormat);
  EXPECT_EQ(lines[0]["tables"][1],
            Json::parse(R"({"name":"orders","key":"id","columns":["id","product"]})"));
  EXPECT_EQ(lines[1], Json::parse(R"({"statement":4,"sql":"SELECT \"stock\""})"));
  EXPECT_EQ(lines[5], Json::parse(R"({
    "attempt":12,"client":1,"trial":0,"task":3,"try":2,"scope":"transaction","begin":100,"end":900,
    "outcome":"committed","reply":"done","ops":[
      ["r",4,200,300,0,1,3,9,{"stock":5}],
      ["w",5,200,300,0,1,4,{"stock":["-",1],"note":"a\nb"}],
      ["i",6,0,0,1,12,1,{"product":1,"note":null}],
      ["p",7,0,0,0,[["stock",">=",1]],[[1,3,9,{"stock":5}]]]]})"));
  EXPECT_EQ(lines[6], Json::parse(R"({"final":0,"rows":[[1,4,12,{}]]})"));
  EXPECT_EQ(lines[7], Json::parse(R"({"end":{"attempts":1,"operations":4,"interrupted":false}})"));
}

TEST(HistoryWriter, AnErrorIsRecordedInFull) {
  const TemporaryFile file;
  {
    HistoryWriter writer(file.path(), a_header(), 0);
    Attempt attempt{.id = 1};
    attempt.error = Error{ErrorKind::deadlock, "40001", 1213, "Deadlock \"found\""};
    writer.write(attempt);
  }
  const auto lines = lines_of(file.path());
  EXPECT_EQ(lines[1]["outcome"], "aborted");
  EXPECT_EQ(lines[1]["error"], Json::parse(R"({"kind":"deadlock","sqlstate":"40001","code":1213,
                                                "text":"Deadlock \"found\""})"));
}

TEST(HistoryWriter, WhereItFailedAndOnWhichSessionAreRecordedIfKnown) {
  const TemporaryFile file;
  {
    HistoryWriter writer(file.path(), a_header(), 1000);
    Attempt attempt{.id = 1, .session = 4711};
    attempt.error = Error{ErrorKind::deadlock, "40P01", 0, "deadlock detected"};
    attempt.failed = FailedStatement{
        .statement = 5, .sql = "UPDATE", .table = 1, .key = 12, .begin_ns = 1200, .end_ns = 1300};
    writer.write(attempt);
    attempt.session = 0;
    attempt.failed = FailedStatement{.statement = 5, .begin_ns = 1400, .end_ns = 1500};
    writer.write(attempt);
  }
  const auto lines = lines_of(file.path());
  ASSERT_EQ(lines.size(), 4U);  // header, the statement once, two attempts
  EXPECT_EQ(lines[1], Json::parse(R"({"statement":5,"sql":"UPDATE"})"));
  EXPECT_EQ(lines[2]["session"], 4711);
  EXPECT_EQ(lines[2]["failed"],
            Json::parse(R"({"statement":5,"begin":200,"end":300,"table":1,"key":12})"));
  EXPECT_FALSE(lines[3].contains("session"));
  EXPECT_EQ(lines[3]["failed"], Json::parse(R"({"statement":5,"begin":400,"end":500})"));
}

TEST(HistoryWriter, WhatIsNoUtf8IsReplacedSoThatTheLineCanBeRead) {
  const TemporaryFile file;
  const std::pair<std::string, std::string> cases[] = {
      {"h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x90\x9f", "h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x90\x9f"},
      {"caf\xe9!", "caf\xef\xbf\xbd!"},
      {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xc0\x80 \xf4\x90\x80\x80",
       "\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}};
  {
    HistoryWriter writer(file.path(), a_header(), 0);
    for (const auto& [reply, expected] : cases) {
      Attempt attempt{.id = 1};
      attempt.reply = reply;
      writer.write(attempt);
    }
  }
  const auto lines = lines_of(file.path());
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(lines[i + 1]["reply"], cases[i].second) << i;
  }
}

TEST(HistoryWriter, AStatementIsIntroducedOnce) {
  const TemporaryFile file;
  {
    HistoryWriter writer(file.path(), a_header(), 1000);
    writer.write(a_purchase());
    writer.write(a_purchase());
  }
  EXPECT_EQ(lines_of(file.path()).size(), 1U + 4U + 2U);
}

TEST(HistoryWriter, AFileThatCannotBeOpenedIsAnError) {
  EXPECT_THROW(HistoryWriter("/nowhere/history.jsonl", a_header(), 0), std::system_error);
}

TEST(HistoryWriter, AFullDiskIsNoticed) {
  HistoryWriter writer("/dev/full", a_header(), 0);
  for (int i = 0; i < 100; ++i) writer.write(a_purchase());
  writer.flush();
  EXPECT_TRUE(writer.failed());
}

}  // namespace
}  // namespace hilsa
