#include "tests/harness/database/servers_for_tests.h"

#include <filesystem>
#include <map>

#include "harness/database/usage_error.h"
#include "harness/servers/temp_server.h"

namespace hilsa::tests {
namespace {

constexpr int kDefaultPostgresPort = 5432;

struct Start {
  std::unique_ptr<TempServer> server;
  std::string error;  // why there is none: a second try would take as long and end the same way
};

Start start(const std::string& product) {
  try {
    return {std::make_unique<TempServer>(parse_url("temp:" + product)), ""};
  } catch (const DatabaseUnusable& error) {
    return {nullptr, error.what()};
  }
}

std::string postgres_folder(const Url& url) {
  const auto host = url.options.find("host");
  return host != url.options.end() ? host->second : url.host;
}

std::string percent_encoded_slashes(const std::string& path) {
  std::string encoded;
  for (const char c : path) {
    if (c == '/') {
      encoded += "%2F";
    } else {
      encoded += c;
    }
  }
  return encoded;
}

}  // namespace

const Url& server_url(std::string_view product) {
  static std::map<std::string, Start, std::less<>> starts;
  auto found = starts.find(product);
  if (found == starts.end()) {
    found = starts.emplace(product, start(std::string(product))).first;
  }
  if (!found->second.server) throw DatabaseUnusable(found->second.error);
  return found->second.server->url();
}

std::unique_ptr<Database> open_for_test(std::string_view product, const ConnectOptions& options) {
  if (product == "sqlite") return open_database(parse_url("sqlite:"), options);
  return open_database(server_url(product), options);
}

std::string socket_of(const Url& url) {
  if (url.scheme != Url::Scheme::postgres) return url.options.at("socket");
  const auto port = url.options.find("port");
  const std::string number = port != url.options.end()
                                 ? port->second
                                 : std::to_string(url.port == 0 ? kDefaultPostgresPort : url.port);
  return postgres_folder(url) + "/.s.PGSQL." + number;
}

Url with_socket(const Url& url, const std::string& socket) {
  Url moved = url;
  if (url.scheme != Url::Scheme::postgres) {
    moved.options["socket"] = socket;
    return moved;
  }
  const std::string folder = postgres_folder(url);
  const std::string new_folder = std::filesystem::path(socket).parent_path();
  std::string text = url.text;
  std::size_t at = text.find(folder);
  std::size_t size = folder.size();
  if (at == std::string::npos) {
    const std::string encoded = percent_encoded_slashes(folder);
    at = text.find(encoded);
    size = encoded.size();
  }
  text.replace(at, size, percent_encoded_slashes(new_folder));
  return parse_url(text);
}

}  // namespace hilsa::tests
