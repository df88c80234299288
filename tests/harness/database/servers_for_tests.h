// The databases that tests run against: one throw-away server per product and process, started when
// a test first asks for it and stopped when the process ends. A server that cannot be started is a
// failure of the test, never a reason to skip it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/database/database.h"

namespace hilsa::tests {

// `postgres`, `mariadb` or `mysql`. Throws DatabaseUnusable.
const Url& server_url(std::string_view product);

// Also `sqlite`: a new temporary file every time. Throws DatabaseUnusable.
std::unique_ptr<Database> open_for_test(std::string_view product,
                                        const ConnectOptions& options = {});

// The socket that the server listens on.
std::string socket_of(const Url& url);
// The same address, but with its socket file elsewhere; the name of a PostgreSQL socket is fixed:
// `folder/.s.PGSQL.5432`.
Url with_socket(const Url& url, const std::string& socket);

}  // namespace hilsa::tests
