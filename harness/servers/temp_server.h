// Throw-away database servers: `temp:postgres`, `temp:mariadb`, `temp:mysql`. Started from the
// local binaries in a temporary directory, as a user without privileges, reachable only through a
// socket in that directory and with a random password; gone with the process that started them,
// however it ends.
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "harness/database/url.h"

namespace hilsa {

class TempServer {
 public:
  // Starts the server that a `temp:PRODUCT[?setting=value&…]` URL names and waits until it answers
  // (seconds). Settings are the server's own (`temp:postgres?max_connections=50`) and override
  // ours. Throws UsageError for an unknown product, DatabaseUnusable when no server is installed
  // (saying what to install) or it does not start (with the last line of its log).
  // A stop ends the wait with Interrupted.
  explicit TempServer(const Url& temp_url, const std::stop_token& stop = {});
  // Stops the server at once and removes its directory; nothing in it is kept.
  ~TempServer();
  TempServer(TempServer&&) noexcept;
  TempServer& operator=(TempServer&&) noexcept;

  // An ordinary postgres:, mysql: or mariadb: address of the running server.
  const Url& url() const;

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

}  // namespace hilsa
