#include "harness/servers/private_directory.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "harness/database/usage_error.h"
#include "harness/servers/child_process.h"

namespace hilsa {
namespace {

namespace fs = std::filesystem;

// sockaddr_un::sun_path holds 107 bytes and a NUL.
constexpr std::size_t kSocketPathMax = 107;
constexpr std::string_view kLongestSocketName = "/.s.PGSQL.5432";
constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
constexpr std::string_view kFallback = "/tmp";

[[noreturn]] void fail(const std::string& what) {
  throw DatabaseUnusable(what + ": " + std::generic_category().message(errno));
}

// Whether somebody else can come here, make a directory and remove it again.
bool open_to_others(const fs::path& directory) {
  std::error_code error;
  constexpr auto kEnter = fs::perms::others_exec;
  constexpr auto kWrite = fs::perms::others_write;
  if ((fs::status(directory, error).permissions() & kWrite) == fs::perms::none) return false;
  for (fs::path at = directory;; at = at.parent_path()) {
    if ((fs::status(at, error).permissions() & kEnter) == fs::perms::none || error) return false;
    if (at == at.root_path()) return true;
  }
}

// Where temporary directories go; `name_size` is the size of theirs, with a slash.
std::string parent_directory(std::size_t name_size, const ServerUser& user) {
  const char* chosen = std::getenv("TMPDIR");
  if (chosen == nullptr || *chosen == '\0') return std::string(kFallback);
  std::error_code error;
  // Absolute and without links: the server's working directory is not ours.
  const fs::path directory = fs::canonical(chosen, error);
  const bool plain = directory.native().find_first_not_of(kPlain) == std::string::npos;
  const bool fits =
      directory.native().size() + name_size + kLongestSocketName.size() <= kSocketPathMax;
  if (error || !plain || !fits || (user.other && !open_to_others(directory)))
    return std::string(kFallback);
  return directory.native();
}

}  // namespace

ServerUser server_user() {
  if (::geteuid() != 0) return {.other = false, .uid = ::geteuid(), .gid = ::getegid()};
  struct passwd entry {};
  struct passwd* found = nullptr;
  std::array<char, 16384> buffer;
  if (::getpwnam_r("nobody", &entry, buffer.data(), buffer.size(), &found) != 0 || !found) {
    throw DatabaseUnusable(
        "a temporary server does not run as root, and there is no user 'nobody' to run it: run as "
        "an ordinary user");
  }
  return {.other = true, .uid = entry.pw_uid, .gid = entry.pw_gid};
}

PrivateDirectory::PrivateDirectory(std::string_view prefix, const ServerUser& user) : user_(user) {
  const std::string name = "/" + std::string(prefix) + "-XXXXXX";
  path_ = parent_directory(name.size(), user) + name;
  if (::mkdtemp(path_.data()) == nullptr) fail("cannot make a temporary directory '" + path_ + "'");
  if (user.other && ::chown(path_.c_str(), user.uid, user.gid) != 0) {
    const int error = errno;
    ::rmdir(path_.c_str());
    errno = error;
    fail("cannot give '" + path_ + "' to the server's user");
  }
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void PrivateDirectory::write(std::string_view name, std::string_view text) const {
  const std::string file = path_ + "/" + std::string(name);
  const int number = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (number < 0) fail("cannot write '" + file + "'");
  const FileDescriptor descriptor(number);
  // One write(2): regular files take it whole or report a full disk.
  if (::write(number, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail("cannot write '" + file + "'");
  }
  if (user_.other && ::fchown(number, user_.uid, user_.gid) != 0) {
    fail("cannot give '" + file + "' to the server's user");
  }
}

}  // namespace hilsa
