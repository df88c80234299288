#include "cli/repeatable.h"

#include <algorithm>
#include <string_view>

#include "harness/database/url.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || std::string_view("-_=+:,./@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// env: stays what it is: it names no password.
std::string without_password(const std::string& url) {
  if (url.starts_with("env:")) return url;
  try {
    return parse_url(url).redacted();
  } catch (const UsageError&) {
    return "URL";  // it would not have run
  }
}

}  // namespace

std::string repeatable(const std::string& command, const Arguments& arguments, std::uint64_t seed) {
  std::string line = "hilsa " + command;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool has_value = equals == std::string::npos && i + 1 < arguments.size();
    if (name == "--no-out" || name == "--quiet") continue;
    if (name == "--out" || name == "--seed" || name == "--db") {
      const std::string value = equals != std::string::npos ? word.substr(equals + 1)
                                : has_value                 ? arguments[++i]
                                                            : "";
      if (name == "--db") line += " --db " + quoted(without_password(value));
      continue;
    }
    line += " " + quoted(word);
  }
  return line + " --seed " + std::to_string(seed);
}

}  // namespace hilsa
