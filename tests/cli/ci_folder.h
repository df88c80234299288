// A folder with a configuration of `hilsa ci`, and the tool run in it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/hilsa_process.h"

namespace hilsa::tests {

class CiFolder {
 public:
  explicit CiFolder(const std::string& config) {
    std::filesystem::create_directory(folder_.path());
    write("hilsa.yaml", config);
  }
  ~CiFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_.path(), ignored);
  }
  CiFolder(const CiFolder&) = delete;
  CiFolder& operator=(const CiFolder&) = delete;

  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  std::vector<std::string> command(const std::vector<std::string>& further = {}) const {
    std::vector<std::string> words = {"ci", "--config", at("hilsa.yaml").string(), "--quiet"};
    words.insert(words.end(), further.begin(), further.end());
    return words;
  }
  Finished run(const std::vector<std::string>& further = {},
               const std::vector<std::string>& environment = {},
               const std::string& binary = HILSA_BINARY) const {
    return HilsaProcess(command(further), environment, binary).wait();
  }

 private:
  TemporaryFile folder_;
};

}  // namespace hilsa::tests
