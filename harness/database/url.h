// A database's address (`hilsa list` shows the forms). Parsed and checked before anything is
// connected; the password is kept apart so that nothing can print it by accident.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hilsa {

struct Url {
  enum class Scheme { postgres, mysql, mariadb, sqlite, temp, sim };

  Scheme scheme = Scheme::sqlite;
  std::string user;
  std::string password;  // never printed; see redacted()
  std::string host;      // empty: the product's default
  int port = 0;          // 0: the product's default
  // postgres, mysql, mariadb: the database; sqlite: the file, empty for a temporary one;
  // temp: the product, `postgres`, `mysql` or `mariadb`; sim: the level, or empty.
  std::string name;
  std::map<std::string, std::string> options;  // after `?`, percent-decoded
  std::string text;                            // postgres: the whole URI, as libpq takes it

  // The address as it may be shown: the password, wherever it stood, is `***`.
  std::string redacted() const;
};

// Parses and validates. `env:NAME` is looked up in the environment, and may not lead to another
// `env:`. Throws UsageError with one line that says what is wrong and what a right one looks like;
// the message never holds the password.
Url parse_url(std::string_view text);

}  // namespace hilsa
