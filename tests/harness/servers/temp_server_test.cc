// Throw-away servers start, can be reached, and leave nothing behind however their owner ends.
// Needs the servers that `scripts/install test` installs.
#include "harness/servers/temp_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/database/database.h"
#include "harness/database/usage_error.h"
#include "harness/servers/installed_server.h"
#include "harness/servers/server_log.h"

namespace hilsa {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;

Url temp(const std::string& product, std::map<std::string, std::string> settings = {}) {
  Url url;
  url.scheme = Url::Scheme::temp;
  url.name = product;
  url.options = std::move(settings);
  return url;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Url::Scheme scheme_of(const std::string& product) {
  if (product == "postgres") return Url::Scheme::postgres;
  return product == "mariadb" ? Url::Scheme::mariadb : Url::Scheme::mysql;
}

// The processes whose command line names the directory.
std::vector<std::string> processes_of(const std::string& directory) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string command = text_of(entry.path() / "cmdline");
    if (command.find(directory) != std::string::npos) found.push_back(entry.path().filename());
  }
  return found;
}

// What the message of the exception is; empty when there is none.
template <typename Exception, typename Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

// Temporary directories are made in one of the test's own, so that the servers of others, which may
// run at the same time, are not taken for this test's.
class TempServerTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const char* before = ::getenv("TMPDIR"); before != nullptr) tmpdir_before_ = before;
    std::string name = "/tmp/hilsa-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    ASSERT_EQ(::chmod(name.c_str(), 01777), 0);
    base_ = name;
    ::setenv("TMPDIR", base_.c_str(), 1);
  }
  void TearDown() override {
    if (tmpdir_before_) {
      ::setenv("TMPDIR", tmpdir_before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
    fs::remove_all(base_);
  }

  bool nothing_is_left() const { return fs::is_empty(base_) && processes_of(base_).empty(); }
  bool nothing_is_left_within(milliseconds patience) const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!nothing_is_left()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return true;
  }

  // Starts a server in a child process, which is killed when `when` returns; `when` gets the end of
  // a pipe from which one byte can be read once the server is ready.
  template <typename Function>
  void start_in_child_and_kill(Function when) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe(ready.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const TempServer server(temp(GetParam()));
      if (::write(ready[1], "r", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    when(ready[0]);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
  }

  std::string base_;
  std::optional<std::string> tmpdir_before_;
};

using EveryTempServer = TempServerTest;
INSTANTIATE_TEST_SUITE_P(Products, EveryTempServer, testing::Values("postgres", "mariadb", "mysql"),
                         [](const auto& product) { return product.param; });

TEST_P(EveryTempServer, IsReachableThroughASocketAndGoneAfterwards) {
  {
    const TempServer server(temp(GetParam()));
    const Url& url = server.url();
    EXPECT_EQ(url.scheme, scheme_of(GetParam()));
    EXPECT_EQ(url.user, "hilsa");
    EXPECT_GE(url.password.size(), 16U);
    EXPECT_FALSE(url.name.empty());
    const std::string socket = url.scheme == Url::Scheme::postgres
                                   ? url.options.at("host") + "/.s.PGSQL.5432"
                                   : url.options.at("socket");
    EXPECT_TRUE(fs::is_socket(socket)) << socket;
    EXPECT_THAT(socket, testing::StartsWith(base_));
    EXPECT_FALSE(processes_of(base_).empty());
    const auto permissions = fs::status(fs::path(socket).parent_path()).permissions();
    EXPECT_EQ(permissions, fs::perms::owner_all) << "others can get at the server";
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_P(EveryTempServer, IsWhereItsUrlSaysWhateverTheEnvironmentSays) {
  const std::vector<std::string> names = {"PGPORT", "PGHOST", "MYSQL_TCP_PORT", "MYSQL_UNIX_PORT"};
  for (const std::string& name : names) ::setenv(name.c_str(), "1", 1);
  {
    const TempServer server(temp(GetParam()));
    if (GetParam() == "postgres") {
      EXPECT_TRUE(fs::is_socket(server.url().options.at("host") + "/.s.PGSQL.5432"));
    }
    EXPECT_TRUE(open_database(server.url(), {})->open_session());
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

TEST_P(EveryTempServer, ShowsItsPasswordToNobody) {
  const TempServer server(temp(GetParam()));
  for (const auto& process : processes_of(base_)) {
    const std::string command = text_of("/proc/" + process + "/cmdline");
    EXPECT_EQ(command.find(server.url().password), std::string::npos) << command;
  }
}

TEST_P(EveryTempServer, GoesWhenItsOwnerIsKilled) {
  start_in_child_and_kill([](int ready) {
    char byte = 0;
    ASSERT_EQ(::read(ready, &byte, 1), 1) << "the server did not start";
  });
  EXPECT_TRUE(nothing_is_left_within(seconds(10)));
}

TEST_P(EveryTempServer, GoesWhenItsOwnerIsKilledWhileItStarts) {
  start_in_child_and_kill([this](int) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(30);
    // The supervisor is there; the data directory is being made.
    while (processes_of(base_).empty() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  EXPECT_TRUE(nothing_is_left_within(seconds(20)));
}

TEST_P(EveryTempServer, SaysWhichSettingItDoesNotKnow) {
  const std::string message = message_of<DatabaseUnusable>([] {
    const TempServer server(temp(GetParam(), {{"no_such_setting", "1"}}));
  });
  EXPECT_THAT(message, AllOf(HasSubstr("does not start"), HasSubstr("no_such_setting")));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(TempServerTest, TakesSettingsThatOverrideItsOwn) {
  const TempServer server(temp("postgres", {{"max_connections", "7"}, {"work_mem", "8 MB"}}));
  const auto processes = processes_of(base_);
  std::string commands;
  for (const auto& process : processes) commands += text_of("/proc/" + process + "/cmdline");
  EXPECT_THAT(commands, AllOf(HasSubstr("max_connections=7"), HasSubstr("work_mem=8 MB")));
  EXPECT_THAT(commands, testing::Not(HasSubstr("max_connections=1100")));
}

TEST_F(TempServerTest, PostgresAddressIsAWholeUri) {
  const TempServer server(temp("postgres"));
  const Url& url = server.url();
  EXPECT_EQ(url.text, "postgres://hilsa:" + url.password +
                          "@/postgres?host=" + url.options.at("host") + "&port=5432");
}

TEST_F(TempServerTest, MovesWithItsOwner) {
  TempServer first(temp("postgres"));
  const std::string host = first.url().options.at("host");
  {
    const TempServer second(std::move(first));
    EXPECT_EQ(second.url().options.at("host"), host);
    EXPECT_TRUE(fs::exists(host));
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(TempServerTest, FallsBackWhenTheTemporaryDirectoryDoesNotSuitSockets) {
  const std::string deep = base_ + "/" + std::string(90, 'd');
  fs::create_directory(deep);
  fs::permissions(deep, fs::perms::all);
  ::setenv("TMPDIR", deep.c_str(), 1);
  const TempServer server(temp("postgres"));
  EXPECT_THAT(server.url().options.at("host"), testing::StartsWith("/tmp/hilsa-postgres-"));
}

TEST_F(TempServerTest, UnknownProductIsAUsageErrorThatNamesTheKnown) {
  EXPECT_EQ(message_of<UsageError>([] { const TempServer server(temp("oracle")); }),
            "no temporary server 'temp:oracle': there are temp:postgres, temp:mariadb, temp:mysql");
}

TEST_F(TempServerTest, UnfitSettingsAreUsageErrors) {
  const auto message = [](const std::string& name, const std::string& value) {
    return message_of<UsageError>([&] {
      const TempServer server(temp("postgres", {{name, value}}));
    });
  };
  EXPECT_THAT(message("Work-Mem", "1"), HasSubstr("'Work-Mem' is no setting of a server"));
  EXPECT_THAT(message("", "1"), HasSubstr("'' is no setting of a server"));
  EXPECT_EQ(message("port", "1"), "the setting 'port' of a temporary server cannot be changed");
  EXPECT_EQ(message("work_mem", "1'; x"),
            "the value of the setting 'work_mem' holds a quote or a line break");
  EXPECT_EQ(message("work_mem", "1\nfsync=on"),
            "the value of the setting 'work_mem' holds a quote or a line break");
}

TEST(InstalledServer, MissingOnesAreNamedWithWhatToInstall) {
  const std::vector<std::string> nowhere = {"/nonexistent"};
  EXPECT_EQ(message_of<DatabaseUnusable>([&] { find_postgres(nowhere); }),
            "no PostgreSQL server is installed here: apt-get install postgresql");
  EXPECT_THAT(message_of<DatabaseUnusable>([&] { find_mariadb(nowhere); }),
              HasSubstr("apt-get install mariadb-server-core"));
  EXPECT_THAT(message_of<DatabaseUnusable>([] {
                find_mysql({"/nonexistent/a", "/nonexistent/b"});
              }),
              HasSubstr("run scripts/mysql-server"));
}

TEST(InstalledServer, MariadbsMysqldIsNotMysql) {
  const std::string mariadbd = find_mariadb(server_directories()).mariadbd;
  EXPECT_THAT(message_of<DatabaseUnusable>([&] { find_mysql({mariadbd}); }),
              HasSubstr("is not a MySQL server"));
}

TEST(ServerLog, FirstErrorIsTheCause) {
  EXPECT_EQ(
      first_complaint("2026-01-01 LOG:  starting\n"
                      "2026-01-01 UTC [7] FATAL:  unrecognized configuration parameter \"a\"\n"),
      "unrecognized configuration parameter \"a\"");
  EXPECT_EQ(first_complaint("x 0 [System] [MY-1] [Server] starting\n"
                            "x 0 [ERROR] [MY-000067] [Server] unknown variable 'a=1'.\n"
                            "x 0 [ERROR] [MY-010119] [Server] Aborting\n"),
            "unknown variable 'a=1'");
}

TEST(ServerLog, LastLineStandsInForAnError) {
  EXPECT_EQ(first_complaint("one\nsh: 1: exec: not found\n\n"), "sh: 1: exec: not found");
  EXPECT_EQ(first_complaint(""), "");
}

}  // namespace
}  // namespace hilsa
