#include "harness/servers/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

// PostgreSQL's immediate shutdown gives its backends five seconds.
constexpr std::chrono::seconds kStopPatience{15};
constexpr std::chrono::seconds kKillPatience{5};
constexpr const char* kSetpriv = "/usr/bin/setpriv";
constexpr const char* kEnded = "/ended";

constexpr const char* kScript = R"script(
dir=$1 initialise_signal=$2 initialise=$3 serve_signal=$4 serve=$5
umask 077
cd "$dir" || exit 1
# 1100 connections want more than the usual 1024 files.
ulimit -S -n 32768 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"

job='' stopping=''
# A job leads a process group of its own, except for a moment after its start.
stop() {
  stopping=yes
  [ -n "$job" ] || return 0
  kill -s "$signal" -- "-$job" 2>/dev/null || kill -s "$signal" "$job" 2>/dev/null
}
trap stop TERM

# Runs a command to its end; it dies with this shell.
run() {
  [ -z "$stopping" ] || return 1
  signal=$1
  setsid setpriv --pdeathsig "$signal" sh -c "exec $2" </dev/null 3<&- &
  job=$!
  [ -z "$stopping" ] || stop
  wait "$job"
  status=$?
  # A signal ends `wait` early.
  while kill -0 "$job" 2>/dev/null; do wait "$job"; status=$?; done
  job=''
  return "$status"
}

# Nothing is ever written to standard input: reading ends when the other side has gone. A server that
# has just been started may miss one signal.
exec 3<&0 </dev/null
{ read -r _ <&3; while kill -s TERM $$ 2>/dev/null; do sleep 0.5; done; } &
watcher=$!

run "$initialise_signal" "$initialise" && run "$serve_signal" "$serve"

: > ended
# Whoever started the server may still want to read its log.
[ -n "$stopping" ] || wait "$watcher"
trap '' TERM
kill -s KILL "$watcher" 2>/dev/null
cd /
# What a killed command still had in the kernel may add one more file.
rm -rf -- "$dir" || { sleep 0.3; rm -rf -- "$dir"; }
)script";

std::string shell_quoted(const std::vector<std::string>& command) {
  std::string text;
  for (const auto& word : command) {
    text += text.empty() ? "'" : " '";
    for (const char letter : word) {
      if (letter == '\'') {
        text += R"('\'')";
      } else {
        text += letter;
      }
    }
    text += "'";
  }
  return text;
}

std::vector<std::string> supervisor_command(const std::string& directory, const ServerUser& user,
                                            const ServerPlan& plan) {
  std::vector<std::string> command;
  if (user.other) {
    command = {kSetpriv, "--reuid=" + std::to_string(user.uid),
               "--regid=" + std::to_string(user.gid), "--clear-groups"};
  }
  command.insert(command.end(), {"/bin/sh", "-c", kScript, "hilsa-server", directory,
                                 std::string(plan.initialise_signal), shell_quoted(plan.initialise),
                                 std::string(plan.serve_signal), shell_quoted(plan.serve)});
  return command;
}

}  // namespace

Supervisor::Supervisor(const PrivateDirectory& directory, const ServerUser& user,
                       const ServerPlan& plan)
    : ended_file_(directory.path() + kEnded) {
  for (const auto& [name, text] : plan.files) directory.write(name, text);
  directory.write(kLog, "");
  const std::string log_path = directory.path() + "/" + std::string(kLog);
  try {
    const FileDescriptor log =
        own_descriptor(::open(log_path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), log_path.c_str());
    Pipe pipe = make_pipe();
    process_ = spawn({.command = supervisor_command(directory.path(), user, plan),
                      .environment = plain_environment(directory.path()),
                      .standard_input = pipe.read_end.get(),
                      .standard_output = log.get()});
    lifeline_ = std::move(pipe.write_end);
  } catch (const std::system_error& error) {
    throw DatabaseUnusable(std::string("cannot start a temporary server: ") + error.what());
  }
}

Supervisor::~Supervisor() {
  lifeline_.reset();
  if (process_ < 0 || wait_for_end(process_, kStopPatience)) return;
  // The script and what it runs; the kernel then stops the server.
  ::kill(-process_, SIGKILL);
  wait_for_end(process_, kKillPatience);
}

bool Supervisor::server_has_ended() {
  if (process_ >= 0 && has_ended(process_)) process_ = -1;
  std::error_code ignored;
  return process_ < 0 || std::filesystem::exists(ended_file_, ignored);
}

}  // namespace hilsa
