#include "workloads/table/tracked.h"

#include <algorithm>
#include <iterator>

#include "workloads/table/session_log.h"

namespace hilsa {
namespace {

constexpr std::size_t index_of(Product product) { return static_cast<std::size_t>(product); }
bool is_mysql(Product product) { return product == Product::mysql || product == Product::mariadb; }

std::string table_name(const Table& table) { return "{" + std::string(table.name) + "}"; }

// An SQL text in the making, with the parameters that its `?` take.
class SqlBuilder {
 public:
  SqlBuilder& operator<<(std::string_view text) {
    sql_.text += text;
    return *this;
  }
  SqlBuilder& operand(const Operand& operand) {
    if (const auto* parameter = std::get_if<Parameter>(&operand)) {
      sql_.text += '?';
      sql_.binds.push_back(parameter->index);
      return *this;
    }
    return *this << to_text(std::get<Value>(operand));
  }
  // All of them, each after the word; the first one after `first_word`.
  SqlBuilder& all_of(const std::vector<Condition>& conditions, std::string_view first_word) {
    std::string_view word = first_word;
    for (const Condition& condition : conditions) {
      *this << word << condition.column << " " << symbol_of(condition.comparator) << " ";
      operand(condition.operand);
      word = " AND ";
    }
    return *this;
  }
  SqlBuilder& where(const std::vector<Condition>& conditions) {
    return all_of(conditions, " WHERE ");
  }
  SqlBuilder& set(const std::vector<Assignment>& assignments, Product product) {
    std::string_view word = " SET ";
    for (const Assignment& assignment : assignments) {
      *this << word << assignment.column << " = ";
      value_of(assignment, product);
      word = ", ";
    }
    return *this;
  }
  Sql take() { return std::move(sql_); }

 private:
  SqlBuilder& value_of(const Assignment& assignment, Product product) {
    const std::string column(assignment.column);
    switch (assignment.change) {
      case ChangeKind::set:
        break;
      case ChangeKind::add:
        *this << column << " + ";
        break;
      case ChangeKind::subtract:
        *this << column << " - ";
        break;
      case ChangeKind::append: {
        const std::string comma = "CASE WHEN LENGTH(" + column + ") = 0 THEN '' ELSE ',' END";
        if (is_mysql(product)) {  // where || means OR
          *this << "CONCAT(" << column << ", " << comma << ", ";
          return operand(assignment.operand) << ")";
        }
        *this << column << " || " << comma << " || ";
        break;
      }
    }
    return operand(assignment.operand);
  }

