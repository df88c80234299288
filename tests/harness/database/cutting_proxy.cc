#include "tests/harness/database/cutting_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace hilsa::tests {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw std::runtime_error("path too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

int new_socket() { return checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"); }

std::string make_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "hilsa-proxy-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  return folder;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// What has arrived; empty at the end of the stream.
std::string_view receive(int from, std::array<char, 65536>& buffer) {
  const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

}  // namespace

CuttingProxy::CuttingProxy(const std::string& server_socket)
    : folder_(make_folder()),
      socket_(folder_ + "/" + std::filesystem::path(server_socket).filename().string()),
      server_socket_(server_socket),
      listener_(new_socket()) {
  const sockaddr_un address = address_of(socket_);
  checked(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), "bind");
  checked(::listen(listener_, SOMAXCONN), "listen");
  checked(::pipe(stop_), "pipe");
  thread_ = std::thread([this] { serve(); });
}

CuttingProxy::~CuttingProxy() {
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
  ::close(listener_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void CuttingProxy::arm(Cut cut, std::string bytes) {
  cut_ = cut;
  bytes_ = std::move(bytes);
  state_ = State::armed;
}

void CuttingProxy::serve() {
  for (;;) {
    std::vector<pollfd> polled = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Link& link : links_) {
      polled.push_back({link.client, POLLIN, 0});
      polled.push_back({link.server, POLLIN, 0});
    }
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[0].revents != 0) break;
    std::vector<Link> alive;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      Link link = links_[i];
      bool goes_on = true;
      if (polled[2 + 2 * i].revents != 0) goes_on = forward_request(link);
      if (goes_on && polled[3 + 2 * i].revents != 0) goes_on = forward_answer(link);
      if (goes_on) {
        alive.push_back(link);
      } else {
        ::close(link.client);
        ::close(link.server);
      }
    }
    links_ = std::move(alive);
    if (polled[1].revents != 0) accept_client();
  }
  for (const Link& link : links_) {
    ::close(link.client);
    ::close(link.server);
  }
}

void CuttingProxy::accept_client() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = new_socket();
  const sockaddr_un address = address_of(server_socket_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) < 0) {
    ::close(client);
    ::close(server);
    return;
  }
  links_.push_back({client, server});
}

bool CuttingProxy::forward_request(Link& link) {
  std::array<char, 65536> buffer;
  const std::string_view request = receive(link.client, buffer);
  if (request.empty()) return false;
  if (state_ == State::armed && request.find(bytes_) != std::string_view::npos) {
    if (cut_ == Cut::before_request) {
      state_ = State::done;
      return false;
    }
    link.answer_is_for_nobody = true;
  }
  return send_all(link.server, request);
}

bool CuttingProxy::forward_answer(Link& link) {
  std::array<char, 65536> buffer;
  const std::string_view answer = receive(link.server, buffer);
  if (answer.empty()) return false;
  if (link.answer_is_for_nobody) {
    state_ = State::done;
    return false;
  }
  return send_all(link.client, answer);
}

}  // namespace hilsa::tests
