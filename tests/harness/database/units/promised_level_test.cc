// What each product promises at its levels, in the words of verdicts.
#include <gtest/gtest.h>

#include "harness/database/database.h"

namespace hilsa {
namespace {

std::string_view promised(Product product, Isolation level, bool snapshot_isolation = false) {
  return Traits{.product = product, .innodb_snapshot_isolation = snapshot_isolation}.promised_level(
      level);
}

TEST(PromisedLevel, OfSerializableIsSerializableEverywhere) {
  for (std::size_t i = 0; i < kProductCount; ++i) {
    const auto product = static_cast<Product>(i);
    if (!offers(product, Isolation::serializable)) continue;
    EXPECT_EQ(promised(product, Isolation::serializable), "serializable") << name_of(product);
  }
}

TEST(PromisedLevel, OfPostgresqlsRepeatableReadIsSnapshotIsolation) {
  EXPECT_EQ(promised(Product::postgresql, Isolation::repeatable_read), "snapshot isolation");
  EXPECT_EQ(promised(Product::postgresql, Isolation::read_committed), "monotonic atomic view");
}

// Its updates read past its snapshot.
TEST(PromisedLevel, OfInnodbsRepeatableReadIsLessThanOfItsReadCommitted) {
  for (const Product product : {Product::mysql, Product::mariadb}) {
    EXPECT_EQ(promised(product, Isolation::read_uncommitted), "read uncommitted");
    EXPECT_EQ(promised(product, Isolation::read_committed), "monotonic atomic view");
    EXPECT_EQ(promised(product, Isolation::repeatable_read), "read committed");
  }
}

TEST(PromisedLevel, OfMariadbWithItsSnapshotSettingIsSnapshotIsolation) {
  EXPECT_EQ(promised(Product::mariadb, Isolation::repeatable_read, true), "snapshot isolation");
}

TEST(SkipLocked, DependsOnTheServersVersion) {
  const auto has = [](Product product, std::string_view version) {
    return Traits{.product = product, .version = std::string(version)}.has(Feature::skip_locked);
  };
  EXPECT_TRUE(has(Product::postgresql, "15.18"));
  EXPECT_TRUE(has(Product::mysql, "8.0.36"));
  EXPECT_TRUE(has(Product::mysql, "9.7.4-2"));
  EXPECT_FALSE(has(Product::mysql, "5.7.44-log"));
  EXPECT_TRUE(has(Product::mariadb, "10.11.19-MariaDB-0+deb12u1"));
  EXPECT_TRUE(has(Product::mariadb, "11.4.2-MariaDB"));
  EXPECT_FALSE(has(Product::mariadb, "10.5.23-MariaDB"));
  EXPECT_FALSE(has(Product::sqlite, "3.40.1"));
  EXPECT_TRUE(has(Product::simulated, ""));
}

}  // namespace
}  // namespace hilsa
