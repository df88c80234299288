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

// Names the socket; said, since PGPORT in the environment would say otherwise to either side.
constexpr const char* kPort = "5432";

// The directory's path needs no encoding (PrivateDirectory).
Url address(const PlanRequest& request) {
  Url url;
  url.scheme = Url::Scheme::postgres;
  url.user = kServerUserName;
  url.password = request.password;
  url.name = "postgres";
  url.options = {{"host", request.directory}, {"port", kPort}};
  url.text = "postgres://" + url.user + ":" + url.password + "@/" + url.name +
             "?host=" + request.directory + "&port=" + kPort;
  return url;
}

std::vector<std::string> find_programs() {
  const PostgresPrograms programs = find_postgres(postgres_directories());
  return {programs.initdb, programs.postgres};
}

ServerPlan plan_postgres(const PlanRequest& request) {
  const std::string data = request.directory + "/data";
  ServerPlan plan;
  plan.files["password"] = request.password + "\n";
  plan.initialise = {request.programs.front(),
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
  settings["port"] = kPort;
  settings["unix_socket_directories"] = request.directory;
  plan.serve = {request.programs.back(), "-D", data};
  for (const auto& [name, value] : settings) {
    plan.serve.emplace_back("-c");
    plan.serve.push_back(name + "=" + value);
  }
  // An immediate shutdown: the postmaster takes its backends and shared memory with it, which it
  // could not when killed.
  plan.serve_signal = "QUIT";
  // initdb ends by itself soon: its bootstrap server cannot be stopped without leaving shared
  // memory behind, so this signal is one that changes nothing.
  plan.initialise_signal = "CONT";
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
                                       .find = find_programs,
                                       .plan = plan_postgres,
                                       .is_ready = postgres_is_ready};

}  // namespace hilsa
