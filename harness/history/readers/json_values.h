// What both JSON readers need of simdjson. Its errors are exceptions here (simdjson_error), which
// become Malformed at one place.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string_view>

#include "harness/history/readers/malformed.h"
#include "harness/history/scalar.h"

namespace hilsa {

namespace json = simdjson::ondemand;

// A whole number of 64 bits is one; null is null; a string is its text; anything else is the text
// that it was written as.
Scalar scalar_of(json::value value, ScalarPool& scalars);

// A value that nobody needs, but which has to be JSON all the same. simdjson itself would only
// count its brackets.
void check_unused(json::value value, int depth = 0);

// Text of at most `size` bytes behind which simdjson may read kPadding bytes more.
inline simdjson::padded_string_view padded(std::string_view text, std::size_t padding) {
  return simdjson::padded_string_view(text.data(), text.size(), text.size() + padding);
}

Malformed malformed_json(const simdjson::simdjson_error& error, const char* at);

// The length of the JSON object or array that `text` begins with, by its brackets; npos: it goes
// on behind the text's end.
std::size_t bracketed_size(std::string_view text);

}  // namespace hilsa
