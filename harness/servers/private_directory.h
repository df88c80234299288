// A temporary directory that only the server's user may enter: root's servers run as `nobody`,
// since neither PostgreSQL nor common sense lets them run as root; everybody else's as themselves.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace hilsa {

struct ServerUser {
  bool other = false;  // not the user that we run as
  uid_t uid = 0;
  gid_t gid = 0;
};

// Throws DatabaseUnusable when we are root and there is no `nobody`.
ServerUser server_user();

class PrivateDirectory {
 public:
  // Makes PREFIX-XXXXXX under $TMPDIR or, where that is too long for the path of a socket, closed
  // to the server's user or holds anything but letters, digits, '/', '.', '_' and '-' (some
  // servers' scripts mind), under /tmp. Throws DatabaseUnusable when it cannot.
  PrivateDirectory(std::string_view prefix, const ServerUser& user);
  // Removes what is left of it.
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  const std::string& path() const { return path_; }
  // Writes a file that only the server's user can read.
  void write(std::string_view name, std::string_view text) const;

 private:
  ServerUser user_;
  std::string path_;
};

}  // namespace hilsa
