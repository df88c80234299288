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

// Where the name alone would leave somebody wondering what happened.
std::string_view words_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::connection_lost:
      return "connection lost";
    case ErrorKind::commit_unknown:
      return "connection lost, done or not is unknown";
    case ErrorKind::other:
      return "error";
    default:
      return name_of(kind);
  }
}

}  // namespace

std::string_view name_of(ErrorKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::string to_text(const Error& error) {
  std::string text(words_for(error.kind));
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
