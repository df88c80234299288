#include "tests/cli/hilsa_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace hilsa::tests {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

HilsaProcess::HilsaProcess(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment, const std::string& binary) {
  std::vector<std::string> words = {binary};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment;
  variables.push_back("HILSA_RUNS=" + runs_.path().string());
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out_.path().c_str(), kCreate, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err_.path().c_str(), kCreate, 0600);
  const int failed = posix_spawn(&pid_, binary.c_str(), &actions, nullptr,
                                 pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + binary);
}

HilsaProcess::~HilsaProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void HilsaProcess::send(int signal) const { kill(pid_, signal); }

Finished HilsaProcess::wait() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  pid_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out_.path()),
          text_of(err_.path())};
}

Finished hilsa_tool(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment) {
  return HilsaProcess(arguments, environment).wait();
}

std::string complaints_of(const Finished& finished) {
  std::istringstream lines(finished.err);
  std::string complaints;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("hilsa: report written to ")) complaints += line + "\n";
  }
  return complaints;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace hilsa::tests
