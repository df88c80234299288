#include "harness/history/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilsa {
namespace {

using ::testing::HasSubstr;

TEST(ErrorText, SaysKindCodesAndTheServersWords) {
  EXPECT_EQ(to_text(Error{ErrorKind::deadlock, "40P01", 0, "deadlock detected"}),
            "deadlock (40P01): deadlock detected");
  EXPECT_EQ(to_text(Error{ErrorKind::busy, "", 517, "database is locked"}),
            "busy (517): database is locked");
  EXPECT_EQ(to_text(Error{ErrorKind::lock_timeout, "HY000", 1205, ""}),
            "lock_timeout (HY000/1205)");
}

// Whichever kind the loss of a connection is, nobody has to know our names or the server's words.
TEST(ErrorText, SaysThatAConnectionIsLost) {
  for (const ErrorKind kind : {ErrorKind::connection_lost, ErrorKind::commit_unknown}) {
    EXPECT_THAT(to_text(Error{kind, "HY000", 2006, "Server has gone away"}),
                HasSubstr("connection lost"));
  }
}

}  // namespace
}  // namespace hilsa
