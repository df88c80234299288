// A value in a database cell or a statement's parameter: nothing, a whole number, or a text.
// Money and counts are whole numbers by design; a product's other types arrive as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace hilsa {

using Value = std::variant<std::monostate, std::int64_t, std::string>;

// The value as a person reads it: `NULL`, `42`, `'text'`.
std::string to_text(const Value& value);

// One column's value, by the column's name. The name's storage must outlive this (it belongs to a
// Table or a Statement, which are constants).
struct NamedValue {
  std::string_view column;
  Value value;

  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

}  // namespace hilsa
