// A result as GitHub's Markdown, for the summary of a job: the verdict, what is wrong, the tables,
// the evidence folded, and at the end how to repeat it. Each part has a share of the mebibyte that
// a summary may have.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reports/markdown.h"
#include "reports/report_set.h"
#include "reports/told_result.h"

namespace hilsa {
namespace {

constexpr std::size_t kKibibyte = 1024;
constexpr std::size_t kAllMax = 1024 * kKibibyte;
constexpr std::size_t kFindingsMax = 128 * kKibibyte;
constexpr std::size_t kDemandsMax = 128 * kKibibyte;
constexpr std::size_t kTablesMax = 256 * kKibibyte;
constexpr std::size_t kEnvironmentMax = 64 * kKibibyte;
constexpr std::size_t kRemarksMax = kKibibyte;        // sentences on what is left out
constexpr std::size_t kEvidenceMax = 48 * kKibibyte;  // one piece of it
constexpr std::size_t kCellWidthMax = 120;

// A sentence about what did not fit; empty: all did.
std::string left_out(std::size_t number, std::string_view one, std::string_view many) {
  if (number == 0) return "";
  return fmt::format("\n{} more {} left out here; report.html has all.\n", number,
                     number == 1 ? one : many);
}

std::string findings_of(const ToldResult& told) {
  BoundedPieces list(kFindingsMax);
  for (const ToldFinding& finding : told.findings) {
    std::string item = fmt::format("- {} **{}**: {}", finding.is_wrong ? "❌" : "❔",
                                   in_markdown(finding.what), in_markdown(finding.why));
    if (finding.example != nullptr) item += "; " + in_markdown(finding.example->title);
    list.add(item + "\n");
  }
  if (told.findings.empty()) return "";
  return "\n" + list.text() + left_out(list.left_out(), "finding is", "findings are");
}

std::string_view sign_of(Demand::Status status) {
  switch (status) {
    case Demand::Status::kept:
      return "✅";
    case Demand::Status::broken:
      return "❌";
    case Demand::Status::unknown:
      break;
  }
  return "❔";
}

std::string demands_of(const ReportSet& result) {
  if (result.demands.empty()) return "";
  std::vector<const Demand*> demands;
  for (const Demand& demand : result.demands) demands.push_back(&demand);
  const auto rank = [](const Demand* demand) {
    const Demand::Status status = demand->status;
    return status == Demand::Status::broken ? 0 : status == Demand::Status::unknown ? 1 : 2;
  };
  std::stable_sort(demands.begin(), demands.end(),
                   [&](const Demand* a, const Demand* b) { return rank(a) < rank(b); });
  BoundedPieces table(kDemandsMax);
  for (const Demand* const demand : demands) {
    table.add(table_line({fmt::format("{} {}", sign_of(demand->status), name_of(demand->status)),
                          in_markdown(demand->suite, kCellWidthMax),
                          in_markdown(demand->row, kCellWidthMax),
                          in_markdown(demand->what, kCellWidthMax), in_markdown(demand->finding)}));
  }
  return "\n### What was demanded\n\n" + table_line({"", "suite", "strategy", "demand", "found"}) +
         table_line({"---", "---", "---", "---", "---"}) + table.text() +
         left_out(table.left_out(), "demand is", "demands are");
}

std::vector<std::string> cells_of(const ToldReport& report, const ToldRow& row) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    std::string cell = in_markdown(row.cells[i], kCellWidthMax);
    const bool is_measured = report.columns[i].title == "measured";
    if (is_measured && row.standing == ToldRow::Standing::broken) cell = "**" + cell + "** ❌";
    if (is_measured && row.standing == ToldRow::Standing::unknown) cell += " ❔";
    cells.push_back(std::move(cell));
  }
  return cells;
}

