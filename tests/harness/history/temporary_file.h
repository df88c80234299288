// A name in the temporary folder that nobody else has; the file, or the folder with all that is in
// it, is removed at the end.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>

namespace hilsa {

class TemporaryFile {
 public:
  TemporaryFile() {
    static std::atomic<int> next{0};
    path_ = std::filesystem::temp_directory_path() /
            ("hilsa-test-" + std::to_string(getpid()) + "-" + std::to_string(next++));
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hilsa
