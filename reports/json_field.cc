#include "reports/json_field.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "checkers/printable.h"
#include "reports/lines.h"
#include "reports/report_set.h"

namespace hilsa {

std::string JsonField::path() const {
  if (parent_ == nullptr) return "";
  const std::string before = parent_->path();
  if (name_.data() == nullptr) return fmt::format("{}[{}]", before, place_);
  return before + (before.empty() ? "" : ".") + elided(printable(name_), 60);
}

void JsonField::fail(const std::string& what) const {
  const std::string where = path();
  throw ResultUnreadable(where.empty() ? what : where + ": " + what);
}

bool JsonField::is_object() const { return json_.is_object(); }
bool JsonField::is_null() const { return json_.is_null(); }

bool JsonField::is(std::string_view text) const {
  return json_.is_string() && json_.get_ref<const std::string&>() == text;
}

std::string JsonField::text() const {
  if (!json_.is_string()) fail("not a text");
  return visible_lines(json_.get_ref<const std::string&>());
}

bool JsonField::truth() const {
  if (!json_.is_boolean()) fail("neither true nor false");
  return json_.get<bool>();
}

double JsonField::number() const {
  if (!json_.is_number()) fail("not a number");
  const auto value = json_.get<double>();
  if (!std::isfinite(value) || value < 0) fail("not a number from 0 up");
  return value;
}

std::int64_t JsonField::whole(std::int64_t lowest, std::int64_t highest) const {
  if (!json_.is_number_integer()) fail("not a whole number");
  // The parser takes what is not negative as unsigned.
  const bool too_large = json_.is_number_unsigned() &&
                         json_.get<std::uint64_t>() >
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::int64_t value = too_large ? highest : json_.get<std::int64_t>();
  if (too_large || value < lowest || value > highest) {
    fail(fmt::format("{} is not from {} to {}", json_.dump(), lowest, highest));
  }
  return value;
}

std::uint64_t JsonField::seed() const {
  if (!json_.is_number_unsigned()) fail("not a whole number from 0 up");
  return json_.get<std::uint64_t>();
}

std::size_t JsonField::length() const {
  if (!json_.is_array()) fail("not a list");
  return json_.size();
}

bool JsonField::has(std::string_view name) const {
  if (!json_.is_object()) fail("not an object");
  return json_.find(name) != json_.end();
}

JsonField JsonField::operator[](std::string_view name) const {
  if (!json_.is_object()) fail("not an object");
  const auto found = json_.find(name);
  if (found == json_.end()) fail("the field \"" + elided(printable(name), 60) + "\" is missing");
  return {*found, this, name, 0};
}

JsonField JsonField::at(std::size_t place) const { return {json_[place], this, {}, place}; }

std::vector<std::string> JsonField::names() const {
  if (!json_.is_object()) fail("not an object");
  std::vector<std::string> names;
  names.reserve(json_.size());
  for (const auto& [name, value] : json_.items()) names.push_back(name);
  return names;
}

}  // namespace hilsa
