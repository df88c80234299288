#include "workloads/table/session_log.h"

#include <array>
#include <charconv>
#include <utility>

namespace hilsa {
namespace {

// Reads a number and steps over the character behind it. False at the end, or when there is none.
bool take_number(const char*& at, const char* end, std::int64_t& number) {
  const auto read = std::from_chars(at, end, number);
  if (read.ec != std::errc()) return false;
  at = read.ptr == end ? end : read.ptr + 1;
  return true;
}

}  // namespace

const Statement& version_log() {
  static const Statement statement = [] {
    std::array<Rendering, kProductCount> renderings;
    const Rendering ask = {
        {"SELECT @hilsa_versions, @hilsa_versions := NULL, @hilsa_counted, "
         "@hilsa_counted := NULL",
         {}}};
    renderings[static_cast<std::size_t>(Product::mysql)] = ask;
    renderings[static_cast<std::size_t>(Product::mariadb)] = ask;
    return Statement({.kind = StatementKind::version_log}, std::move(renderings));
  }();
  return statement;
}

std::vector<LoggedVersion> parse_version_log(std::string_view log) {
  std::vector<LoggedVersion> versions;
  const char* at = log.data();
  const char* const end = at + log.size();
  LoggedVersion logged;
  while (take_number(at, end, logged.key) && take_number(at, end, logged.version)) {
    versions.push_back(logged);
  }
  return versions;
}

CountedRows counted_rows_of(Product product) {
  switch (product) {
    case Product::postgresql:
    case Product::simulated:
      return CountedRows::returned;
    case Product::mysql:
    case Product::mariadb:
      return CountedRows::logged;
    case Product::sqlite:
      break;
  }
  return CountedRows::untold;
}

std::optional<std::vector<LoggedCount>> parse_count_log(std::string_view log) {
  if (log.size() > kCountLogLongest) return std::nullopt;
  std::vector<LoggedCount> rows;
  const char* at = log.data();
  const char* const end = at + log.size();
  LoggedCount row;
  while (take_number(at, end, row.new_key) && take_number(at, end, row.key) &&
         take_number(at, end, row.version) && take_number(at, end, row.writer)) {
    rows.push_back(row);
  }
  return rows;
}

}  // namespace hilsa
