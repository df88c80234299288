#include "harness/database/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string message_for(const std::string& text) {
  try {
    parse_url(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(Url, TakesAServersAddressApart) {
  const Url url = parse_url("mysql://shop:s%40cret%2F1@db.example:3307/store?socket=/run/s.sock");
  EXPECT_EQ(url.scheme, Url::Scheme::mysql);
  EXPECT_EQ(url.user, "shop");
  EXPECT_EQ(url.password, "s@cret/1");
  EXPECT_EQ(url.host, "db.example");
  EXPECT_EQ(url.port, 3307);
  EXPECT_EQ(url.name, "store");
  EXPECT_EQ(url.options.at("socket"), "/run/s.sock");
}

TEST(Url, PartsMayBeMissing) {
  const Url url = parse_url("postgresql:///shop");
  EXPECT_EQ(url.scheme, Url::Scheme::postgres);
  EXPECT_EQ(url.user, "");
  EXPECT_EQ(url.host, "");
  EXPECT_EQ(url.port, 0);
  EXPECT_EQ(url.name, "shop");
}

TEST(Url, AnIpv6HostKeepsItsColons) {
  const Url url = parse_url("postgres://[::1]:5433/shop");
  EXPECT_EQ(url.host, "[::1]");
  EXPECT_EQ(url.port, 5433);
  EXPECT_EQ(parse_url("postgres://[::1]/shop").port, 0);
}

TEST(Url, SqliteIsAFileOrNothing) {
  EXPECT_EQ(parse_url("sqlite:").name, "");
  EXPECT_EQ(parse_url("sqlite:shop.db").name, "shop.db");
  EXPECT_EQ(parse_url("sqlite:/var/shop.db").name, "/var/shop.db");
  EXPECT_EQ(parse_url("sqlite:///var/shop.db").name, "/var/shop.db");
  EXPECT_EQ(parse_url("sqlite:shop.db?cache=shared").name, "shop.db");
  EXPECT_EQ(parse_url("sqlite:shop.db?cache=shared").options.at("cache"), "shared");
  EXPECT_EQ(parse_url("sqlite:?cache=shared").redacted(), "sqlite:?cache=shared");
  for (const char* const name : {"sqlite::memory:", "sqlite://:memory:", "sqlite:file:shop.db"}) {
    EXPECT_THAT(message_for(name), HasSubstr("a file's path is wanted")) << name;
  }
}

TEST(Url, TempTakesSettings) {
  const Url url = parse_url("temp:postgres?max_connections=50&deadlock_timeout=100ms");
  EXPECT_EQ(url.name, "postgres");
  EXPECT_EQ(url.options.at("max_connections"), "50");
  EXPECT_EQ(url.options.at("deadlock_timeout"), "100ms");
}

TEST(Url, SimIsALevelWithOptions) {
  EXPECT_EQ(parse_url("sim:").name, "");
  const Url url = parse_url("sim:snapshot?bug=lost-write&schedule=free");
  EXPECT_EQ(url.scheme, Url::Scheme::sim);
  EXPECT_EQ(url.name, "snapshot");
  EXPECT_EQ(url.options.at("bug"), "lost-write");
  EXPECT_EQ(url.options.at("schedule"), "free");
  EXPECT_EQ(url.redacted(), "sim:snapshot?bug=lost-write&schedule=free");
}

TEST(Url, EnvLooksTheAddressUp) {
  setenv("HILSA_TEST_URL", "postgres://u:secret@h/d", 1);
  EXPECT_EQ(parse_url("env:HILSA_TEST_URL").password, "secret");
  setenv("HILSA_TEST_URL", "env:HILSA_TEST_URL", 1);
  EXPECT_THROW(parse_url("env:HILSA_TEST_URL"), UsageError);
  unsetenv("HILSA_TEST_URL");
  EXPECT_THAT(message_for("env:HILSA_TEST_URL"), HasSubstr("'HILSA_TEST_URL' is not set"));
}

TEST(Url, TheRedactedFormHidesThePasswordWhereverItStood) {
  EXPECT_EQ(parse_url("postgres://u:secret@h:5433/d?sslmode=require").redacted(),
            "postgres://u:***@h:5433/d?sslmode=require");
  EXPECT_EQ(parse_url("postgres://h/d?user=u&password=secret").redacted(),
            "postgres://:***@h/d?password=***&user=u");
  EXPECT_EQ(parse_url("postgres://h/d?Password=secret").redacted(),
            "postgres://:***@h/d?Password=***");
  EXPECT_EQ(parse_url("mysql://u@h/d").redacted(), "mysql://u@h/d");
  EXPECT_EQ(parse_url("sqlite:shop.db").redacted(), "sqlite:shop.db");
}

TEST(Url, WhatIsWrongIsSaid) {
  EXPECT_THAT(message_for("shop"), HasSubstr("not a database URL"));
  EXPECT_THAT(message_for("oracle://h/d"), HasSubstr("unknown kind of URL"));
  EXPECT_THAT(message_for("postgres:h/d"), HasSubstr("'//' must follow"));
  EXPECT_THAT(message_for("postgres://h:port/d"), HasSubstr("port must be a number"));
  EXPECT_THAT(message_for("postgres://h:70000/d"), HasSubstr("port must be a number"));
  EXPECT_THAT(message_for("postgres://[::1/d"), HasSubstr("not closed"));
  EXPECT_THAT(message_for("postgres://[::1]x:5432/d"), HasSubstr("can follow the host's ']'"));
  EXPECT_THAT(message_for("postgres://[::1]x/d"), HasSubstr("can follow the host's ']'"));
  EXPECT_THAT(message_for("mysql://h/d?socket"), HasSubstr("name=value"));
  EXPECT_THAT(message_for("mysql://u:100%@h/d"), HasSubstr("'%25'"));
}

TEST(Url, NoMessageHoldsThePassword) {
  for (const char* const text :
       {"postgres://u:12/secret@h/d", "postgres://u:12?x=secret@h/d", "postgres://u:se@cret@h/d",
        "env:postgres://u:secret@h/d", "env:", "postgres://u:se/cret@h/d",
        "postgres://u:se/cret@h:x/d", "postgres://u:secret@h:x/d", "mysql://u:secret%@h/d",
        "mysql://u:secret@h/d?x", "oracle://u:secret@h/d", "postgres:u:secret@h"}) {
    EXPECT_THAT(message_for(text), Not(HasSubstr("cret"))) << text;
  }
}

}  // namespace
}  // namespace hilsa
