#include "harness/database/isolation.h"

#include <gtest/gtest.h>

#include "harness/database/database.h"

namespace hilsa {
namespace {

TEST(Isolation, NamesMayBeWrittenWithBlanksDashesOrUnderscores) {
  EXPECT_EQ(isolation_named("read committed"), Isolation::read_committed);
  EXPECT_EQ(isolation_named("REPEATABLE-READ"), Isolation::repeatable_read);
  EXPECT_EQ(isolation_named("read_uncommitted"), Isolation::read_uncommitted);
  EXPECT_EQ(isolation_named("snapshot"), std::nullopt);
}

TEST(Isolation, EachProductOffersWhatItReallyHas) {
  EXPECT_FALSE(offers(Product::postgresql, Isolation::read_uncommitted));
  EXPECT_TRUE(offers(Product::mysql, Isolation::read_uncommitted));
  EXPECT_EQ(level_names_of(Product::sqlite), "serializable");
  EXPECT_EQ(level_names_of(Product::postgresql), "read committed, repeatable read, serializable");
}

// FINDINGS: `read, then write the value`.
TEST(Traits, WhereALostUpdateIsPrevented) {
  const auto prevents = [](Product product, Isolation level, bool snapshot = false) {
    return Traits{.product = product, .innodb_snapshot_isolation = snapshot}.prevents_lost_update(
        level);
  };
  EXPECT_FALSE(prevents(Product::postgresql, Isolation::read_committed));
  EXPECT_TRUE(prevents(Product::postgresql, Isolation::repeatable_read));
  EXPECT_FALSE(prevents(Product::mysql, Isolation::repeatable_read));
  EXPECT_TRUE(prevents(Product::mysql, Isolation::serializable));
  EXPECT_FALSE(prevents(Product::mariadb, Isolation::repeatable_read));
  EXPECT_TRUE(prevents(Product::mariadb, Isolation::repeatable_read, true));
  EXPECT_FALSE(prevents(Product::simulated, Isolation::read_committed));
  EXPECT_TRUE(prevents(Product::simulated, Isolation::repeatable_read));
  EXPECT_TRUE(prevents(Product::sqlite, Isolation::serializable));
}

}  // namespace
}  // namespace hilsa
