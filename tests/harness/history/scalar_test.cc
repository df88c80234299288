#include "harness/history/scalar.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace hilsa {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Scalar, EveryNumberComesBack) {
  ScalarPool pool;
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 60,
        -(std::int64_t{1} << 60), (std::int64_t{1} << 60) + 1, -(std::int64_t{1} << 60) - 1, kMax,
        kMin}) {
    const Scalar scalar = pool.integer(number);
    EXPECT_EQ(pool.integer_of(scalar), number);
    EXPECT_EQ(pool.integer_of(Scalar::from_bits(scalar.bits())), number);
    EXPECT_EQ(pool.value_of(scalar), Value(number));
    EXPECT_EQ(scalar, pool.integer(number)) << "equal values have equal bits";
    EXPECT_FALSE(scalar.is_null());
  }
}

TEST(Scalar, EqualTextsAreOne) {
  ScalarPool pool;
  const Scalar a = pool.text("a");
  EXPECT_EQ(a, pool.text(std::string("a")));
  EXPECT_NE(a, pool.text("b"));
  EXPECT_NE(pool.text("1"), pool.integer(1));
  EXPECT_NE(pool.text(""), Scalar());
  EXPECT_EQ(pool.text_of(a), "a");
}

TEST(Scalar, TextsKeepTheirPlaceWhileThePoolGrows) {
  ScalarPool pool;
  const std::string_view first = pool.text_of(pool.text("short"));
  for (int i = 0; i < 10'000; ++i) pool.text("t" + std::to_string(i));
  EXPECT_EQ(first, "short");
  EXPECT_EQ(pool.text_of(pool.text("t77")), "t77");
}

TEST(Scalar, APersonReadsThem) {
  ScalarPool pool;
  EXPECT_EQ(pool.to_text(Scalar()), "NULL");
  EXPECT_EQ(pool.to_text(pool.integer(-42)), "-42");
  EXPECT_EQ(pool.to_text(pool.integer(kMin)), "-9223372036854775808");
  EXPECT_EQ(pool.to_text(pool.text("x")), "'x'");
}

TEST(Scalar, TheyCompareAsInSql) {
  ScalarPool pool;
  const Scalar two = pool.integer(2);
  const Scalar large = pool.integer(kMax);
  EXPECT_TRUE(pool.matches(two, Comparator::less, large));
  EXPECT_TRUE(pool.matches(large, Comparator::greater, two));
  EXPECT_TRUE(pool.matches(large, Comparator::equal, pool.integer(kMax)));
  EXPECT_TRUE(pool.matches(two, Comparator::at_most, two));
  EXPECT_TRUE(pool.matches(pool.text("a"), Comparator::less, pool.text("b")));
  for (const Comparator comparator :
       {Comparator::equal, Comparator::not_equal, Comparator::less, Comparator::at_least}) {
    EXPECT_FALSE(pool.matches(two, comparator, Scalar())) << "null matches nothing";
    EXPECT_FALSE(pool.matches(Scalar(), comparator, Scalar()));
    EXPECT_FALSE(pool.matches(two, comparator, pool.text("2"))) << "nor a text a number";
  }
}

}  // namespace
}  // namespace hilsa
