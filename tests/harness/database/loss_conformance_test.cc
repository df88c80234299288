// Connections that end, and databases that cannot be opened.
#include "harness/database/usage_error.h"
#include "tests/harness/database/conformance.h"
#include "tests/harness/database/servers_for_tests.h"

namespace hilsa::tests {
namespace {

bool is_loss(ErrorKind kind) {
  return kind == ErrorKind::connection_lost || kind == ErrorKind::commit_unknown;
}

TEST_P(ServerConformance, KilledInATransactionIsALostConnectionForGood) {
  const auto client = session();
  const std::string id = connection_id(*client);
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 9 WHERE id = 1");
  kill(id);
  const std::string update = "UPDATE {item} SET stock = 8 WHERE id = 1";
  EXPECT_EQ(must_fail(*client, update).kind, ErrorKind::connection_lost);
  EXPECT_FALSE(client->usable());
  EXPECT_EQ(must_fail(*client, update).kind, ErrorKind::connection_lost);
  EXPECT_TRUE(is_loss(must_fail(*client, commit()).kind));
  EXPECT_TRUE(is_loss(must_fail(*client, rollback()).kind));
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(ServerConformance, KilledBeforeCommitIsNeverACommit) {
  const auto client = session();
  const std::string id = connection_id(*client);
  must(*client, begin_at(std::nullopt));
  must(*client, "UPDATE {item} SET stock = 9 WHERE id = 1");
  kill(id);
  EXPECT_EQ(must_fail(*client, commit()).kind, ErrorKind::commit_unknown);
  EXPECT_FALSE(client->usable());
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(ServerConformance, AWriteOnAConnectionKilledWhileIdleIsNeverASuccess) {
  const auto client = session();
  const std::string id = connection_id(*client);
  kill(id);
  const std::string update = "UPDATE {item} SET stock = 9 WHERE id = 1";
  EXPECT_TRUE(is_loss(must_fail(*client, update).kind));
  EXPECT_FALSE(client->usable());
  EXPECT_TRUE(is_loss(must_fail(*client, update).kind)) << "has reconnected";
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(ServerConformance, AStatementUsedBeforeIsNotRunOnAKilledConnection) {
  const Statement read({.kind = StatementKind::read_rows},
                       Rendering{{"SELECT stock FROM {item}", {}}});
  const auto client = session();
  ASSERT_TRUE(client->execute(read));
  kill(connection_id(*client));
  EXPECT_EQ(must_fail(*client, read).kind, ErrorKind::connection_lost);
  EXPECT_FALSE(client->usable());
}

TEST_P(ServerConformance, KilledWhileItWaitsIsALostConnection) {
  const auto holder = session();
  const auto client = session();
  const std::string id = connection_id(*client);
  must(*holder, begin_at(std::nullopt));
  must(*holder, "UPDATE {item} SET stock = 9 WHERE id = 1");
  must(*client, begin_at(std::nullopt));
  Pending pending = in_background(*client, "UPDATE {item} SET stock = 8 WHERE id = 1");
  wait_until_blocked();
  kill(id);
  const auto ended = outcome_of(pending);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::connection_lost) << to_text(ended.error());
  EXPECT_FALSE(client->usable());
  must(*holder, rollback());
}

// What open_database() says of the URL; empty if it opens.
std::string complaint_about(const Url& url) {
  try {
    open_database(url, {.connect_timeout = std::chrono::seconds(5)});
  } catch (const DatabaseUnusable& error) {
    return error.what();
  }
  return "";
}

void expect_advice(const std::string& complaint, std::string_view words, const Url& url) {
  EXPECT_NE(complaint.find(words), std::string::npos) << complaint;
  EXPECT_EQ(complaint.find('\n'), std::string::npos);
  if (url.password.empty()) return;
  EXPECT_EQ(complaint.find(url.password), std::string::npos);
}

TEST_P(ServerConformance, WithoutAServerTheAdviceIsToStartIt) {
  const Url& url = server_url(GetParam());
  const std::string nowhere =
      "/nonexistent/" + socket_of(url).substr(socket_of(url).rfind('/') + 1);
  expect_advice(complaint_about(with_socket(url, nowhere)), "is the server running", url);
}

TEST_P(ServerConformance, AWrongPasswordIsNotShown) {
  const Url& right = server_url(GetParam());
  Url url = right;
  url.password = "not-the-pass-word";
  const std::size_t at = url.text.find(right.password);
  if (at != std::string::npos) url.text.replace(at, right.password.size(), url.password);
  expect_advice(complaint_about(url), "user name or password", url);
}

TEST_P(InnodbConformance, AWrongDatabaseIsNamed) {
  Url url = server_url(GetParam());
  url.name = "no_such_database";
  expect_advice(complaint_about(url), "no such database", url);
}

TEST_P(InnodbConformance, ADatabaseMustBeNamed) {
  Url url = server_url(GetParam());
  url.name = "";
  EXPECT_THROW(open_database(url, {}), UsageError);
}

TEST_P(InnodbConformance, AnOptionThatDoesNotExistIsNamed) {
  Url url = server_url(GetParam());
  url.options["sokcet"] = "/tmp/s";
  try {
    open_database(url, {});
    FAIL() << "should have been refused";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'sokcet'"), std::string::npos) << error.what();
  }
}

TEST_P(InnodbConformance, NoMoreConnectionsIsToldApart) {
  const auto root = session();
  must(*root, "CREATE USER limited IDENTIFIED BY 'limited' WITH MAX_USER_CONNECTIONS 1");
  must(*root, "GRANT ALL ON *.* TO limited");
  Url url = server_url(GetParam());
  url.user = "limited";
  url.password = "limited";
  const auto limited = open_database(url, {});
  // The server may still count the connection that open_database() closed.
  std::unique_ptr<Session> only;
  ASSERT_TRUE(wait_until([&] {
    auto opened = limited->open_session();
    if (opened) only = *std::move(opened);
    return only != nullptr;
  }));
  const auto second = limited->open_session();
  ASSERT_FALSE(second);
  EXPECT_TRUE(is_connection_limit(second.error())) << to_text(second.error());
  must(*root, "DROP USER limited");
}

TEST_P(InnodbConformance, WhatAUserMayNotDoIsSaid) {
  const auto root = session();
  Url url = server_url(GetParam());
  must(*root, "CREATE USER humble IDENTIFIED BY 'humble'");
  must(*root, "GRANT SELECT ON " + url.name + ".* TO humble");
  url.user = "humble";
  url.password = "humble";
  const auto humble = open_database(url, {});
  std::string forbidden;
  for (const Setting& setting : humble->settings()) {
    if (setting.value == "not allowed") forbidden += setting.name + "; ";
  }
  EXPECT_NE(forbidden.find("create tables"), std::string::npos) << forbidden;
  EXPECT_NE(forbidden.find("InnoDB status"), std::string::npos) << forbidden;
  for (const Setting& setting : database().settings()) EXPECT_NE(setting.value, "not allowed");
  must(*root, "DROP USER humble");
}

}  // namespace
}  // namespace hilsa::tests
