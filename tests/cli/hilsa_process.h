// Runs the tool as a user does: a process of its own, what it prints in hand.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/harness/history/temporary_file.h"

namespace hilsa::tests {

struct Finished {
  int status = -1;  // exit status; 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

class HilsaProcess {
 public:
  // `environment`: further variables, `NAME=value`. `binary`: another tool than the usual one.
  explicit HilsaProcess(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {},
                        const std::string& binary = HILSA_BINARY);
  ~HilsaProcess();  // kills what still runs
  HilsaProcess(const HilsaProcess&) = delete;
  HilsaProcess& operator=(const HilsaProcess&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  // Waits for its end; kills it, with status 128 + SIGKILL, after two minutes.
  Finished wait();

 private:
  TemporaryFile runs_;  // where run directories go, unless the arguments say otherwise
  TemporaryFile out_;
  TemporaryFile err_;
  pid_t pid_ = -1;
};

Finished hilsa_tool(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {});

// Its standard error without the line that tells where the report is.
std::string complaints_of(const Finished& finished);

std::string text_of(const std::filesystem::path& path);

// Asks until it is true, at most a minute.
bool eventually(const std::function<bool()>& condition);

}  // namespace hilsa::tests
