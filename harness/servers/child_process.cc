#include "harness/servers/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <thread>

namespace hilsa {
namespace {

constexpr std::chrono::milliseconds kPollInterval{5};
constexpr std::size_t kOutputMax = 64 * 1024;

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

// posix_spawn wants both of these set up in C fashion.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    check(posix_spawnattr_init(&value_), "posix_spawnattr_init");
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&value_, &none);
    posix_spawnattr_setsigdefault(&value_, &all);
    constexpr int kFlags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
    check(posix_spawnattr_setflags(&value_, kFlags), "posix_spawnattr_setflags");
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&value_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &value_; }

 private:
  posix_spawnattr_t value_{};
};

class SpawnStreams {
 public:
  SpawnStreams(int standard_input, int standard_output) {
    check(posix_spawn_file_actions_init(&value_), "posix_spawn_file_actions_init");
    redirect(STDIN_FILENO, standard_input, O_RDONLY);
    redirect(STDOUT_FILENO, standard_output, O_WRONLY);
    check(posix_spawn_file_actions_adddup2(&value_, STDOUT_FILENO, STDERR_FILENO), "dup2");
    check(posix_spawn_file_actions_addclosefrom_np(&value_, STDERR_FILENO + 1), "closefrom");
  }
  ~SpawnStreams() { posix_spawn_file_actions_destroy(&value_); }
  SpawnStreams(const SpawnStreams&) = delete;
  SpawnStreams& operator=(const SpawnStreams&) = delete;
  const posix_spawn_file_actions_t* get() const { return &value_; }

 private:
  void redirect(int stream, int from, int mode) {
    const int error = from >= 0
                          ? posix_spawn_file_actions_adddup2(&value_, from, stream)
                          : posix_spawn_file_actions_addopen(&value_, stream, "/dev/null", mode, 0);
    check(error, "redirect");
  }
  posix_spawn_file_actions_t value_{};
};

std::vector<char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  // posix_spawn does not write to them; its type is older than const.
  for (const auto& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (text.size() < kOutputMax) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  return text;
}

}  // namespace

void FileDescriptor::reset() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

FileDescriptor own_descriptor(int number, const char* what) {
  if (number < 0) check(errno, what);
  FileDescriptor descriptor(number);
  if (number > STDERR_FILENO) return descriptor;
  const int moved = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) check(errno, what);
  return FileDescriptor(moved);
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) check(errno, "pipe");
  Pipe pipe;
  pipe.read_end = own_descriptor(ends[0], "pipe");
  pipe.write_end = own_descriptor(ends[1], "pipe");
  return pipe;
}

pid_t spawn(const ChildSetup& setup) {
  const SpawnAttributes attributes;
  const SpawnStreams streams(setup.standard_input, setup.standard_output);
  const auto arguments = c_strings(setup.command);
  const auto environment = c_strings(setup.environment);
  pid_t child = -1;
  check(posix_spawn(&child, setup.command.front().c_str(), streams.get(), attributes.get(),
                    arguments.data(), environment.data()),
        setup.command.front().c_str());
  return child;
}

bool has_ended(pid_t child) {
  pid_t result = -1;
  do {
    result = ::waitpid(child, nullptr, WNOHANG);
  } while (result < 0 && errno == EINTR);
  // An error means that there is no such child any more.
  return result != 0;
}

bool wait_for_end(pid_t child, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!has_ended(child)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

std::string output_of(const std::vector<std::string>& command) {
  Pipe pipe = make_pipe();
  pid_t child = -1;
  try {
    child = spawn({.command = command,
                   .environment = plain_environment("/"),
                   .standard_output = pipe.write_end.get()});
  } catch (const std::system_error&) {
    return "";
  }
  pipe.write_end.reset();
  std::string text = read_all(pipe.read_end.get());
  pipe.read_end.reset();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

std::vector<std::string> plain_environment(const std::string& home) {
  const char* path = std::getenv("PATH");
  std::vector<std::string> environment = {std::string("PATH=") +
                                              (path == nullptr ? "" : std::string(path) + ":") +
                                              "/usr/sbin:/usr/bin:/sbin:/bin",
                                          "LC_ALL=C", "HOME=" + home};
  // For servers that live outside the system's places.
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH"); libraries != nullptr) {
    environment.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
  }
  return environment;
}

}  // namespace hilsa
