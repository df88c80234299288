// A run directory's result: either it is none, then ResultUnreadable says so; or it reads back as
// it is written, and every report can be made of it, within its bounds.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "checkers/printable.h"
#include "reports/report_set.h"

namespace {

void demand(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << "\n";
  std::abort();
}

void check(const hilsa::ReportSet& result) {
  constexpr std::size_t kMebibyte = 1'048'576;
  const std::string written = hilsa::to_result_json(result);
  demand(hilsa::to_result_json(hilsa::from_result_json(written)) == written,
         "it reads back as it is written");
  demand(hilsa::to_markdown_report(result).size() <= kMebibyte, "a summary is a mebibyte at most");
  hilsa::to_junit_report(result);
  hilsa::to_github_annotations(result);
  for (const hilsa::Report& report : result.reports) {
    std::visit(
        [](const auto& one) {
          hilsa::to_text_report(one);
          hilsa::to_json_report(one);
        },
        report);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    check(hilsa::from_result_json({reinterpret_cast<const char*>(bytes), size}));
  } catch (const hilsa::ResultUnreadable& error) {
    const std::string_view what = error.what();
    demand(!what.empty() && hilsa::printable(what) == what, "an error that can be shown");
  }
  return 0;
}
