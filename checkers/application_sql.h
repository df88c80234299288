// Recorded SQL as the application would have written it.
#pragma once

#include <string>
#include <string_view>

namespace hilsa {

// Without the braces around table names, and without what the tool adds to statements to stamp rows
// (workloads/table/tracked.cc). What does not look like that stays as it is.
std::string application_sql(std::string_view recorded);

}  // namespace hilsa
