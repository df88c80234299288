#include "cli/schedule_script.h"

#include <algorithm>
#include <set>

#include "checkers/application_sql.h"
#include "checkers/printable.h"
#include "workloads/table/tracked.h"

namespace hilsa {
namespace {

std::string literal(const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr)
    return std::holds_alternative<std::monostate>(value) ? "NULL" : to_text(value);
  std::string quoted = "'";
  for (const char c : *text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// The tables' names in braces, as a script calls them.
std::string with_script_names(const std::string& text) { return with_table_prefix(text, "hilsa_"); }

// The statement's `?` with their values, but for the attempt's number, which application_sql()
// takes out together with the other stamps.
std::string with_values(const Sql& sql, const Call& step) {
  const StatementKind kind = step.statement->kind();
  const bool stamps = kind == StatementKind::update || kind == StatementKind::insert ||
                      kind == StatementKind::insert_if_fewer;
  const int attempt = stamps ? attempt_parameter(step.statement->structure()) : -1;
  // Values wait aside until the stamps are out: theirs is text that must not look like SQL.
  std::string text;
  std::vector<std::string> values;
  std::size_t bind = 0;
  for (const char c : sql.text) {
    if (c != '?' || bind >= sql.binds.size()) {
      text += c;
      continue;
    }
    const int parameter = sql.binds[bind++];
    if (parameter == attempt) {
      text += c;
      continue;
    }
    text += '\x01';
    values.push_back(literal(step.parameters.at(static_cast<std::size_t>(parameter))));
  }
  std::string result;
  std::size_t next = 0;
  // Braces are needed for the names, and application_sql() drops them.
  std::string named = with_script_names(text);
  for (const char c : application_sql(named)) {
    if (c == '\x01' && next < values.size()) {
      result += values[next++];
    } else {
      result += c;
    }
  }
  return result;
}

std::string row_in_words(const Structure& read, const std::vector<Value>& row) {
  std::string text;
  for (std::size_t i = 0; i < read.columns.size(); ++i) {
    text +=
        (text.empty() ? "" : ", ") + std::string(read.columns[i]) + " " + to_text(row.at(i + 1));
  }
  return text.empty() ? to_text(row.at(0)) : text;
}

std::string rows_in_words(const Structure& read, const std::vector<std::vector<Value>>& rows) {
  constexpr std::size_t kShownMax = 5;
  if (rows.empty()) return "no row";
  if (rows.size() == 1) return row_in_words(read, rows[0]);
  std::string text = std::to_string(rows.size()) + " rows: ";
  for (std::size_t i = 0; i < std::min(rows.size(), kShownMax); ++i) {
    text += (i == 0 ? "" : "; ") + row_in_words(read, rows[i]);
  }
  return rows.size() > kShownMax ? text + "; ..." : text;
}

std::string create_table_sql(const Table& table) {
  std::string sql = "CREATE TABLE hilsa_" + std::string(table.name) + " (";
  for (const Column& column : table.columns) {
    const bool is_key = &column == &table.columns.front();
    sql += std::string(column.name) + (column.type == Column::Type::text ? " TEXT" : " BIGINT") +
           " NOT NULL" + (is_key ? " PRIMARY KEY" : "") + ", ";
  }
  if (!table.check.empty()) {
    sql += "CHECK (" + std::string(table.check) + "), ";
  }
  sql.resize(sql.size() - 2);
  return sql + ");\n";
}

std::string create_index_sql(const Table& table, std::string_view columns,
                             const std::string& kind) {
  std::string name = std::string(table.name) + "_" + std::string(columns);
  std::erase_if(name, [](char c) { return c == ',' || c == ' '; });
  return "CREATE " + kind + " hilsa_" + name + " ON hilsa_" + std::string(table.name) + " (" +
         std::string(columns) + ");\n";
}

std::vector<const Table*> tables_of(const RunSchedule& schedule) {
  std::vector<const Table*> tables;
  const auto add = [&tables](const Table* table) {
    const bool known = std::find(tables.begin(), tables.end(), table) != tables.end();
    if (table != nullptr && !known) tables.push_back(table);
  };
  for (const Call& step : schedule.set_up) add(step.statement->structure().table);
  for (const TakenStep& step : schedule.steps) {
    if (step.call.statement->kind() != StatementKind::lock) {
      add(step.call.statement->structure().table);
    }
  }
  return tables;
}

}  // namespace

std::vector<std::string> sql_of(const Call& step, Product product) {
  std::vector<std::string> texts;
  for (const Sql& sql : step.statement->rendering(product)) {
    texts.push_back(with_values(sql, step));
  }
  return texts;
}

std::string answer_of(const TakenStep& step) {
  if (!step.answer) return "no answer";
  if (!*step.answer) return to_text(step.answer->error());
  const Result& result = **step.answer;
  const Structure& structure = step.call.statement->structure();
  switch (structure.kind) {
    case StatementKind::read_row:
    case StatementKind::read_rows:
      return rows_in_words(structure, result.rows);
    case StatementKind::update:
    case StatementKind::insert:
    case StatementKind::insert_if_fewer:
    case StatementKind::erase:
      return result.affected == 0   ? "no row"
             : result.affected == 1 ? "1 row"
                                    : std::to_string(result.affected) + " rows";
    default:
      break;
  }
  return "ok";
}

std::string script_of(const RunSchedule& schedule, Product product,
                      const std::vector<std::string>& title) {
  std::string script;
  for (const std::string& line : title) script += "-- " + printable(line) + "\n";
  script +=
      "-- Open a session for each client and give every line to the session that its comment "
      "names, in\n"
      "-- this order; where a line waits, go on with the next.\n\n-- before\n";
  const std::vector<const Table*> tables = tables_of(schedule);
  for (const Table* const table : tables) {
    script += create_table_sql(*table);
    for (const std::string_view columns : table->indexed) {
      script += create_index_sql(*table, columns, "INDEX");
    }
    for (const std::string_view columns : table->unique) {
      script += create_index_sql(*table, columns, "UNIQUE INDEX");
    }
  }
  for (const Call& step : schedule.set_up) {
    for (const std::string& sql : sql_of(step, product)) script += sql + ";\n";
  }
  script += "\n-- schedule\n";
  for (const TakenStep& step : schedule.steps) {
    const std::vector<std::string> texts = sql_of(step.call, product);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string session = ";  -- session " + std::to_string(step.client);
      script += texts[i] + session;
      const bool last = i + 1 == texts.size();
      if (last) {
        script += (step.waited ? ": waits, then: " : ": ") + printable(answer_of(step));
      }
      script += "\n";
    }
  }
  script += "\n-- in the end\n";
  for (const Table* const table : tables) {
    std::string columns;
    for (const Column& column : table->columns) {
      columns += (columns.empty() ? "" : ", ") + std::string(column.name);
    }
    const std::string name = "hilsa_" + std::string(table->name);
    script +=
        "SELECT " + columns + " FROM " + name + " ORDER BY " + std::string(table->key()) + ";\n";
    for (const auto& [of, row] : schedule.final_rows) {
      if (of != table) continue;
      script += "--= " + std::to_string(row.key);
      for (const NamedValue& named : row.values) script += " | " + to_text(named.value);
      script += "\n";
    }
  }
  script += "\n-- after\n";
  for (const Table* const table : tables) {
    script += "DROP TABLE hilsa_" + std::string(table->name) + ";\n";
  }
  return script;
}

}  // namespace hilsa
