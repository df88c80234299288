// hilsa: finds concurrency anomalies in what applications do to databases.
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/printable.h"
#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/nearest.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  ExitStatus (*run)(const Arguments& arguments, const std::stop_token& stop);
};

constexpr std::array kCommands = {
    Command{"run", "run one strategy of a workload and say what it did", run_command},
    Command{"compare", "run a workload's strategies side by side", compare_command},
    Command{"explore", "run every order of the statements of two or three clients",
            explore_command},
    Command{"matrix", "which anomalies each isolation level of a database lets through",
            matrix_command},
    Command{"check", "find the anomalies in a recorded history, and the levels that it satisfies",
            check_command},
    Command{"report", "make a run's reports again, or one of several runs", report_command},
    Command{"ci", "run the suites of a configuration, and fail when one is broken or slower",
            ci_command},
    Command{"list", "the workloads, their strategies, and the databases", list_command},
    Command{"doctor", "what a database is, and what it allows", doctor_command},
};

void print_help() {
  std::puts(
      "hilsa finds concurrency anomalies: it fires many clients at a real database and says which\n"
      "strategies sell the last piece twice, what the safe ones cost, and which isolation "
      "anomalies\n"
      "the recorded history proves.\n\n"
      "usage: hilsa COMMAND [options]\n");
  for (const Command& command : kCommands) {
    std::printf("  %-10.*s%.*s\n", static_cast<int>(command.name.size()), command.name.data(),
                static_cast<int>(command.summary.size()), command.summary.data());
  }
  std::puts(
      "\nfirst steps:\n"
      "  hilsa compare oversell                     on an embedded SQLite file, nothing to set up\n"
      "  hilsa compare oversell --db temp:postgres  on a throw-away server from the local "
      "binaries\n"
      "  hilsa COMMAND --help                       a command's options\n\n"
      "exit status: 0 as promised, 1 a violation that was not promised away, 2 usage, 3 the "
      "database\n"
      "could not be used, 4 the verdict is unknown,\n"
      "also because the run was stopped");
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  return names;
}

ExitStatus dispatch(Arguments arguments, const std::stop_token& stop) {
  const auto is_help = [](const std::string& word) {
    return word == "help" || word == "--help" || word == "-h";
  };
  if (arguments.empty() || is_help(arguments[0])) {
    const bool is_asked = !arguments.empty();
    const auto command = std::find_if_not(arguments.begin(), arguments.end(), is_help);
    arguments.erase(arguments.begin(), command);
    if (!arguments.empty()) {
      arguments.emplace_back("--help");
      return dispatch(arguments, stop);
    }
    print_help();
    return is_asked ? ExitStatus::as_promised : ExitStatus::usage;
  }
  if (arguments[0] == "--version") {
    std::puts("hilsa " HILSA_VERSION);
    return ExitStatus::as_promised;
  }
  const std::string name = arguments[0];
  arguments.erase(arguments.begin());
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(arguments, stop);
  }
  throw UsageError("unknown command " + shown(name) + did_you_mean(name, command_names()) +
                   " ('hilsa help' lists them)");
}

ExitStatus fail(ExitStatus status, const char* message) {
  // It may quote a server.
  std::fprintf(stderr, "hilsa: %s\n", printable(message).c_str());
  return status;
}

// A reader that went away, or a full disk: a result that nobody got is no success.
ExitStatus with_output_written(ExitStatus status) {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return written ? status : fail(ExitStatus::unknown, "cannot write to standard output");
}

// A connection takes a file descriptor, a thousand clients a thousand of them.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

ExitStatus run(const Arguments& arguments, const std::stop_token& stop) {
  try {
    return with_output_written(dispatch(arguments, stop));
  } catch (const Interrupted&) {
    return ExitStatus::unknown;
  } catch (const UsageError& error) {
    return fail(ExitStatus::usage, error.what());
  } catch (const DatabaseUnusable& error) {
    return fail(ExitStatus::database_unusable, error.what());
  } catch (const std::exception& error) {
    return fail(ExitStatus::unknown, (std::string("unexpected: ") + error.what()).c_str());
  }
}

}  // namespace
}  // namespace hilsa

int main(int argc, char** argv) {
  hilsa::allow_many_files();
  const hilsa::Interrupts interrupts;
  const hilsa::Arguments arguments(argv + 1, argv + argc);
  return static_cast<int>(hilsa::run(arguments, interrupts.stop()));
}
