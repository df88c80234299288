// A value in eight bytes: nothing, a whole number, or anything else by the text it was written as.
// Equal values have equal bits as long as they come from one pool.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/history/predicate.h"
#include "harness/history/value.h"

namespace hilsa {

class Scalar {
 public:
  enum class Kind : std::uint8_t { null, integer, wide_integer, text };

  Scalar() = default;
  static Scalar from_bits(std::int64_t bits) { return Scalar(bits); }
  std::int64_t bits() const { return bits_; }
  Kind kind() const { return static_cast<Kind>(bits_ & 3); }
  bool is_null() const { return bits_ == 0; }
  // A number of 62 bits or fewer, by itself, without a pool.
  static Scalar small_integer(std::int64_t value) {
    return Scalar(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 2) | 1);
  }
  static bool is_small(std::int64_t value) { return value >= -kSmallMax && value <= kSmallMax; }

  friend bool operator==(const Scalar&, const Scalar&) = default;

 private:
  friend class ScalarPool;
  static constexpr std::int64_t kSmallMax = (std::int64_t{1} << 60);
  explicit Scalar(std::int64_t bits) : bits_(bits) {}
  std::int64_t payload() const { return bits_ >> 2; }
  std::int64_t bits_ = 0;
};

// Keeps what does not fit into a Scalar. Not thread-safe while values are added.
class ScalarPool {
 public:
  Scalar integer(std::int64_t value) {
    return Scalar::is_small(value) ? Scalar::small_integer(value) : wide_integer(value);
  }
  Scalar text(std::string_view text);
  Scalar value(const Value& value);

  std::int64_t integer_of(Scalar scalar) const;   // of kind integer or wide_integer
  std::string_view text_of(Scalar scalar) const;  // of kind text
  Value value_of(Scalar scalar) const;
  // As a person reads it: `NULL`, `42`, `'text'`.
  std::string to_text(Scalar scalar) const;
  // As SQL compares them: null with anything, and a number with a text, is no match (false for
  // every comparator). Texts by bytes.
  bool matches(Scalar left, Comparator comparator, Scalar right) const;

 private:
  Scalar wide_integer(std::int64_t value);

  std::deque<std::string> texts_;  // views into it stay good while it grows
  std::unordered_map<std::string_view, std::int64_t> text_numbers_;
  std::vector<std::int64_t> wide_;
  std::unordered_map<std::int64_t, std::int64_t> wide_numbers_;
};

}  // namespace hilsa
