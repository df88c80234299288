#include "cli/print_report.h"

#include <cstdio>
#include <variant>

#include "cli/colour.h"

namespace hilsa {

void print_text(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void warn(const std::string& what) { std::fputs(("hilsa: " + what + "\n").c_str(), stderr); }

void print_report(const Report& report, Format format) {
  switch (format) {
    case Format::json:
      std::visit([](const auto& one) { print_text(to_json_report(one)); }, report);
      break;
    case Format::github:
      print_text(to_github_annotations({.reports = {report}, .demands = {}}));
      break;
    case Format::text:
      std::visit([](const auto& one) { print_text(to_text_report(one, colour_of(stdout))); },
                 report);
      break;
  }
}

}  // namespace hilsa
