// What MySQL and MariaDB, and the library in between, say went wrong, in Hilsa's kinds.
#pragma once

#include <cppconn/exception.h>

#include <string>

#include "harness/database/url.h"
#include "harness/history/error.h"

namespace hilsa {

// `connection_lost` stands for every error after which the link cannot be used, `interrupted` for a
// statement that somebody killed; what these mean depends on what the session was doing.
ErrorKind mysql_kind_of(int code);

Error mysql_error(const sql::SQLException& exception);

// The sentence for a person whose server cannot be used; never with the password.
std::string mysql_advice(const Url& url, const Error& error);

}  // namespace hilsa
