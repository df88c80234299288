#include "cli/connect.h"

namespace hilsa {

OpenDatabase connect(const std::string& url, const ConnectOptions& options) {
  const Url parsed = parse_url(url);
  OpenDatabase open;
  if (parsed.scheme != Url::Scheme::temp) {
    open.database = open_database(parsed, options);
    return open;
  }
  open.server.emplace(parsed);
  open.database = open_database(open.server->url(), options);
  return open;
}

}  // namespace hilsa