void add_table(BoundedPieces& text, const ToldReport& report) {
  std::string head = fmt::format("\n### {}\n\n", in_markdown(report.title));
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (const ToldReport::Column& column : report.columns) {
    titles.push_back(column.title);
    rules.emplace_back(column.is_number ? "---:" : "---");
  }
  head += table_line(titles) + table_line(rules);
  text.add(head);
  for (const ToldRow& row : report.rows) text.add(table_line(cells_of(report, row)));
  text.add("\n");
  for (const ToldRow& row : report.rows) {
    for (const std::string& note : row.notes) {
      text.add(fmt::format("- **{}**: {}\n", in_markdown(row.name(), kCellWidthMax),
                           in_markdown(note, 600)));
    }
  }
  for (const auto& [strategy, missing] : report.left_out) {
    text.add(fmt::format("- **{}**: left out, {} has no {}\n", in_markdown(strategy, kCellWidthMax),
                         in_markdown(report.product_title, kCellWidthMax), in_markdown(missing)));
  }
  if (!report.broken_off.empty()) {
    text.add(fmt::format("- broken off: {}\n", in_markdown(report.broken_off)));
  }
  if (report.interrupted) {
    text.add(fmt::format("- {}\n", kInterrupted));
  }
  if (!report.advice.empty()) text.add("\n" + in_markdown(report.advice, 1000) + "\n");
}

std::string tables_of(const ToldResult& told) {
  BoundedPieces text(kTablesMax);
  for (const ToldReport& report : told.reports) add_table(text, report);
  return text.text() + left_out(text.left_out(), "row or remark is", "rows and remarks are");
}

std::string folded(const std::string& summary, const std::string& content) {
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", summary, content);
}

// Of the rows that are not as promised first.
std::string evidence_of(const ToldResult& told, std::size_t bytes_max) {
  BoundedPieces text(bytes_max);
  for (const bool is_broken : {true, false}) {
    for (const ToldReport& report : told.reports) {
      for (const ToldRow& row : report.rows) {
        if ((row.standing == ToldRow::Standing::broken) != is_broken) continue;
        for (const ToldEvidence& evidence : row.evidence) {
          text.add(folded(fmt::format("{}: {}, {}", in_markdown(evidence.title),
                                      in_markdown(row.name(), kCellWidthMax),
                                      in_markdown(report.title, kCellWidthMax)),
                          fenced(evidence.text, kEvidenceMax)));
        }
      }
    }
  }
  if (text.text().empty() && text.left_out() == 0) return "";
  return "\n### Evidence\n" + text.text() +
         left_out(text.left_out(), "piece of evidence is", "pieces of evidence are");
}

std::string environment_of(const ToldReport& report) {
  std::string list;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) {
      list += fmt::format("- {}: {}\n", in_markdown(name, kCellWidthMax), in_markdown(value));
    }
  };
  add("database", report.product_title + " " + report.version + ", " + report.url);
  for (const auto& [name, value] : report.settings) add(name, value);
  add("seed", report.seed);
  add("started", report.origin.started_at);
  if (report.origin.took_s > 0) add("took", fmt::format("{:.1f} s", report.origin.took_s));
  for (const Origin::Setting& setting : report.origin.settings) {
    add(setting.name, setting.value + (setting.meaning.empty() ? "" : ": " + setting.meaning));
  }
  if (!report.origin.command.empty()) {
    list += "\nTo repeat it:\n\n" + fenced(report.origin.command, 4 * kKibibyte, "sh");
  }
  return folded(in_markdown(report.title), list);
}

std::string environments_of(const ToldResult& told) {
  if (told.reports.empty()) return "";
  BoundedPieces text(kEnvironmentMax);
  for (const ToldReport& report : told.reports) text.add(environment_of(report));
  return "\n### Environment\n" + text.text() +
         left_out(text.left_out(), "environment is", "environments are") +
         "\nMade by hilsa " HILSA_VERSION ".\n";
}

}  // namespace

std::string to_markdown_report(const ReportSet& result) {
  const ToldResult told_result = told(result);
  std::string text = fmt::format("## hilsa: {}\n", in_markdown(told_result.verdict));
  text += findings_of(told_result) + demands_of(result) + tables_of(told_result);
  const std::string end = environments_of(told_result);
  const std::size_t used = text.size() + end.size() + kRemarksMax;
  text += evidence_of(told_result, kAllMax - used) + end;
  return text;
}

}  // namespace hilsa
