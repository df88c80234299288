#include "cli/default_database.h"

#include <string>

namespace hilsa {

void explain_default_database(const Parsed& parsed, const UsageError& error) {
  const std::string text = error.what();
  if (!parsed["db"].defaulted() || text.find("SQLite") == std::string::npos) throw error;
  throw UsageError(text + "; SQLite is the default, --db names another database");
}

}  // namespace hilsa
