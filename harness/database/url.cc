#include "harness/database/url.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

constexpr std::string_view kExamples =
    "a database is postgres://user@host/db, mysql://user@host/db, mariadb://user@host/db, "
    "sqlite:file, sqlite:, temp:postgres|mysql|mariadb, sim:level or env:NAME";

struct SchemeName {
  std::string_view name;
  Url::Scheme scheme;
};
constexpr std::array kSchemes = {SchemeName{"postgres", Url::Scheme::postgres},
                                 SchemeName{"postgresql", Url::Scheme::postgres},
                                 SchemeName{"mysql", Url::Scheme::mysql},
                                 SchemeName{"mariadb", Url::Scheme::mariadb},
                                 SchemeName{"sqlite", Url::Scheme::sqlite},
                                 SchemeName{"temp", Url::Scheme::temp},
                                 SchemeName{"sim", Url::Scheme::sim}};

std::string_view name_of(Url::Scheme scheme) {
  return std::find_if(kSchemes.begin(), kSchemes.end(),
                      [scheme](const SchemeName& row) { return row.scheme == scheme; })
      ->name;
}

// What follows must never quote the part before `/`: it may hold a password, and a password with an
// unencoded `/` or `@` in it can end up in any piece of it.
[[noreturn]] void malformed(std::string_view scheme, const std::string& what) {
  throw UsageError("malformed " + std::string(scheme) + " URL: " + what);
}

std::string percent_decoded(std::string_view scheme, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned code = 0;
    const char* const first = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(first, first + 2, code, 16).ptr != first + 2 ||
        code == 0) {
      malformed(scheme, "'%' must be followed by two hexadecimal digits (write '%25' for '%')");
    }
    out += static_cast<char>(code);
    i += 2;
  }
  return out;
}

bool is_secret(std::string_view option) {
  std::string lower(option);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("pass") != std::string::npos || lower == "pwd";
}

void parse_options(std::string_view scheme, std::string_view text, Url& url) {
  while (!text.empty()) {
    const std::string_view option = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), option.size() + 1));
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      malformed(scheme, "after '?' there must be name=value, separated by '&'");
    }
    url.options[percent_decoded(scheme, option.substr(0, equals))] =
        percent_decoded(scheme, option.substr(equals + 1));
  }
}

void parse_host(std::string_view scheme, std::string_view text, Url& url) {
  // Several hosts, as libpq allows, are kept as they are.
  if (text.find(',') != std::string_view::npos) {
    url.host = std::string(text);
    return;
  }
  std::size_t colon = text.rfind(':');
  if (!text.empty() && text.front() == '[') {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) malformed(scheme, "the host's '[' is not closed");
    if (colon < bracket) colon = std::string_view::npos;
    if (bracket + 1 != std::min(colon, text.size())) {
      malformed(scheme, "only ':' and a port can follow the host's ']'");
    }
  }
  url.host = percent_decoded(scheme, text.substr(0, colon));
  if (colon == std::string_view::npos) return;
  const std::string_view port = text.substr(colon + 1);
  const auto end = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (end.ec != std::errc() || end.ptr != port.data() + port.size() || url.port < 1 ||
      url.port > 65535) {
    malformed(scheme,
              "the port must be a number from 1 to 65535 (in a password, write '/', ':' and '@' as "
              "'%2F', '%3A' and '%40')");
  }
}

