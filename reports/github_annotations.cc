// Workflow commands of GitHub Actions: each line becomes an annotation of the job. A step may have
// ten of a kind.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "checkers/printable.h"
#include "reports/lines.h"
#include "reports/report_set.h"
#include "reports/told_result.h"

namespace hilsa {
namespace {

constexpr std::size_t kAnnotationsMax = 10;
constexpr std::size_t kTitleWidthMax = 200;
constexpr std::size_t kMessageBytesMax = 4000;

// A message may have any character but those that would end it; properties also end at these.
std::string escaped(std::string_view text, std::string_view also) {
  std::string shown;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || also.find(c) != std::string_view::npos) {
      shown += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string annotation(std::string_view command, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", command,
                     escaped(elided(printable(title), kTitleWidthMax), ":,"),
                     escaped(shortened_at_line(visible_lines(message), kMessageBytesMax), ""));
}

std::string annotation(const ToldFinding& finding) {
  std::string message = finding.why;
  if (finding.example != nullptr) message += "\n" + finding.example->title;
  return annotation(finding.is_wrong ? "error" : "warning", "hilsa: " + finding.what, message);
}

}  // namespace

std::string to_github_annotations(const ReportSet& result) {
  const ToldResult told_result = told(result);
  const auto& findings = told_result.findings;
  const bool is_too_much = findings.size() > kAnnotationsMax;
  const std::size_t shown = is_too_much ? kAnnotationsMax - 1 : findings.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += annotation(findings[i]);
  if (is_too_much) {
    const auto from = findings.begin() + static_cast<std::ptrdiff_t>(shown);
    const bool is_wrong =
        std::any_of(from, findings.end(), [](const auto& f) { return f.is_wrong; });
    text += annotation(is_wrong ? "error" : "warning", "hilsa: more",
                       fmt::format("and {} more: the job summary and report.html have them all",
                                   findings.size() - shown));
  }
  return text;
}

}  // namespace hilsa
