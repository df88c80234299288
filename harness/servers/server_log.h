// What a server's log says about why it does not run.
#pragma once

#include <string>
#include <string_view>

namespace hilsa {

// The first line that tells of an error (what follows are its consequences), without time stamps,
// labels and full stop; when there is none, the last line that is not empty; empty for an empty
// log.
std::string first_complaint(std::string_view log);

}  // namespace hilsa
