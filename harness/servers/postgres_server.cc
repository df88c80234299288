// temp:postgres.
#include <fstream>
#include <string>

#include "harness/servers/installed_server.h"
#include "harness/servers/server_plan.h"

namespace hilsa {
namespace {

// Durability is given up for speed: nothing outlives the server. Everything that decides how
// transactions meet stays at PostgreSQL's default.
const ServerSettings kSettings = {
    {"max_connections", "1100"}, {"max_prepared_transactions", "64"}, {"fsync", "off"},
    {"full_page_writes", "off"}, {"synchronous_commit", "on"},
};

std::string percent_encoded(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string encoded;
  for (const char letter : text) {
    if (kPlain.find(letter) != std::string_view::npos) {
      encoded += letter;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    encoded += '%';
    encoded += kHex[byte >> 4];
    encoded += kHex[byte & 15];
  }
  return encoded;
}

Url address(const PlanRequest& request) {
  Url url;
  url.scheme = Url::Scheme::postgres;
  url.user = kServerUserName;
  url.password = request.password;
  url.name = "postgres";
  url.options = {{"host", request.directory}};
  url.text = "postgres://" + url.user + ":" + url.password + "@/" + url.name +
             "?host=" + percent_encoded(request.directory);
  return url;
}

ServerPlan plan_postgres(const PlanRequest& request) {
  const PostgresPrograms programs = find_postgres(postgres_directories());
  const std::string data = request.directory + "/data";
  ServerPlan plan;
  plan.files["password"] = request.password + "\n";
  plan.initialise = {programs.initdb,
                     "--pgdata=" + data,
                     "--username=" + std::string(kServerUserName),
                     "--pwfile=" + request.directory + "/password",
                     "--auth=scram-sha-256",
                     "--encoding=UTF8",
                     "--locale=C",
                     "--no-sync",
                     "--no-instructions"};
  ServerSettings settings = request.settings;
  settings.insert(kSettings.begin(), kSettings.end());
  settings["listen_addresses"] = "";
  settings["unix_socket_directories"] = request.directory;
  plan.serve = {programs.postgres, "-D", data};
  for (const auto& [name, value] : settings) {
    plan.serve.emplace_back("-c");
    plan.serve.push_back(name + "=" + value);
  }
  // An immediate shutdown: the postmaster takes its backends and shared memory with it, which it
  // could not when killed.
  plan.stop_signal = "QUIT";
  plan.url = address(request);
  return plan;
}

// The postmaster keeps its state in the eighth line of its pid file.
bool postgres_is_ready(const std::string& directory) {
  std::ifstream file(directory + "/data/postmaster.pid");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (number == 8) return line.starts_with("ready");
  }
  return false;
}

}  // namespace

const ServerProduct kPostgresServer = {.name = "postgres",
                                       .title = "PostgreSQL",
                                       .plan = plan_postgres,
                                       .is_ready = postgres_is_ready};

}  // namespace hilsa
