#include "harness/database/mysql_result.h"

#include <cppconn/datatype.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>

#include <charconv>
#include <limits>
#include <memory>
#include <vector>

namespace hilsa {
namespace {

enum class Form { whole_signed, whole_unsigned, decimal, text };

Form form_of(sql::ResultSetMetaData& metadata, std::uint32_t column) {
  switch (metadata.getColumnType(column)) {
    case sql::DataType::BIT:
    case sql::DataType::YEAR:
      return Form::whole_unsigned;
    case sql::DataType::TINYINT:
    case sql::DataType::SMALLINT:
    case sql::DataType::MEDIUMINT:
    case sql::DataType::INTEGER:
    case sql::DataType::BIGINT:
      return metadata.isSigned(column) ? Form::whole_signed : Form::whole_unsigned;
    case sql::DataType::DECIMAL:
    case sql::DataType::NUMERIC:
      return metadata.getScale(column) == 0 ? Form::decimal : Form::text;
    default:
      return Form::text;
  }
}

// sum() over whole numbers is a DECIMAL without a fraction.
Value whole_or_text(std::string text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return number;
  return text;
}

Value value_at(const sql::ResultSet& rows, std::uint32_t column, Form form) {
  if (rows.isNull(column)) return std::monostate();
  switch (form) {
    case Form::whole_signed:
      return std::int64_t{rows.getInt64(column)};
    case Form::whole_unsigned: {
      const std::uint64_t number = rows.getUInt64(column);
      if (number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        return std::to_string(number);
      }
      return static_cast<std::int64_t>(number);
    }
    case Form::decimal:
      return whole_or_text(rows.getString(column));
    case Form::text:
      break;
  }
  return std::string(rows.getString(column));
}

Result take_all(sql::ResultSet& rows) {
  Result result;
  std::vector<Form> forms;
  sql::ResultSetMetaData& metadata = *rows.getMetaData();
  for (std::uint32_t column = 1; column <= metadata.getColumnCount(); ++column) {
    result.columns.push_back(metadata.getColumnLabel(column));
    forms.push_back(form_of(metadata, column));
  }
  while (rows.next()) {
    std::vector<Value>& row = result.rows.emplace_back();
    row.reserve(forms.size());
    for (std::uint32_t column = 1; column <= forms.size(); ++column) {
      row.push_back(value_at(rows, column, forms[column - 1]));
    }
  }
  return result;
}

// Of a statement whose first result is pending.
Result take_first(sql::Statement& statement) {
  Result result;
  {
    const std::unique_ptr<sql::ResultSet> rows(statement.getResultSet());
    result = take_all(*rows);
  }
  while (statement.getMoreResults()) {
    const std::unique_ptr<sql::ResultSet> unwanted(statement.getResultSet());
  }
  return result;
}

}  // namespace

Result mysql_run_text(sql::Statement& statement, const std::string& text) {
  if (statement.execute(text)) return take_first(statement);
  Result result;
  result.affected = static_cast<std::int64_t>(statement.getUpdateCount());
  return result;
}

Result mysql_run_prepared(sql::PreparedStatement& statement, bool reads) {
  if (reads) {
    const std::unique_ptr<sql::ResultSet> rows(statement.executeQuery());
    return take_all(*rows);
  }
  // Prepared statements have no getUpdateCount(). The count is -1 when rows have come that were not
  // announced: from CALL, or from MariaDB's INSERT … RETURNING.
  const int affected = statement.executeUpdate();
  if (affected < 0) return take_first(statement);
  Result result;
  result.affected = affected;
  return result;
}

}  // namespace hilsa
