#include "harness/history/scalar.h"

#include "harness/history/comparison.h"

namespace hilsa {

Scalar ScalarPool::wide_integer(std::int64_t value) {
  const auto [at, is_new] =
      wide_numbers_.try_emplace(value, static_cast<std::int64_t>(wide_.size()));
  if (is_new) wide_.push_back(value);
  return Scalar((at->second << 2) | static_cast<int>(Scalar::Kind::wide_integer));
}

Scalar ScalarPool::text(std::string_view text) {
  auto at = text_numbers_.find(text);
  if (at == text_numbers_.end()) {
    texts_.emplace_back(text);
    const auto number = static_cast<std::int64_t>(texts_.size() - 1);
    at = text_numbers_.emplace(texts_.back(), number).first;
  }
  return Scalar((at->second << 2) | static_cast<int>(Scalar::Kind::text));
}

Scalar ScalarPool::value(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return integer(*number);
  if (const auto* string = std::get_if<std::string>(&value)) return text(*string);
  return {};
}

std::int64_t ScalarPool::integer_of(Scalar scalar) const {
  if (scalar.kind() == Scalar::Kind::integer) return scalar.payload();
  return wide_[static_cast<std::size_t>(scalar.payload())];
}

std::string_view ScalarPool::text_of(Scalar scalar) const {
  return texts_[static_cast<std::size_t>(scalar.payload())];
}

Value ScalarPool::value_of(Scalar scalar) const {
  switch (scalar.kind()) {
    case Scalar::Kind::null:
      return {};
    case Scalar::Kind::text:
      return std::string(text_of(scalar));
    case Scalar::Kind::integer:
    case Scalar::Kind::wide_integer:
      break;
  }
  return integer_of(scalar);
}

std::string ScalarPool::to_text(Scalar scalar) const { return hilsa::to_text(value_of(scalar)); }

bool ScalarPool::matches(Scalar left, Comparator comparator, Scalar right) const {
  if (left.is_null() || right.is_null()) return false;
  const bool left_is_text = left.kind() == Scalar::Kind::text;
  const bool right_is_text = right.kind() == Scalar::Kind::text;
  if (left_is_text != right_is_text) return false;
  if (left_is_text) return holds(text_of(left), comparator, text_of(right));
  return holds(integer_of(left), comparator, integer_of(right));
}

}  // namespace hilsa
