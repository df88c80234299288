#include "harness/servers/temp_server.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/database/usage_error.h"
#include "harness/servers/private_directory.h"
#include "harness/servers/server_log.h"
#include "harness/servers/server_plan.h"
#include "harness/servers/supervisor.h"

namespace hilsa {
namespace {

constexpr std::chrono::seconds kStartPatience{60};
constexpr std::chrono::milliseconds kPollInterval{20};

const ServerProduct* const kProducts[] = {&kPostgresServer, &kMariadbServer, &kMysqlServer};

// Where a server is and how it is reached is ours to say.
constexpr std::string_view kReserved[] = {
    "bind_address",
    "config_file",
    "data_directory",
    "datadir",
    "hba_file",
    "ident_file",
    "external_pid_file",
    "init_file",
    "listen_addresses",
    "pid_file",
    "port",
    "skip_networking",
    "socket",
    "tmpdir",
    "unix_socket_directories",
    "user",
};

const ServerProduct& find_product(const std::string& name) {
  std::string known;
  for (const auto* product : kProducts) {
    if (product->name == name) return *product;
    known += (known.empty() ? "temp:" : ", temp:") + std::string(product->name);
  }
  throw UsageError("no temporary server 'temp:" + name + "': there are " + known);
}

void check_setting(const std::string& name, const std::string& value) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  if (name.empty() || name.find_first_not_of(kLetters) != std::string::npos) {
    throw UsageError("'" + name +
                     "' is no setting of a server: write it as in ?max_connections=50, small "
                     "letters, digits, '_' and '.'");
  }
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
    throw UsageError("the setting '" + name + "' of a temporary server cannot be changed");
  }
  const bool unfit = std::any_of(value.begin(), value.end(), [](char letter) {
    return letter == '\'' || letter == '"' || static_cast<unsigned char>(letter) < ' ';
  });
  if (unfit) {
    throw UsageError("the value of the setting '" + name + "' holds a quote or a line break");
  }
}

ServerSettings checked_settings(const Url& url) {
  for (const auto& [name, value] : url.options) check_setting(name, value);
  return {url.options.begin(), url.options.end()};
}

// 128 bits, in letters and digits that no URL, shell or SQL minds.
std::string random_password() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  static constexpr char kHex[] = "0123456789abcdef";
  std::string password;
  for (const auto byte : bytes) {
    password += kHex[byte >> 4];
    password += kHex[byte & 15];
  }
  return password;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

struct TempServer::Running {
  Running(const ServerProduct& product_started, const ServerSettings& settings,
          const std::stop_token& stop)
      : product(product_started),
        // Before there is a directory: from then on nothing may take long until the supervisor
        // watches over it.
        programs(product.find()),
        user(server_user()),
        directory("hilsa-" + std::string(product.name), user),
        plan(product.plan({.programs = programs,
                           .directory = directory.path(),
                           .password = random_password(),
                           .settings = settings})),
        supervisor(directory, user, plan) {
    wait_until_ready(stop);
  }

  void wait_until_ready(const std::stop_token& stop) {
    const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
    while (!product.is_ready(directory.path())) {
      if (stop.stop_requested()) throw Interrupted();
      if (supervisor.server_has_ended()) fail("does not start");
      if (std::chrono::steady_clock::now() >= deadline) fail("does not answer after 60 s");
      std::this_thread::sleep_for(kPollInterval);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    const std::string log = read_file(directory.path() + "/" + std::string(Supervisor::kLog));
    const std::string complaint = first_complaint(log);
    throw DatabaseUnusable("the temporary " + std::string(product.title) + " server " + what +
                           ": " + (complaint.empty() ? "its log is empty" : complaint));
  }

  // In this order: the supervisor has to be gone before its directory is.
  const ServerProduct& product;
  const std::vector<std::string> programs;
  const ServerUser user;
  const PrivateDirectory directory;
  const ServerPlan plan;
  Supervisor supervisor;
};

TempServer::TempServer(const Url& temp_url, const std::stop_token& stop)
    : running_(std::make_unique<Running>(find_product(temp_url.name), checked_settings(temp_url),
                                         stop)) {}

TempServer::~TempServer() = default;
TempServer::TempServer(TempServer&&) noexcept = default;
TempServer& TempServer::operator=(TempServer&&) noexcept = default;

const Url& TempServer::url() const { return running_->plan.url; }

}  // namespace hilsa
