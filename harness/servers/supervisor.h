// A shell script between us and a server, in a session of its own, that outlives us by as long as
// it takes to clean up.
//
//   hilsa ──pipe──► supervisor (sh) ──► setpriv --pdeathsig ──► initdb, then postgres
//
// We hold the only write end of the pipe and never write. When it closes, because we let go of it
// or because we are gone, however that came, the script stops the server, waits for it and removes
// its directory. When the script itself is killed, the kernel stops the server.
#pragma once

#include <sys/types.h>

#include "harness/servers/child_process.h"
#include "harness/servers/private_directory.h"
#include "harness/servers/server_plan.h"

namespace hilsa {

class Supervisor {
 public:
  // The file in the server's directory that both commands write to.
  static constexpr std::string_view kLog = "log";

  // Begins to initialise and serve. Throws DatabaseUnusable when it cannot even begin.
  Supervisor(const PrivateDirectory& directory, const ServerUser& user, const ServerPlan& plan);
  // Stops the server at once; blocks until it is gone, normally well below a second.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Whether the server has ended by itself or could not be initialised. Its directory, with the
  // log, stays as long as this object.
  bool server_has_ended();

 private:
  std::string ended_file_;
  FileDescriptor lifeline_;
  pid_t process_ = -1;
};

}  // namespace hilsa
