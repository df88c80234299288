#include "harness/history/value.h"

namespace hilsa {

std::string to_text(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text + "'";
  return "NULL";
}

}  // namespace hilsa
