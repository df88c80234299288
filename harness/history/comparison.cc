#include "harness/history/comparison.h"

#include <cstdint>
#include <string>
#include <variant>

namespace hilsa {

bool passes(const Value& left, Comparator comparator, const Value& right) {
  if (left.index() != right.index()) return false;
  if (const auto* number = std::get_if<std::int64_t>(&left)) {
    return holds(*number, comparator, std::get<std::int64_t>(right));
  }
  if (const auto* text = std::get_if<std::string>(&left)) {
    return holds(*text, comparator, std::get<std::string>(right));
  }
  return false;
}

}  // namespace hilsa
