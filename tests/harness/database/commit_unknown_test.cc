// The link breaks while a commit is in flight: nobody can tell what happened, and Hilsa says so.
#include <gtest/gtest.h>

#include <array>

#include "tests/harness/database/conformance.h"
#include "tests/harness/database/cutting_proxy.h"
#include "tests/harness/database/servers_for_tests.h"

namespace hilsa::tests {
namespace {

const Statement kRead({.kind = StatementKind::read_row},
                      Rendering{{"SELECT stock FROM {item} WHERE id = ?", {0}}});
const Statement kTake({.kind = StatementKind::update},
                      Rendering{{"UPDATE {item} SET stock = stock - ? WHERE id = 1", {0}}});

class CommitUnknown : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    const Url& url = server_url(GetParam());
    proxy_ = std::make_unique<CuttingProxy>(socket_of(url));
    far_ = open_database(with_socket(url, proxy_->socket()), {});
    far_->set_table_prefix(database().table_prefix());
    client_ = session_of(*far_);
    // Prepared now, so that the request that is cut is the statement itself.
    must_take(0);
    must_read();
  }

  void TearDown() override {
    if (!proxy_) return;  // SetUp has failed
    EXPECT_TRUE(proxy_->has_cut());
  }

  void must_take(int quantity) {
    EXPECT_TRUE(client_->execute(kTake, std::array{Value(quantity)}));
  }
  void must_read() { EXPECT_TRUE(client_->execute(kRead, std::array{Value(1)})); }

  std::unique_ptr<CuttingProxy> proxy_;
  std::unique_ptr<Database> far_;
  std::unique_ptr<Session> client_;
};

INSTANTIATE_TEST_SUITE_P(Servers, CommitUnknown, ::testing::Values("postgres", "mariadb", "mysql"),
                         product_of);

TEST_P(CommitUnknown, WithoutAnAnswerToCommitThatHappened) {
  must(*client_, begin_at(std::nullopt));
  must_take(3);
  proxy_->arm(Cut::before_answer, "COMMIT");
  EXPECT_EQ(must_fail(*client_, commit()).kind, ErrorKind::commit_unknown);
  EXPECT_FALSE(client_->usable());
  EXPECT_EQ(stock_of(1), 7);
}

TEST_P(CommitUnknown, WithoutAnAnswerToCommitThatDidNotHappen) {
  must(*client_, begin_at(std::nullopt));
  must_take(3);
  proxy_->arm(Cut::before_request, "COMMIT");
  EXPECT_EQ(must_fail(*client_, commit()).kind, ErrorKind::commit_unknown);
  EXPECT_FALSE(client_->usable());
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(CommitUnknown, WithoutAnAnswerToAWriteThatCommitsByItself) {
  proxy_->arm(Cut::before_answer, "");
  const auto result = client_->execute(kTake, std::array{Value(3)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::commit_unknown);
  EXPECT_FALSE(client_->usable());
  EXPECT_EQ(stock_of(1), 7);
}

TEST_P(CommitUnknown, NotOfAReadInATransaction) {
  must(*client_, begin_at(std::nullopt));
  must_take(3);
  proxy_->arm(Cut::before_answer, "");
  const auto result = client_->execute(kRead, std::array{Value(1)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::connection_lost);
  EXPECT_FALSE(client_->usable());
  EXPECT_EQ(must_fail(*client_, commit()).kind, ErrorKind::connection_lost);
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(CommitUnknown, NotOfAWriteInATransaction) {
  must(*client_, begin_at(std::nullopt));
  proxy_->arm(Cut::before_answer, "");
  const auto result = client_->execute(kTake, std::array{Value(3)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::connection_lost);
  EXPECT_EQ(stock_of(1), 10);
}

TEST_P(CommitUnknown, NotOfAReadThatCommitsByItself) {
  proxy_->arm(Cut::before_answer, "");
  const auto result = client_->execute(kRead, std::array{Value(1)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::connection_lost);
}

TEST_P(CommitUnknown, ASessionNeverReconnects) {
  must(*client_, begin_at(std::nullopt));
  proxy_->arm(Cut::before_request, "");
  for (int i = 0; i < 3; ++i) {
    const auto result = client_->execute(kTake, std::array{Value(3)});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::connection_lost);
  }
  EXPECT_EQ(stock_of(1), 10);
}

}  // namespace
}  // namespace hilsa::tests
