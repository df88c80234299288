#include "harness/database/statement.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace hilsa {
namespace {

int next_id() {
  static std::atomic<int> next{0};
  return next.fetch_add(1);
}

std::array<Rendering, kProductCount> same_for_all(const Rendering& rendering) {
  std::array<Rendering, kProductCount> renderings;
  renderings.fill(rendering);
  return renderings;
}

Statement make_begin(std::optional<Isolation> level) {
  std::array<Rendering, kProductCount> renderings;
  const std::string at = level ? " ISOLATION LEVEL " + std::string(sql_of(*level)) : "";
  for (const Product product : {Product::postgresql, Product::simulated}) {
    renderings[static_cast<std::size_t>(product)] = {{"BEGIN" + at, {}}};
  }
  Rendering mysql;
  if (level) mysql.push_back({"SET TRANSACTION" + at, {}});
  mysql.push_back({"START TRANSACTION", {}});
  renderings[static_cast<std::size_t>(Product::mysql)] = mysql;
  renderings[static_cast<std::size_t>(Product::mariadb)] = mysql;
  Rendering sqlite;
  if (level == Isolation::read_uncommitted) sqlite.push_back({"PRAGMA read_uncommitted = 1", {}});
  sqlite.push_back({"BEGIN", {}});
  renderings[static_cast<std::size_t>(Product::sqlite)] = sqlite;
  return {{.kind = StatementKind::begin, .isolation = level}, std::move(renderings)};
}

}  // namespace

bool can_write(StatementKind kind) {
  switch (kind) {
    case StatementKind::update:
    case StatementKind::insert:
    case StatementKind::insert_if_fewer:
    case StatementKind::erase:
    case StatementKind::definition:
    case StatementKind::raw:
    case StatementKind::commit:
      return true;
    case StatementKind::begin:
    case StatementKind::rollback:
    case StatementKind::read_row:
    case StatementKind::read_rows:
    case StatementKind::version_log:
    case StatementKind::lock:
      break;
  }
  return false;
}

Statement::Statement(Structure structure, std::array<Rendering, kProductCount> renderings)
    : id_(next_id()), structure_(std::move(structure)), renderings_(std::move(renderings)) {}

Statement::Statement(Structure structure, const Rendering& rendering)
    : Statement(std::move(structure), same_for_all(rendering)) {}

Statement raw_sql(std::string_view text) {
  Sql sql{std::string(text), {}};
  for (int i = 0; i < std::count(text.begin(), text.end(), '?'); ++i) sql.binds.push_back(i);
  return {{.kind = StatementKind::raw}, Rendering{std::move(sql)}};
}

Statement definition_sql(std::string_view text) {
  return {{.kind = StatementKind::definition}, Rendering{{std::string(text), {}}}};
}

const Statement& begin_at(std::optional<Isolation> level) {
  static const Statement at_default = make_begin(std::nullopt);
  static const std::array<Statement, 4> at_level = {
      make_begin(Isolation::read_uncommitted), make_begin(Isolation::read_committed),
      make_begin(Isolation::repeatable_read), make_begin(Isolation::serializable)};
  return level ? at_level[static_cast<std::size_t>(*level)] : at_default;
}

const Statement& commit() {
  static const Statement statement({.kind = StatementKind::commit}, Rendering{{"COMMIT", {}}});
  return statement;
}

const Statement& rollback() {
  static const Statement statement({.kind = StatementKind::rollback}, Rendering{{"ROLLBACK", {}}});
  return statement;
}

std::string with_table_prefix(std::string_view text, std::string_view prefix) {
  std::string out;
  for (const char c : text) {
    if (c == '{') {
      out += prefix;
    } else if (c != '}') {
      out += c;
    }
  }
  return out;
}

std::string with_numbered_parameters(const Sql& sql) {
  std::string out;
  std::size_t next = 0;
  bool quoted = false;
  for (const char c : sql.text) {
    if (c == '\'') quoted = !quoted;
    if (c == '?' && !quoted) {
      out += '$' + std::to_string(sql.binds.at(next++) + 1);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace hilsa
