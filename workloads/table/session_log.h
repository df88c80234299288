// What MySQL and MariaDB tell of a session's statements only afterwards: two texts in variables of
// the session, which the statements themselves lengthen.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/database/statement.h"

namespace hilsa {

// MySQL and MariaDB cannot return what an UPDATE wrote, and MySQL not what a DELETE removed. There
// every such statement appends `key:version,` to a variable of its session, inside the statement
// itself; this asks for the text and clears it. Run it outside transactions. Parsed by
// parse_version_log().
const Statement& version_log();
struct LoggedVersion {
  std::int64_t key = 0;
  std::int64_t version = 0;
};
std::vector<LoggedVersion> parse_version_log(std::string_view log);

// How a product tells which rows an insert_row_if_fewer() has counted, whether or not it inserted.
enum class CountedRows {
  // PostgreSQL: what counts them is a part of the statement (WITH) that also returns them, so they
  // are the very rows. The statement gives them as key, version, writer, and then the row that it
  // has inserted, if it has. The simulated database does the same.
  returned,
  // MySQL, MariaDB: the expression that COUNT() counts appends each row to a second log of the
  // session, `new key:key:version:writer,`, which version_log() also asks for, behind the first.
  logged,
  // SQLite: it says nowhere what a sub-select in RETURNING sees of the table that is being written,
  // and returns nothing when it inserts nothing.
  untold
};
CountedRows counted_rows_of(Product product);
struct LoggedCount {
  std::int64_t new_key = 0;  // of the row to be inserted
  std::int64_t key = 0;
  std::int64_t version = 0;
  std::int64_t writer = 0;
};
// Longer than this the log does not grow: far below what a server can hold in one value, where
// CONCAT() would give NULL.
inline constexpr std::size_t kCountLogLongest = 1'000'000;
// Nothing if the log is so long that the server may have left out a part of it.
std::optional<std::vector<LoggedCount>> parse_count_log(std::string_view log);

}  // namespace hilsa
