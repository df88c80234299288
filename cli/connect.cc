#include "cli/connect.h"

#include "harness/database/usage_error.h"

namespace hilsa {

OpenDatabase connect(const std::string& url, const ConnectOptions& options,
                     const std::stop_token& stop) {
  const Url parsed = parse_url(url);
  OpenDatabase open;
  if (parsed.scheme == Url::Scheme::temp) open.server.emplace(parsed, stop);
  try {
    open.database = open_database(open.server ? open.server->url() : parsed, options);
  } catch (const DatabaseUnusable&) {
    if (stop.stop_requested()) throw Interrupted();
    throw;
  }
  return open;
}

}  // namespace hilsa
