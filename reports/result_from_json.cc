// Reads a run directory's result.json, which may come from anywhere. What it takes is bounded by
// the size of the text, and that is bounded as well: O(n) time and memory.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "checkers/printable.h"
#include "reports/report_from_json.h"
#include "reports/report_set.h"
#include "reports/result_file.h"

namespace hilsa {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kBytesMax = std::size_t{64} << 20;
constexpr std::size_t kValuesMax = 8'000'000;
constexpr std::size_t kRowsMax = 4000;  // of all reports: each has histograms
constexpr int kDepthMax = 32;

// Where a place in the text is: a file of one line is best told by its bytes.
std::string parser_words(std::string_view what) {
  // `[json.exception.parse_error.101] parse error at line 1, column 5: …`
  const std::size_t end = what.find("] ");
  if (end != std::string_view::npos) what.remove_prefix(end + 2);
  return elided(printable(what), 200);
}

// Before it is parsed, since that takes memory. A parser's callback could count as well, but the
// library's looks at all elements of a list again after each.
void check_size(std::string_view text) {
  if (text.size() > kBytesMax) {
    throw ResultUnreadable(
        fmt::format("{} bytes are more than a result has (at most {})", text.size(), kBytesMax));
  }
  int depth = 0;
  std::size_t values = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
      continue;
    }
    in_text = c == '"';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == '[' || c == '{' || c == ',') ++values;
    if (depth > kDepthMax) throw ResultUnreadable("nested deeper than a result is");
    if (values > kValuesMax) throw ResultUnreadable("more values than a result has");
  }
}

Json parsed(std::string_view text) {
  check_size(text);
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::exception& error) {
    throw ResultUnreadable("not whole JSON: " + parser_words(error.what()));
  }
}

// Before anything else is believed.
void check_header(const JsonField& json) {
  if (!json.is_object() || !json.has("format") || !json["format"].is(kResultFormat)) {
    throw ResultUnreadable(
        "no result of hilsa: it does not begin with {\"format\": \"hilsa-result\"}; 'hilsa report' "
        "takes a run directory or its result.json");
  }
  const std::int64_t version = json["version"].whole(1, kWholeMax);
  if (version == kResultVersion) return;
  const std::string tool = json.has("tool") ? elided(printable(json["tool"].text()), 60) : "";
  throw ResultUnreadable(
      fmt::format("a result of version {}{}, and this hilsa (" HILSA_VERSION
                  ") reads version {}: render it with the hilsa that wrote it, or a newer one",
                  version, tool.empty() ? "" : ", written by " + tool, kResultVersion));
}

Report report_from(const JsonField& json) {
  const std::string kind = json["kind"].text();
  if (kind == kRunKind) {
    RunReport report;
    read(json, report);
    return report;
  }
  if (kind == kExploreKind) {
    ExploreReport report;
    read(json, report);
    return report;
  }
  json["kind"].fail("neither \"run\" nor \"explore\"");
}

Demand::Status status_from(const JsonField& json) {
  constexpr std::array kAll = {Demand::Status::kept, Demand::Status::broken,
                               Demand::Status::unknown};
  for (const Demand::Status status : kAll) {
    if (json.is(name_of(status))) return status;
  }
  json.fail("neither \"kept\" nor \"broken\" nor \"unknown\"");
}

Demand demand_from(const JsonField& json) {
  return {.suite = json["suite"].text(),
          .row = json["row"].text(),
          .what = json["what"].text(),
          .status = status_from(json["status"]),
          .finding = json["finding"].text()};
}

}  // namespace

ReportSet from_result_json(std::string_view text) {
  const Json json = parsed(text);
  const JsonField file(json);
  check_header(file);
  ReportSet result;
  const JsonField reports = file["reports"];
  std::size_t rows = 0;
  for (std::size_t i = 0; i < reports.length(); ++i) {
    rows += 1 + reports.at(i)["rows"].length();
    if (rows > kRowsMax) reports.fail(fmt::format("more rows than {}", kRowsMax));
    result.reports.push_back(report_from(reports.at(i)));
  }
  const JsonField demands = file["demands"];
  for (std::size_t i = 0; i < demands.length(); ++i) {
    result.demands.push_back(demand_from(demands.at(i)));
  }
  return result;
}

}  // namespace hilsa
