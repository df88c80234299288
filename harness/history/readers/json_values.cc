#include "harness/history/readers/json_values.h"

#include <array>
#include <string>

namespace hilsa {
namespace {

constexpr int kDepthMax = 512;

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Scalar scalar_of(json::value value, ScalarPool& scalars) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) == simdjson::SUCCESS) return scalars.integer(number);
  switch (json::json_type(value.type())) {
    case json::json_type::number: {
      const std::string_view written = without_trailing_blanks(value.raw_json_token());
      static_cast<void>(value.get_double().value());  // throws at what is no number
      return scalars.text(written);
    }
    case json::json_type::string:
      return scalars.text(value.get_string());
    case json::json_type::boolean:
      return scalars.text(value.get_bool() ? "true" : "false");
    case json::json_type::null:
      if (!value.is_null()) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
      return {};
    case json::json_type::array:
      return scalars.text(without_trailing_blanks(value.get_array().value().raw_json()));
    case json::json_type::object:
      break;
  }
  return scalars.text(without_trailing_blanks(value.get_object().value().raw_json()));
}

void check_unused(json::value value, int depth) {
  if (depth > kDepthMax) throw simdjson::simdjson_error(simdjson::DEPTH_ERROR);
  switch (json::json_type(value.type())) {
    case json::json_type::array:
      for (auto element : value.get_array()) check_unused(element.value(), depth + 1);
      return;
    case json::json_type::object:
      for (auto field : value.get_object()) {
        static_cast<void>(field.unescaped_key().value());
        check_unused(field.value(), depth + 1);
      }
      return;
    case json::json_type::number:
      static_cast<void>(value.get_double().value());
      return;
    case json::json_type::string:
      static_cast<void>(value.get_string().value());
      return;
    case json::json_type::boolean:
      static_cast<void>(value.get_bool().value());
      return;
    case json::json_type::null:
      break;
  }
  if (!value.is_null()) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
}

Malformed malformed_json(const simdjson::simdjson_error& error, const char* at) {
  switch (error.error()) {
    case simdjson::UTF8_ERROR:
      return {"bytes that are not UTF-8", "UTF-8", at};
    case simdjson::INCORRECT_TYPE:
      return {"a value of another type than its place has", "what the format has there", at};
    case simdjson::DEPTH_ERROR:
      return {"brackets more than 512 deep", "fewer", at};
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return {"one record that is too long", "shorter ones", at};
    default:
      return {"something that is no JSON", "one JSON value", at};
  }
}

std::size_t bracketed_size(std::string_view text) {
  enum Class : std::uint8_t { kOther, kOpen, kClose, kQuote };
  static constexpr auto kClasses = [] {
    std::array<Class, 256> classes{};
    classes['{'] = classes['['] = kOpen;
    classes['}'] = classes[']'] = kClose;
    classes['"'] = kQuote;
    return classes;
  }();
  std::int64_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (kClasses[static_cast<unsigned char>(text[at])]) {
      case kOther:
        break;
      case kOpen:
        ++depth;
        break;
      case kClose:
        if (--depth <= 0) return at + 1;
        break;
      case kQuote:
        for (++at; at < text.size() && text[at] != '"'; ++at) {
          if (text[at] == '\\') ++at;
        }
        break;
    }
  }
  return std::string_view::npos;
}

}  // namespace hilsa
