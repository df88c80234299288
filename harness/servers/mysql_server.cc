// temp:mysql and temp:mariadb, which share their configuration file, their SQL for making users and
// the first packet that they send.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <string>

#include "harness/servers/child_process.h"
#include "harness/servers/installed_server.h"
#include "harness/servers/server_plan.h"

namespace hilsa {
namespace {

constexpr int kGreetingTimeoutMs = 200;

// Durability is given up for speed: nothing outlives the server. Everything that decides how
// transactions meet stays at the product's default.
const ServerSettings kSettings = {
    {"innodb_buffer_pool_size", "128M"},
    {"innodb_doublewrite", "OFF"},
    {"innodb_flush_log_at_trx_commit", "2"},
    {"innodb_flush_method", "nosync"},
    {"max_connections", "1100"},
};
const ServerSettings kMariadbSettings = {{"skip_log_bin", "ON"}};
const ServerSettings kMysqlSettings = {
    {"disable_log_bin", "ON"},
    {"mysqlx", "OFF"},
    {"performance_schema", "ON"},  // shows who waits for whose lock
    {"secure_file_priv", "NULL"},  // its built-in directory need not exist here
};

std::string socket_in(const std::string& directory) { return directory + "/s.sock"; }

// As the value of an option file: between quotes a `#` is no comment, a backslash still escapes.
std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char letter : value) {
    if (letter == '\\') text += '\\';
    text += letter;
  }
  return text + "\"";
}

std::string option_file(const PlanRequest& request, const ServerSettings& of_product) {
  ServerSettings settings = request.settings;
  settings.insert(of_product.begin(), of_product.end());
  settings.insert(kSettings.begin(), kSettings.end());
  settings["datadir"] = request.directory + "/data";
  settings["pid_file"] = request.directory + "/pid";
  settings["socket"] = socket_in(request.directory);
  settings["tmpdir"] = request.directory;
  std::string text = "[mysqld]\nskip_networking\n";
  for (const auto& [name, value] : settings) text += name + "=" + quoted(value) + "\n";
  return text;
}

// Run by the server before it accepts anybody. The root account, which has no password, goes.
std::string users_sql(const std::string& password) {
  const std::string user = "'" + std::string(kServerUserName) + "'@'localhost'";
  const std::string database(kServerDatabase);
  return "CREATE USER IF NOT EXISTS " + user + " IDENTIFIED BY '" + password + "';\n" +
         "GRANT ALL PRIVILEGES ON *.* TO " + user + " WITH GRANT OPTION;\n" +
         "CREATE DATABASE IF NOT EXISTS " + database + ";\n" +
         "DROP USER IF EXISTS 'root'@'localhost';\n";
}

ServerPlan common_plan(const PlanRequest& request, const ServerSettings& of_product) {
  ServerPlan plan;
  plan.files["my.cnf"] = option_file(request, of_product);
  plan.files["users.sql"] = users_sql(request.password);
  plan.initialise_signal = "KILL";
  plan.serve_signal = "KILL";
  plan.url.user = kServerUserName;
  plan.url.password = request.password;
  plan.url.host = "localhost";
  plan.url.name = kServerDatabase;
  plan.url.options = {{"socket", socket_in(request.directory)}};
  return plan;
}

// Both read options in this order: the file must come first.
std::vector<std::string> serve_command(const std::string& server, const std::string& directory) {
  return {server, "--defaults-file=" + directory + "/my.cnf",
          "--init-file=" + directory + "/users.sql"};
}

std::vector<std::string> find_mariadb_programs() {
  const MariadbPrograms programs = find_mariadb(server_directories());
  return {programs.install_db, programs.mariadbd};
}

ServerPlan plan_mariadb(const PlanRequest& request) {
  ServerPlan plan = common_plan(request, kMariadbSettings);
  plan.initialise = {request.programs.front(),
                     "--defaults-file=" + request.directory + "/my.cnf",
                     "--datadir=" + request.directory + "/data",
                     "--auth-root-authentication-method=normal",
                     "--skip-test-db",
                     "--skip-name-resolve"};
  plan.serve = serve_command(request.programs.back(), request.directory);
  plan.url.scheme = Url::Scheme::mariadb;
  return plan;
}

std::vector<std::string> find_mysql_programs() { return {find_mysql(mysql_candidates())}; }

ServerPlan plan_mysql(const PlanRequest& request) {
  const std::string& mysqld = request.programs.front();
  ServerPlan plan = common_plan(request, kMysqlSettings);
  plan.initialise = {mysqld, "--defaults-file=" + request.directory + "/my.cnf",
                     "--initialize-insecure"};
  plan.serve = serve_command(mysqld, request.directory);
  plan.url.scheme = Url::Scheme::mysql;
  return plan;
}

// Whether the server sends its greeting: packet length (3 bytes), number 0, protocol version 10. In
// place of the 10 there is 255 when it has an error to tell. The servers that make the data
// directory open no socket, and this one accepts nobody before it has run users.sql.
bool greets(const std::string& directory) {
  const std::string path = socket_in(directory);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  path.copy(address.sun_path, path.size());
  const FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (client.get() < 0) return false;
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(client.get(), generic, sizeof(address)) != 0) return false;
  pollfd readable{.fd = client.get(), .events = POLLIN, .revents = 0};
  if (::poll(&readable, 1, kGreetingTimeoutMs) <= 0) return false;
  std::array<unsigned char, 5> start{};
  if (::recv(client.get(), start.data(), start.size(), 0) != 5) return false;
  return start[3] == 0 && start[4] == 10;
}

}  // namespace

const ServerProduct kMariadbServer = {.name = "mariadb",
                                      .title = "MariaDB",
                                      .find = find_mariadb_programs,
                                      .plan = plan_mariadb,
                                      .is_ready = greets};
const ServerProduct kMysqlServer = {.name = "mysql",
                                    .title = "MySQL",
                                    .find = find_mysql_programs,
                                    .plan = plan_mysql,
                                    .is_ready = greets};

}  // namespace hilsa
