// A command line as it can be typed again: quoted for a shell, its seed fixed, without passwords.
#pragma once

#include <cstdint>
#include <string>

#include "cli/arguments.h"

namespace hilsa {

// `arguments` are those behind the command's name; what said where results go is left out.
std::string repeatable(const std::string& command, const Arguments& arguments, std::uint64_t seed);

}  // namespace hilsa
