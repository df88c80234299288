#include "reports/matrix_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "checkers/printable.h"
#include "reports/text_table.h"

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

// `occurs`, `writes only`, `prevented (abort)`.
std::string in_words(const MatrixCell& cell) {
  std::string text;
  switch (cell.state) {
    case MatrixCell::State::occurs:
      text = "occurs";
      break;
    case MatrixCell::State::writes_only:
      text = "writes only";
      break;
    case MatrixCell::State::prevented:
      text = cell.aborted ? "- abort" : cell.blocked ? "- wait" : "-";
      break;
  }
  return cell.documented.empty() ? text : text + " (!)";
}

std::vector<std::string> differences(const MatrixReport& report) {
  std::vector<std::string> lines;
  for (const MatrixRow& row : report.rows) {
    for (const MatrixCell& cell : row.cells) {
      if (cell.documented.empty()) continue;
      lines.push_back(fmt::format("{} at {}: {}, documented is {}", cell.anomaly, row.isolation,
                                  name_of(cell.state), cell.documented));
    }
  }
  return lines;
}

constexpr std::string_view kLegend =
    "occurs: a scenario of two or three transactions commits, and its history proves the anomaly;\n"
    "writes only: only where the transaction that suffers also writes; -: prevented in all "
    "scenarios,\n"
    "abort: by refusing a transaction, wait: by making one wait, otherwise by what reads see";

}  // namespace

std::string_view name_of(MatrixCell::State state) {
  switch (state) {
    case MatrixCell::State::occurs:
      return "occurs";
    case MatrixCell::State::writes_only:
      return "writes-only";
    case MatrixCell::State::prevented:
      break;
  }
  return "prevented";
}

std::string to_text_report(const MatrixReport& report) {
  std::string text =
      fmt::format("what the isolation levels of {} {} ({}) let through\n\n", report.product_title,
                  printable(report.version), printable(report.url));
  TextTable table;
  table.add_column("isolation", TextTable::Align::left);
  for (const auto& [anomaly, common] : report.anomalies) {
    table.add_column(anomaly, TextTable::Align::left);
  }
  for (const MatrixRow& row : report.rows) {
    std::vector<std::string> cells = {row.isolation + (row.is_default ? " *" : "")};
    for (const MatrixCell& cell : row.cells) cells.push_back(in_words(cell));
    table.add_row(std::move(cells));
  }
  text += table.to_string() + "\n" + std::string(kLegend) + ";\n*: the database's default\n\n";
  for (const auto& [anomaly, common] : report.anomalies) {
    text += fmt::format("  {:<9}{}\n", anomaly, common);
  }
  text += fmt::format("  who waits is seen by {}\n", report.seen_by);
  const std::vector<std::string> different = differences(report);
  if (report.has_documented && different.empty()) {
    text += "  every cell is as documented for " + report.product_title + "\n";
  }
  for (const std::string& line : different) text += "  (!) " + line + "\n";
  return text + "(--explain ANOMALY shows its scenarios, statement by statement)\n";
}

std::string to_markdown_report(const MatrixReport& report) {
  std::string text =
      fmt::format("**{} {}**\n\n| isolation |", report.product_title, printable(report.version));
  std::string rule = "|---|";
  for (const auto& [anomaly, common] : report.anomalies) {
    text += fmt::format(" {} ({}) |", anomaly, common);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const MatrixRow& row : report.rows) {
    text += fmt::format("| {}{} |", row.isolation, row.is_default ? " (default)" : "");
    for (const MatrixCell& cell : row.cells) text += " " + in_words(cell) + " |";
    text += "\n";
  }
  return text + "\n" + std::string(kLegend) + ".\n";
}

std::string to_json_report(const MatrixReport& report) {
  Json json = {{"tool", "hilsa " HILSA_VERSION},
               {"product", report.product},
               {"version", report.version},
               {"url", report.url},
               {"rows", Json::array()}};
  for (const MatrixRow& row : report.rows) {
    Json cells = Json::object();
    Json prevented_by = Json::object();
    for (const MatrixCell& cell : row.cells) {
      cells[cell.anomaly] = name_of(cell.state);
      if (cell.state != MatrixCell::State::prevented) continue;
      prevented_by[cell.anomaly] = cell.aborted ? "abort" : cell.blocked ? "wait" : "snapshot";
    }
    json["rows"].push_back({{"isolation", row.isolation},
                            {"default", row.is_default},
                            {"cells", std::move(cells)},
                            {"prevented_by", std::move(prevented_by)}});
  }
  json["documented"] = report.has_documented;
  json["differs"] = differences(report);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hilsa