  Sql sql_;
};

// Appends the row's key and the version that follows to the session's log. MySQL, MariaDB.
std::string log_next_version(std::string_view key) {
  return "@hilsa_versions := CONCAT(COALESCE(@hilsa_versions, ''), " + std::string(key) +
         ", ':', _version + 1, ',')";
}

std::string_view lock_clause(Lock lock, Product product) {
  if (lock == Lock::none) return "";
  if (lock == Lock::update) return " FOR UPDATE";
  if (lock == Lock::update_skip_locked) return " FOR UPDATE SKIP LOCKED";
  return is_mysql(product) ? " LOCK IN SHARE MODE" : " FOR SHARE";
}

Sql render_read(const Structure& read, Product product) {
  SqlBuilder sql;
  sql << "SELECT " << read.table->key();
  for (const std::string_view column : read.columns) sql << ", " << column;
  sql << ", _version, _writer FROM " << table_name(*read.table);
  sql.where(read.conditions);
  if (read.limit > 0) {
    sql << " ORDER BY " << read.table->key() << " LIMIT " << std::to_string(read.limit);
  }
  sql << lock_clause(read.lock, product);
  return sql.take();
}

Sql render_update(const Structure& update, Product product) {
  const std::string_view key = update.table->key();
  SqlBuilder sql;
  sql << "UPDATE " << table_name(*update.table);
  sql.set(update.assignments, product) << ", _writer = ";
  sql.operand(param(attempt_parameter(update))) << ", _version = _version + 1";
  if (is_mysql(product)) {
    // Zero times the length of the log, which this lengthens on the way.
    sql << " + 0 * LENGTH(" << log_next_version(key) << ")";
  }
  sql.where(update.conditions);
  if (!is_mysql(product)) sql << " RETURNING " << key << ", _version";
  return sql.take();
}

// MySQL has no DELETE … RETURNING: there the condition itself logs the row, as its last part and
// only for a row that meets the rest, in whatever order the server looks at the parts. One
// statement, so that it is atomic outside transactions too; InnoDB evaluates the condition once for
// a row, after it has waited for its lock.
Sql render_erase(const Structure& erase, Product product) {
  const std::string_view key = erase.table->key();
  SqlBuilder sql;
  sql << "DELETE FROM " << table_name(*erase.table);
  sql.where(erase.conditions);
  if (product == Product::mysql) {
    sql.all_of(erase.conditions, " AND IF(") << ", LENGTH(" << log_next_version(key) << "), 0)";
  } else {
    sql << " RETURNING " << key << ", _version + 1";
  }
  return sql.take();
}

std::string column_list(const Table& table, std::string_view separator) {
  std::string list;
  for (const Column& column : table.columns) {
    list += column.name;
    list += separator;
  }
  return list;
}

// INSERT INTO … up to the values; then the values of a new row.
void begin_insert(SqlBuilder& sql, const Structure& insert, std::string_view values) {
  sql << "INSERT INTO " << table_name(*insert.table) << " (" << column_list(*insert.table, ", ")
      << "_version, _writer) " << values;
  for (std::size_t i = 0; i < insert.columns.size(); ++i) {
    sql.operand(param(static_cast<int>(i))) << ", ";
  }
  sql << "1, ";
  sql.operand(param(attempt_parameter(insert)));
}

// What COUNT() counts on MySQL and MariaDB: the row, appended to the session's log. It is never
// NULL, but must not look so: then the server would count without evaluating it.
void log_counted(SqlBuilder& sql, std::string_view key) {
  sql << "@hilsa_counted := IF(LENGTH(COALESCE(@hilsa_counted, '')) > "
      << std::to_string(kCountLogLongest)
      << ", @hilsa_counted, CONCAT(COALESCE(@hilsa_counted, ''), ";
  sql.operand(param(0)) << ", ':', " << key << ", ':', _version, ':', _writer, ','))";
}

Sql render_insert_if_fewer(const Structure& insert, Product product) {
  const std::string stamped = std::string(insert.table->key()) + ", _version, _writer";
  const CountedRows told = counted_rows_of(product);
  SqlBuilder sql;
  if (told == CountedRows::returned) {
    sql << "WITH counted AS MATERIALIZED (SELECT " << stamped << " FROM "
        << table_name(*insert.table);
    sql.where(insert.conditions) << "), made AS (";
  }
  begin_insert(sql, insert, "SELECT ");
  if (is_mysql(product)) sql << " FROM DUAL";
  sql << " WHERE (SELECT COUNT(";
  if (told == CountedRows::logged) {
    log_counted(sql, insert.table->key());
  } else {
    sql << "*";
  }
  sql << ") FROM ";
  if (told == CountedRows::returned) {
    sql << "counted";
  } else {
    sql << table_name(*insert.table);
    sql.where(insert.conditions);
  }
  sql << ") < ";
  sql.operand(insert.fewer_than.value());
  if (told == CountedRows::returned) {
    sql << " RETURNING " << stamped << ") SELECT * FROM counted UNION ALL SELECT * FROM made";
  }
  return sql.take();
}

template <typename Render>
std::array<Rendering, kProductCount> for_every_product(Render render) {
  std::array<Rendering, kProductCount> renderings;
  for (std::size_t i = 0; i < kProductCount; ++i) renderings[i] = render(static_cast<Product>(i));
  return renderings;
}

Statement make_read(Structure read) {
  auto renderings = for_every_product([&read](Product product) {
    if (read.lock != Lock::none && product == Product::sqlite) return Rendering{};
    return Rendering{render_read(read, product)};
  });
  return {std::move(read), std::move(renderings)};
}

void note(const Operand& operand, int& count) {
  if (const auto* parameter = std::get_if<Parameter>(&operand)) {
    count = std::max(count, parameter->index + 1);
  }
}

Structure insertion(StatementKind kind, const Table& table) {
  Structure insert{.kind = kind, .table = &table};
  for (const Column& column : table.columns) insert.columns.push_back(column.name);
  return insert;
}

// On one column or several: `queue, state`. An index lives in its table's schema on PostgreSQL and
// takes no qualified name there.
Statement create_index(const Table& table, std::string_view columns, std::string_view kind) {
  std::string index = std::string(table.name) + "_";
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(index),
               [](char c) { return c != ',' && c != ' '; });
  const std::string on = " ON " + table_name(table) + " (" + std::string(columns) + ")";
  auto per_product = for_every_product([&](Product product) {
    const std::string called = product == Product::postgresql ? index : "{" + index + "}";
    return Rendering{{"CREATE " + std::string(kind) + " " + called + on, {}}};
  });
  return {Structure{.kind = StatementKind::definition}, std::move(per_product)};
}

}  // namespace

