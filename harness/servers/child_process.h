// Child processes that are spawned, never forked: safe beside other threads, and nothing but the
// three standard streams is inherited.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace hilsa {

// A file descriptor that closes itself; -1 is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  int get() const { return number_; }
  void reset();

 private:
  int number_;
};

// The same open file under a number above the standard streams', closed in children: where this
// process was started without streams, a new descriptor may be one of 0, 1, 2, and a child's set-up
// would overwrite it. Throws std::system_error with `what` when `number` is -1.
FileDescriptor own_descriptor(int number, const char* what);

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

// Neither end is inherited by children. Throws std::system_error.
Pipe make_pipe();

struct ChildSetup {
  std::vector<std::string> command;  // the program with its path, and its arguments
  std::vector<std::string> environment;
  int standard_input = -1;   // -1: /dev/null
  int standard_output = -1;  // also standard error
};

// Starts a child in a session of its own, out of reach of the terminal's signals, with no signal
// blocked or ignored. Throws std::system_error.
pid_t spawn(const ChildSetup& setup);

// Whether the child has ended; it is then gone for good. Ends of other children are left alone.
bool has_ended(pid_t child);
// Waits at most so long; false when the child is still running.
bool wait_for_end(pid_t child, std::chrono::milliseconds patience);

// What a command writes to its standard output and error, at most 64 KiB; empty when it cannot be
// started. Waits for its end.
std::string output_of(const std::vector<std::string>& command);

// The environment of servers and of everything that we run: short and known, so that no PGPORT,
// MYSQL_HOME or language of the person's gets in.
std::vector<std::string> plain_environment(const std::string& home);

}  // namespace hilsa
