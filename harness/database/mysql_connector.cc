#include "harness/database/mysql_connector.h"

#include <cppconn/driver.h>

#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

constexpr int kDefaultPort = 3306;
// The client gives up on a server this much later than the server should have given up on the
// statement: what the server says is worth more than a broken link.
constexpr std::chrono::seconds kGrace{2};

void check(const Url& url) {
  if (url.name.empty()) {
    throw UsageError("a mysql: or mariadb: URL must name a database: mysql://user@host/DATABASE");
  }
  for (const auto& [name, value] : url.options) {
    if (name != "socket") {
      throw UsageError("a mysql: or mariadb: URL has no option '" + name + "'; it takes 'socket'");
    }
  }
}

std::string host_name(const Url& url) {
  const auto socket = url.options.find("socket");
  if (socket != url.options.end()) return "unix://" + socket->second;
  const std::string host = url.host.empty() ? "127.0.0.1" : url.host;
  const bool is_bare_ipv6 = host.find(':') != std::string::npos && host.front() != '[';
  return "tcp://" + (is_bare_ipv6 ? "[" + host + "]" : host) + ":" +
         std::to_string(url.port == 0 ? kDefaultPort : url.port);
}

int whole_seconds(std::chrono::milliseconds time) {
  return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

sql::Driver& driver() {
  static sql::Driver* const driver = get_driver_instance();
  return *driver;
}

}  // namespace

MysqlConnector::MysqlConnector(const Url& url, const ConnectOptions& options) {
  check(url);
  driver();
  const int silence_max = whole_seconds(options.statement_timeout + kGrace);
  properties_["hostName"] = host_name(url);
  properties_["userName"] = url.user;
  properties_["password"] = url.password;
  properties_["schema"] = url.name;
  properties_["CLIENT_FOUND_ROWS"] = true;
  properties_["OPT_CONNECT_TIMEOUT"] = whole_seconds(options.connect_timeout);
  properties_["OPT_READ_TIMEOUT"] = silence_max;
  properties_["OPT_WRITE_TIMEOUT"] = silence_max;
  properties_["OPT_RECONNECT"] = false;
  properties_["OPT_CHARSET_NAME"] = std::string("utf8mb4");
}

std::unique_ptr<sql::Connection> MysqlConnector::connect() const {
  sql::ConnectOptionsMap properties = properties_;  // the library takes it by reference
  return std::unique_ptr<sql::Connection>(driver().connect(properties));
}

}  // namespace hilsa