void parse_server(std::string_view scheme, std::string_view rest, Url& url) {
  if (!rest.starts_with("//")) malformed(scheme, "'//' must follow the ':'");
  rest.remove_prefix(2);
  // A password with a bare `/`, `?` or `@` in it would be cut there, and its rest taken for
  // something that may be shown.
  if (std::count(rest.begin(), rest.end(), '@') > 1 || rest.find('@') > rest.find_first_of("/?")) {
    const bool has_at = rest.find('@') != std::string_view::npos;
    if (has_at) {
      malformed(
          scheme,
          "there may be one '@', before the host; elsewhere, as in a password, write '@', '/' "
          "and '?' as '%40', '%2F' and '%3F'");
    }
  }
  const std::size_t question = rest.find('?');
  if (question != std::string_view::npos) parse_options(scheme, rest.substr(question + 1), url);
  rest = rest.substr(0, question);
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    url.name = percent_decoded(scheme, rest.substr(slash + 1));
  }
  rest = rest.substr(0, slash);
  const std::size_t at = rest.rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view login = rest.substr(0, at);
    const std::size_t colon = login.find(':');
    url.user = percent_decoded(scheme, login.substr(0, colon));
    if (colon != std::string_view::npos) {
      url.password = percent_decoded(scheme, login.substr(colon + 1));
    }
    rest.remove_prefix(at + 1);
  }
  parse_host(scheme, rest, url);
  for (const auto& [option, value] : url.options) {
    if (is_secret(option) && url.password.empty()) url.password = value;
  }
}

void parse_word(std::string_view scheme, std::string_view rest, Url& url) {
  const std::size_t question = rest.find('?');
  if (question != std::string_view::npos) parse_options(scheme, rest.substr(question + 1), url);
  url.name = std::string(rest.substr(0, question));
}

void parse_file(std::string_view scheme, std::string_view rest, Url& url) {
  if (rest.starts_with("//")) rest.remove_prefix(2);
  parse_word(scheme, rest, url);
  // SQLite's own names for what is no file: every session would get a database to itself.
  if (url.name.starts_with("file:") || url.name.starts_with(":memory:")) {
    malformed(scheme, "a file's path is wanted; 'sqlite:' alone is a temporary database");
  }
}

Url parse(std::string_view text, bool may_use_environment) {
  const std::size_t colon = text.find(':');
  const std::string_view scheme = text.substr(0, colon);
  if (colon == std::string_view::npos)
    throw UsageError("not a database URL: " + std::string(kExamples));
  const std::string_view rest = text.substr(colon + 1);
  if (scheme == "env" && may_use_environment) {
    const std::string name(rest);
    const bool is_name = std::all_of(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (!is_name || name.empty()) {
      // Perhaps `env:$NAME`, already replaced by the shell: it must not be shown.
      throw UsageError("after 'env:' comes the name of an environment variable, without a '$'");
    }
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) {
      throw UsageError("the environment variable '" + name + "' is not set; --db env:" + name +
                       " takes the database's URL from it");
    }
    return parse(value, false);
  }
  const auto known = std::find_if(kSchemes.begin(), kSchemes.end(),
                                  [scheme](const SchemeName& row) { return row.name == scheme; });
  if (known == kSchemes.end()) throw UsageError("unknown kind of URL: " + std::string(kExamples));
  Url url;
  url.scheme = known->scheme;
  url.text = std::string(text);
  if (url.scheme == Url::Scheme::sqlite) {
    parse_file(scheme, rest, url);
  } else if (url.scheme == Url::Scheme::temp || url.scheme == Url::Scheme::sim) {
    parse_word(scheme, rest, url);
  } else {
    parse_server(scheme, rest, url);
  }
  return url;
}

}  // namespace

std::string Url::redacted() const {
  std::string shown(name_of(scheme));
  if (scheme == Scheme::sqlite || scheme == Scheme::temp || scheme == Scheme::sim) {
    shown += ":" + name;
  } else {
    shown += "://" + user;
    if (!password.empty()) shown += ":***";
    if (!user.empty() || !password.empty()) shown += "@";
    shown += host;
    if (port != 0) shown += ":" + std::to_string(port);
    shown += "/" + name;
  }
  char separator = '?';
  for (const auto& [option, value] : options) {
    shown += separator + option + "=" + (is_secret(option) ? "***" : value);
    separator = '&';
  }
  return shown;
}

Url parse_url(std::string_view text) { return parse(text, true); }

}  // namespace hilsa
