// A report on standard output, in the format that was asked for.
#pragma once

#include <string>

#include "cli/run_options.h"
#include "reports/report_set.h"

namespace hilsa {

void print_text(const std::string& text);
// One line on standard error, `hilsa: ` in front. Never fails: a standard error that is closed is
// no reason for another exit status.
void warn(const std::string& what);
void print_report(const Report& report, Format format);

}  // namespace hilsa
