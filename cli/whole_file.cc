#include "cli/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cli/nearest.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const char* what, const fs::path& path, const std::error_code& why) {
  throw UsageError(fmt::format("cannot {} {}: {}", what, shown(path.string()), why.message()));
}

std::error_code last_error() {
  return errno == 0 ? std::make_error_code(std::errc::io_error)
                    : std::error_code(errno, std::generic_category());
}

// Beside the file, and of its own: two commands may write the same one at once.
fs::path part_of(const fs::path& path) { return path.string() + fmt::format(".{}.part", getpid()); }

}  // namespace

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {  // opens, and then throws at the first byte
    refuse("read", path, std::make_error_code(std::errc::is_a_directory));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) refuse("read", path, last_error());
  return text;
}

void write_file(const fs::path& path, std::string_view content) {
  const fs::path part = part_of(path);
  errno = 0;
  std::ofstream file(part, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error = file ? std::error_code() : last_error();
  if (!error) fs::rename(part, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(part, ignored);
  refuse("write", path, error);
}

void check_writable(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    refuse("write", path, std::make_error_code(std::errc::is_a_directory));
  }
  const fs::path part = part_of(path);
  errno = 0;
  const bool opened = std::ofstream(part, std::ios::binary).is_open();
  if (!opened) refuse("write", path, last_error());
  fs::remove(part, error);
}

}  // namespace hilsa
