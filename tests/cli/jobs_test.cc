// A queue of jobs and workers that die, end to end, on every real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/on_product.h"

namespace hilsa::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Jobs : public OnProduct {
 protected:
  static json row_of(Words arguments) {
    arguments.insert(arguments.begin(), {"run", "jobs", "--format", "json"});
    const Finished finished = tool(arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return json::parse(finished.out)["rows"][0];
  }
};
class JobsOnServer : public Jobs {};

INSTANTIATE_TEST_SUITE_P(Products, Jobs,
                         ::testing::Values("sqlite", "postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Products, JobsOnServer, ::testing::Values("postgres", "mariadb", "mysql"),
                         [](const auto& test) { return test.param; });

TEST_P(JobsOnServer, SkipLockedGivesEveryWorkerAJobAndEveryJobToOneWorker) {
  const json row = row_of({"--strategy", "skip-locked", "--crash-every", "0"});
  SCOPED_TRACE(row.dump(1));
  EXPECT_EQ(row["outcomes"]["done"], 200);
  EXPECT_EQ(row["attempts"], 200);
  EXPECT_EQ(row["trials_violated"], 0);
  EXPECT_EQ(row["measures"]["waiting_max"], 0);
}

TEST_P(JobsOnServer, AJobWhoseWorkerDiedIsThereForTheNext) {
  // 300 tasks of 10 workers, every 6th of whom dies: 50 crashes, and 250 jobs for the others.
  for (const char* const strategy : {"for-update", "skip-locked"}) {
    const json row = row_of({"--strategy", strategy, "--tasks", "300", "--trials", "1", "--clients",
                             "10", "--jobs", "250", "--follow-ups", "0", "--crash-every", "6",
                             "--think", "1ms", "--max-attempts", "50"});
    SCOPED_TRACE(row.dump(1));
    EXPECT_EQ(row["trials_violated"], 0);
    EXPECT_EQ(row["errors"]["connection_lost"], row["outcomes"]["failed"]);
    EXPECT_GT(row["outcomes"]["failed"], 0);
    EXPECT_EQ(row["outcomes"]["done"].get<int>() + row["measures"]["waiting_max"].get<int>(), 250);
    // Who looks while the last jobs are all in others' hands finds nothing to do, and so may leave
    // as many behind as there are workers.
    EXPECT_LE(row["measures"]["waiting_max"], 10);
  }
}

TEST_P(JobsOnServer, AJobThatIsClaimedInATransactionOfItsOwnIsLostWithItsWorker) {
  const json row = row_of({"--strategy", "claim-first"});
  SCOPED_TRACE(row.dump(1));
  EXPECT_EQ(row["promised"], "unsafe");
  EXPECT_EQ(row["violations"]["lost"], 10);
  EXPECT_EQ(row["measures"]["stuck_max"], 4);  // every 5th of 20 workers
  const Finished told = tool({"run", "jobs", "--strategy", "claim-first", "--quiet"});
  EXPECT_THAT(told.out, HasSubstr("no isolation level helps"));
}

TEST_P(JobsOnServer, WithoutACrashClaimingFirstIsNotPutToTheTest) {
  const Finished told =
      tool({"run", "jobs", "--strategy", "claim-first", "--crash-every", "0", "--quiet"});
  EXPECT_EQ(told.status, 4);
  EXPECT_THAT(told.out, HasSubstr("no worker crashed (--crash-every)"));
}

TEST_P(Jobs, SelectThenUpdateDoesAJobTwiceWhereLostUpdatesPass) {
  const json row = row_of({"--strategy", "select-then-update"});
  SCOPED_TRACE(row.dump(1));
  if (is("sqlite")) {
    EXPECT_EQ(row["trials_violated"], 0);
    return;
  }
  EXPECT_GT(row["violations"]["done-twice"], 0);
  EXPECT_GT(row["anomalies"]["P4"], 0);
}

TEST_P(Jobs, ACrashIsToldInWords) {
  const Finished told = tool({"run", "jobs", "--strategy", "serializable", "--quiet",
                              "--crash-every", "1", "--max-attempts", "30"});
  EXPECT_THAT(told.out, HasSubstr("connection lost: the worker crashed on purpose"));
}

}  // namespace
}  // namespace hilsa::tests