Condition equal(std::string_view column, Operand operand) {
  return {column, Comparator::equal, std::move(operand)};
}
Condition less(std::string_view column, Operand operand) {
  return {column, Comparator::less, std::move(operand)};
}
Condition at_most(std::string_view column, Operand operand) {
  return {column, Comparator::at_most, std::move(operand)};
}
Condition at_least(std::string_view column, Operand operand) {
  return {column, Comparator::at_least, std::move(operand)};
}
Assignment set(std::string_view column, Operand operand) {
  return {column, ChangeKind::set, std::move(operand)};
}
Assignment add(std::string_view column, Operand operand) {
  return {column, ChangeKind::add, std::move(operand)};
}
Assignment subtract(std::string_view column, Operand operand) {
  return {column, ChangeKind::subtract, std::move(operand)};
}
Assignment append(std::string_view column, Operand operand) {
  return {column, ChangeKind::append, std::move(operand)};
}

Statement read_row(const Table& table, Columns columns, Lock lock) {
  return make_read({.kind = StatementKind::read_row,
                    .table = &table,
                    .columns = columns,
                    .conditions = {equal(table.key(), param(0))},
                    .lock = lock});
}

Statement read_rows(const Table& table, Columns columns, Conditions conditions, Lock lock) {
  return make_read({.kind = StatementKind::read_rows,
                    .table = &table,
                    .columns = columns,
                    .conditions = std::move(conditions),
                    .lock = lock});
}

Statement read_first_rows(const Table& table, Columns columns, Conditions conditions, int limit,
                          Lock lock) {
  return make_read({.kind = StatementKind::read_rows,
                    .table = &table,
                    .columns = columns,
                    .conditions = std::move(conditions),
                    .lock = lock,
                    .limit = limit});
}

Statement update_row(const Table& table, Assignments assignments, Conditions guard) {
  guard.insert(guard.begin(), equal(table.key(), param(0)));
  return update_rows(table, std::move(assignments), std::move(guard));
}

Statement update_rows(const Table& table, Assignments assignments, Conditions conditions) {
  Structure update{.kind = StatementKind::update,
                   .table = &table,
                   .conditions = std::move(conditions),
                   .assignments = std::move(assignments)};
  auto renderings = for_every_product(
      [&update](Product product) { return Rendering{render_update(update, product)}; });
  return {std::move(update), std::move(renderings)};
}

Statement insert_row(const Table& table) {
  Structure insert = insertion(StatementKind::insert, table);
  SqlBuilder sql;
  begin_insert(sql, insert, "VALUES (");
  sql << ")";
  return {std::move(insert), Rendering{sql.take()}};
}

