// What a server's log says about why it does not run.
#pragma once

#include <string>
#include <string_view>

namespace hilsa {

// The last line that tells of an error, without time stamps and labels and without a full stop;
// when there is none, the last line that is not empty; empty for an empty log.
std::string last_complaint(std::string_view log);

}  // namespace hilsa
