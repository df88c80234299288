// `explore --replay`: a script that `explore` has written is run again, line by line.
#pragma once

#include <stop_token>

#include "cli/arguments.h"
#include "cli/exit_status.h"

namespace hilsa {

// Says on standard output whether what the script shows still happens: status 0 if so, 1 if not.
// Makes the script's tables and drops them; if one of them is there already, it touches nothing.
ExitStatus replay(const Parsed& parsed, const std::stop_token& stop);

}  // namespace hilsa
