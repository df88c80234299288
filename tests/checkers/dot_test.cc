#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "checkers/explain.h"
#include "tests/checkers/told_cases.h"

namespace hilsa::tests {
namespace {

using ::testing::HasSubstr;

// DOT's tokens: quoted strings, names, and signs. Empty when a quoted string does not end, or holds
// a line end.
std::vector<std::string> tokens_of(const std::string& dot) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < dot.size();) {
    const char c = dot[at];
    if (c == ' ' || c == '\n') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (c == '"') {
      while (end < dot.size() && dot[end] != '"' && dot[end] != '\n') {
        end += dot[end] == '\\' ? 2 : 1;
      }
      if (end >= dot.size() || dot[end] != '"') return {};
      ++end;
    } else if (c == '-' && dot.compare(at, 2, "->") == 0) {
      end = at + 2;
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      while (end < dot.size() && (std::isalnum(static_cast<unsigned char>(dot[end])) != 0)) ++end;
    }
    tokens.push_back(dot.substr(at, end - at));
    at = end;
  }
  return tokens;
}

TEST(Dot, EveryEvidenceIsAGraphOfItsTransactions) {
  for (const ToldCase& named : told_cases()) {
    const Told told = named.make();
    const Evidence& evidence = told.anomaly.evidence.at(0);
    const auto tokens = tokens_of(to_dot(told.history, told.anomaly, evidence));
    ASSERT_GT(tokens.size(), 4U) << named.name;
    EXPECT_EQ(tokens[0], "digraph");
    EXPECT_EQ(tokens[2], "{");
    EXPECT_EQ(tokens.back(), "}");
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), "["),
              std::count(tokens.begin(), tokens.end(), "]"));
    std::set<std::string> nodes;
    std::size_t arrows = 0;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      if (tokens[i] == "[" && tokens[i - 1].starts_with("n") && tokens[i - 2] == ";") {
        nodes.insert(tokens[i - 1]);
      }
      if (tokens[i] != "->") continue;
      ++arrows;
      EXPECT_EQ(nodes.count(tokens[i - 1]), 1U) << named.name;
      EXPECT_EQ(nodes.count(tokens[i + 1]), 1U) << named.name;
    }
    EXPECT_EQ(arrows, evidence.cycle.size()) << named.name;
  }
}

TEST(Dot, QuotesAreEscaped) {
  const Told told = told_cases()[0].make();
  Told hostile = told_cases()[0].make();
  hostile.history.object_key[0] = hostile.history.scalars.text("a\"]; evil [\\");
  const std::string dot = to_dot(hostile.history, hostile.anomaly, hostile.anomaly.evidence.at(0));
  EXPECT_THAT(dot, HasSubstr(R"(a\"]; evil [\\)"));
  const std::string plain = to_dot(told.history, told.anomaly, told.anomaly.evidence.at(0));
  EXPECT_EQ(tokens_of(dot).size(), tokens_of(plain).size());
}

}  // namespace
}  // namespace hilsa::tests