Statement insert_row_if_fewer(const Table& table, Conditions counted, Operand limit) {
  Structure insert = insertion(StatementKind::insert_if_fewer, table);
  insert.conditions = std::move(counted);
  insert.fewer_than = std::move(limit);
  auto renderings = for_every_product(
      [&insert](Product product) { return Rendering{render_insert_if_fewer(insert, product)}; });
  return {std::move(insert), std::move(renderings)};
}

Statement erase_row(const Table& table, Conditions guard) {
  guard.insert(guard.begin(), equal(table.key(), param(0)));
  return erase_rows(table, std::move(guard));
}

Statement erase_rows(const Table& table, Conditions conditions) {
  Structure erase{
      .kind = StatementKind::erase, .table = &table, .conditions = std::move(conditions)};
  auto renderings = for_every_product(
      [&erase](Product product) { return Rendering{render_erase(erase, product)}; });
  return {std::move(erase), std::move(renderings)};
}

int attempt_parameter(const Structure& structure) {
  const bool inserts =
      structure.kind == StatementKind::insert || structure.kind == StatementKind::insert_if_fewer;
  int count = inserts ? static_cast<int>(structure.table->columns.size()) : 0;
  if (structure.fewer_than) note(*structure.fewer_than, count);
  for (const Condition& condition : structure.conditions) note(condition.operand, count);
  for (const Assignment& assignment : structure.assignments) note(assignment.operand, count);
  return count;
}

std::vector<Statement> create_table(const Table& table) {
  const std::string name = table_name(table);
  std::array<Rendering, kProductCount> renderings = for_every_product([&](Product product) {
    std::string sql = "CREATE TABLE " + name + " (";
    for (const Column& column : table.columns) {
      const bool text = column.type == Column::Type::text;
      const std::string_view long_text = is_mysql(product) ? " MEDIUMTEXT" : " TEXT";
      sql += std::string(column.name) + std::string(text ? long_text : " BIGINT") + " NOT NULL, ";
    }
    sql += "_version BIGINT NOT NULL, _writer BIGINT NOT NULL, PRIMARY KEY (" +
           std::string(table.key()) + ")";
    if (!table.check.empty()) sql += ", CHECK (" + std::string(table.check) + ")";
    sql += is_mysql(product) ? ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4" : ")";
    return Rendering{{sql, {}}};
  });
  std::vector<Statement> statements;
  statements.emplace_back(Structure{.kind = StatementKind::definition, .table = &table},
                          std::move(renderings));
  for (const std::string_view column : table.indexed) {
    statements.push_back(create_index(table, column, "INDEX"));
  }
  for (const std::string_view column : table.unique) {
    statements.push_back(create_index(table, column, "UNIQUE INDEX"));
  }
  return statements;
}

Statement drop_table(const Table& table) {
  return definition_sql("DROP TABLE IF EXISTS " + table_name(table));
}

Statement final_rows(const Table& table, int limit) {
  Structure read{.kind = StatementKind::read_rows,
                 .table = &table,
                 .conditions = {{table.key(), Comparator::greater, param(0)},
                                {"_writer", Comparator::at_least, param(1)},
                                {"_writer", Comparator::at_most, param(2)}},
                 .limit = limit};
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    read.columns.push_back(table.columns[i].name);
  }
  return make_read(std::move(read));
}

NamedLock advisory_lock(const Table& table) {
  std::array<Rendering, kProductCount> take;
  std::array<Rendering, kProductCount> release;
  const std::string name = table_name(table);
  for (const Product product : {Product::postgresql, Product::simulated}) {
    take[index_of(product)] = {{"SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended('" +
                                    name + "', ?))) AS lock",
                                {0}}};
  }
  for (const Product product : {Product::mysql, Product::mariadb}) {
    take[index_of(product)] = {{"SELECT GET_LOCK(CONCAT('" + name + "', ?), 10)", {0}}};
    release[index_of(product)] = {{"SELECT RELEASE_LOCK(CONCAT('" + name + "', ?))", {0}}};
  }
  return {{{.kind = StatementKind::lock, .table = &table}, std::move(take)},
          {{.kind = StatementKind::lock, .table = &table}, std::move(release)}};
}

}  // namespace hilsa
