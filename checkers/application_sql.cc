#include "checkers/application_sql.h"

namespace hilsa {
namespace {

void erase_all(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

// From `begin` up to and with the first `end` after it.
void erase_between(std::string& text, std::string_view begin, std::string_view end) {
  const auto from = text.find(begin);
  if (from == std::string::npos) return;
  const auto to = text.find(end, from + begin.size());
  if (to != std::string::npos) text.erase(from, to + end.size() - from);
}

// INSERT … SELECT … WHERE (SELECT COUNT(*) …) < ?, of which PostgreSQL counts in a WITH of its own
// and MySQL lists what it counts.
void tidy_counted_insert(std::string& sql) {
  constexpr std::string_view kCounted = "WITH counted AS MATERIALIZED (SELECT ";
  constexpr std::string_view kMade = "), made AS (";
  constexpr std::string_view kReturning = " RETURNING ";
  constexpr std::string_view kFrom = " FROM counted)";
  const auto made = sql.find(kMade);
  const auto from = sql.find(" FROM ");
  if (sql.starts_with(kCounted) && made != std::string::npos && from < made) {
    const std::string source = sql.substr(from, made - from);
    sql.erase(0, made + kMade.size());
    const auto returning = sql.rfind(kReturning);
    if (returning != std::string::npos) sql.erase(returning);
    const auto counted = sql.find(kFrom);
    if (counted != std::string::npos) sql.replace(counted, kFrom.size() - 1, source);
  }
  constexpr std::string_view kLogs = "COUNT(@hilsa_counted";
  const auto logs = sql.find(kLogs);
  if (logs != std::string::npos) {
    erase_between(sql, "@hilsa_counted := ", "','))");
    sql.insert(logs + std::string_view("COUNT(").size(), "*");
  }
  constexpr std::string_view kStampColumns = ", _version, _writer) SELECT ";
  const auto columns = sql.find(kStampColumns);
  const auto values = sql.find(", 1, ?", columns);
  if (!sql.starts_with("INSERT ") || values == std::string::npos) return;
  sql.erase(values, std::string_view(", 1, ?").size());
  sql.replace(columns, kStampColumns.size(), ") SELECT ");
}

}  // namespace

std::string application_sql(std::string_view recorded) {
  std::string sql(recorded);
  erase_all(sql, "{");
  erase_all(sql, "}");
  if (sql.starts_with("SELECT ")) erase_all(sql, ", _version, _writer");
  if (sql.starts_with("UPDATE ")) {
    erase_between(sql, " + 0 * LENGTH(@hilsa_versions", "','))");
    erase_all(sql, ", _writer = ?, _version = _version + 1");
  }
  if (sql.starts_with("DELETE ") && sql.find("@hilsa_versions") != std::string::npos) {
    erase_between(sql, " AND IF(", "',')), 0)");
  }
  tidy_counted_insert(sql);
  const auto returning = sql.rfind(" RETURNING ");
  if (returning != std::string::npos &&
      (sql.ends_with(", _version") || sql.ends_with(", _version + 1"))) {
    sql.erase(returning);
  }
  constexpr std::string_view kStampColumns = ", _version, _writer) VALUES (";
  constexpr std::string_view kStampValues = ", 1, ?)";
  const auto columns = sql.find(kStampColumns);
  if (sql.starts_with("INSERT ") && columns != std::string::npos && sql.ends_with(kStampValues)) {
    sql.replace(sql.size() - kStampValues.size(), std::string::npos, ")");
    sql.replace(columns, kStampColumns.size(), ") VALUES (");
  }
  return sql;
}

}  // namespace hilsa
