// The subcommands: a literal table in main.cc, one function each. A command prints its result on
// standard output and throws UsageError or DatabaseUnusable for what main turns into one line.
#pragma once

#include <stop_token>
#include <string>

#include "cli/arguments.h"
#include "cli/exit_status.h"

namespace hilsa {

// `arguments` are those behind the command's name; `stop` is requested by Ctrl-C and SIGTERM.
ExitStatus run_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus compare_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus explore_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus matrix_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus check_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus report_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus ci_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus list_command(const Arguments& arguments, const std::stop_token& stop);
ExitStatus doctor_command(const Arguments& arguments, const std::stop_token& stop);

}  // namespace hilsa
