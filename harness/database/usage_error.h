// The ways in which a command ends early. All are caught in main and become one line and an
// exit status (DESIGN §8). What a database does to a running client is never one of these.
#pragma once

#include <stdexcept>
#include <string>

namespace hilsa {

// Exit status 2: the person asked for something that does not exist or makes no sense. The text
// says what, and what would be right: lower case, no full stop.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Exit status 3: the database could not be used at all: unreachable, refused, a privilege missing,
// a server that cannot be started. The text says what to do.
class DatabaseUnusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Exit status 4: the user stopped the command before it had begun its work.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("stopped by the user") {}
};

}  // namespace hilsa
