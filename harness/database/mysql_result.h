// Takes what Connector/C++ returns out of it, completely: a result that is left unread makes the
// connection unusable for good.
#pragma once

#include <cppconn/prepared_statement.h>
#include <cppconn/statement.h>

#include <string>

#include "harness/database/session.h"

namespace hilsa {

// Both throw sql::SQLException. Of several results (CALL) they return the first.
Result mysql_run_text(sql::Statement& statement, const std::string& text);
// `reads`: whether the server announced columns when it prepared the statement.
Result mysql_run_prepared(sql::PreparedStatement& statement, bool reads);

}  // namespace hilsa
