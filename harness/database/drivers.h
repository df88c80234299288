// The drivers, one function each; open_database() picks by the URL's scheme. A further product is
// one more file and one more row there.
#pragma once

#include <memory>

#include "harness/database/database.h"

namespace hilsa {

std::unique_ptr<Database> open_postgres(const Url& url, const ConnectOptions& options);
// MySQL and MariaDB: the server says which it is.
std::unique_ptr<Database> open_mysql(const Url& url, const ConnectOptions& options);
std::unique_ptr<Database> open_sqlite(const Url& url, const ConnectOptions& options);

}  // namespace hilsa
