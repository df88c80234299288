// Whether two values compare as a predicate says, for whoever evaluates predicates.
#pragma once

#include "harness/history/predicate.h"
#include "harness/history/value.h"

namespace hilsa {

template <typename T>
bool holds(const T& left, Comparator comparator, const T& right) {
  switch (comparator) {
    case Comparator::equal:
      return left == right;
    case Comparator::not_equal:
      return left != right;
    case Comparator::less:
      return left < right;
    case Comparator::at_most:
      return left <= right;
    case Comparator::greater:
      return left > right;
    case Comparator::at_least:
      break;
  }
  return left >= right;
}

// As SQL compares: nothing passes that is null, or a number against a text.
bool passes(const Value& left, Comparator comparator, const Value& right);

}  // namespace hilsa
