#include "harness/database/mysql_errors.h"

#include <algorithm>
#include <array>

#include "harness/database/database.h"

namespace hilsa {
namespace {

struct Row {
  int code;
  ErrorKind kind;
};

constexpr std::array kRows = {
    Row{1213, ErrorKind::deadlock},
    Row{1614, ErrorKind::deadlock},               // in an XA transaction
    Row{3058, ErrorKind::deadlock},               // between GET_LOCKs
    Row{1205, ErrorKind::lock_timeout},           // MariaDB: NOWAIT, too
    Row{3572, ErrorKind::lock_timeout},           // NOWAIT
    Row{1020, ErrorKind::serialization_failure},  // MariaDB, innodb_snapshot_isolation
    Row{1022, ErrorKind::unique_violation},
    Row{1062, ErrorKind::unique_violation},
    Row{1586, ErrorKind::unique_violation},
    Row{3819, ErrorKind::check_violation},  // MySQL
    Row{4025, ErrorKind::check_violation},  // MariaDB
    Row{1216, ErrorKind::foreign_key_violation},
    Row{1217, ErrorKind::foreign_key_violation},
    Row{1451, ErrorKind::foreign_key_violation},
    Row{1452, ErrorKind::foreign_key_violation},
    Row{1969, ErrorKind::statement_timeout},  // MariaDB
    Row{3024, ErrorKind::statement_timeout},  // MySQL
    Row{1317, ErrorKind::interrupted},
    Row{1053, ErrorKind::connection_lost},  // the server is shutting down
    Row{1158, ErrorKind::connection_lost},  // 1158 … 1161: the server's end of a broken link
    Row{1159, ErrorKind::connection_lost},
    Row{1160, ErrorKind::connection_lost},
    Row{1161, ErrorKind::connection_lost},
    Row{1927, ErrorKind::connection_lost},  // MariaDB: killed
    Row{2002, ErrorKind::connection_lost},  // 2002, 2003, 2005: none could be made
    Row{2003, ErrorKind::connection_lost},
    Row{2005, ErrorKind::connection_lost},
    Row{2006, ErrorKind::connection_lost},
    Row{2013, ErrorKind::connection_lost},  // also: no answer within the read timeout
    Row{2026, ErrorKind::connection_lost},  // TLS
    Row{2027, ErrorKind::connection_lost},  // an answer that makes no sense
    Row{2055, ErrorKind::connection_lost},
    Row{4031, ErrorKind::connection_lost},  // MySQL: idle for too long
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

ErrorKind mysql_kind_of(int code) {
  const auto* const found =
      std::find_if(kRows.begin(), kRows.end(), [code](const Row& row) { return row.code == code; });
  return found == kRows.end() ? ErrorKind::other : found->kind;
}

Error mysql_error(const sql::SQLException& exception) {
  const int code = exception.getErrorCode();
  return {mysql_kind_of(code), exception.getSQLState(), code, one_line(exception.what())};
}

std::string mysql_advice(const Url& url, const Error& error) {
  const std::string at = url.redacted();
  const std::string why = " (" + std::to_string(error.vendor_code) + ": " + error.server_text + ")";
  if (is_connection_limit(error)) {
    return "the server at " + at + " takes no more connections; close some, or raise its limit" +
           why;
  }
  switch (error.vendor_code) {
    case 1045:
    case 1698:  // MariaDB: root by socket only
      return "the server refused the user name or password of " + at + "; check them" + why;
    case 1044:
      return "this user may not use the database of " + at + "; GRANT ALL ON it to the user" + why;
    case 1049:
      return "there is no such database at " + at + "; create it, or name another" + why;
    case 1130:
      return "the server at " + at + " takes no connections from this machine's address" + why;
    case 1251:
    case 1524:
    case 2059:
      return "the user of " + at + " logs in by a method that this client does not know" + why;
    case 2002:
    case 2003:
    case 2005:
    case 2006:
    case 2013:
      return "cannot reach " + at + "; is the server running, and are host and port right?" + why;
    default:
      return "cannot use " + at + why;
  }
}

}  // namespace hilsa
