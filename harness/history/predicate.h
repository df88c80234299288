// The structured form of a WHERE clause: a conjunction of comparisons of a column with a value.
// Statements carry it with parameters still open; recorded operations with the values bound.
#pragma once

#include <string>
#include <string_view>

#include "harness/history/value.h"

namespace hilsa {

enum class Comparator { equal, not_equal, less, at_most, greater, at_least };

// As in SQL: `=`, `<>`, `<`, `<=`, `>`, `>=`.
std::string_view symbol_of(Comparator comparator);

struct Comparison {
  std::string_view column;  // storage belongs to a Table or Statement constant
  Comparator comparator = Comparator::equal;
  Value value;

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

}  // namespace hilsa
