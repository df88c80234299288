#include "harness/history/error.h"

#include <array>

namespace hilsa {
namespace {

constexpr std::array<std::string_view, kErrorKindCount> kNames = {"serialization_failure",
                                                                  "deadlock",
                                                                  "lock_timeout",
                                                                  "busy",
                                                                  "unique_violation",
                                                                  "check_violation",
                                                                  "foreign_key_violation",
                                                                  "connection_lost",
                                                                  "commit_unknown",
                                                                  "pool_timeout",
                                                                  "statement_timeout",
                                                                  "interrupted",
                                                                  "other"};

}  // namespace

std::string_view name_of(ErrorKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::string to_text(const Error& error) {
  std::string text(error.kind == ErrorKind::other ? "error" : name_of(error.kind));
  if (!error.sqlstate.empty()) {
    text += " (" + error.sqlstate;
    if (error.vendor_code != 0) text += "/" + std::to_string(error.vendor_code);
    text += ")";
  } else if (error.vendor_code != 0) {
    text += " (" + std::to_string(error.vendor_code) + ")";
  }
  if (!error.server_text.empty()) text += ": " + error.server_text;
  return text;
}

}  // namespace hilsa
