// `report`: what run directories hold is rendered again, each by itself or several as one.
#include <fmt/format.h>

#include <cstdio>
#include <variant>

#include "cli/colour.h"
#include "cli/commands.h"
#include "cli/nearest.h"
#include "cli/print_report.h"
#include "cli/run_folder.h"
#include "cli/run_options.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

ReportSet read_all(const Words& folders) {
  ReportSet all;
  for (const std::string& folder : folders) {
    ReportSet result;
    try {
      result = read_result(folder);
    } catch (const UsageError& error) {
      if (folders.size() == 1) throw;
      warn(std::string("left out: ") + error.what());  // as what a killed run has left
      continue;
    }
    std::move(result.reports.begin(), result.reports.end(), std::back_inserter(all.reports));
    std::move(result.demands.begin(), result.demands.end(), std::back_inserter(all.demands));
  }
  if (all.reports.empty()) throw UsageError("none of these run directories can be read");
  return all;
}

void print(const ReportSet& result, Format format) {
  std::string text;
  if (format == Format::github) {
    text = to_github_annotations(result);
  } else if (format == Format::json) {
    text = to_result_json(result);
  } else {
    for (const Report& report : result.reports) {
      std::visit(
          [&](const auto& one) {
            text += (text.empty() ? "" : "\n") + to_text_report(one, colour_of(stdout));
          },
          report);
    }
  }
  print_text(text);
}

}  // namespace

ExitStatus report_command(const Arguments& arguments, const std::stop_token& /*stop*/) {
  constexpr int kFoldersMax = 1000;
  Options options("options", 100, 60);
  auto add = options.add_options();
  add("help,h", "show this help");
  add("folder", po::value<Words>(), "a run directory; may be repeated");
  add("out", po::value<std::string>(),
      "where the reports go (default: of one directory, into itself; of several, a new one in "
      "hilsa-runs)");
  add("no-out", "write no files");
  add("format", po::value<std::string>()->default_value("text"),
      "what is printed: text, json, or github");
  const Parsed parsed = parse_arguments(arguments, options, "folder", kFoldersMax);
  if (parsed.count("help") != 0) {
    fmt::print(
        "usage: hilsa report DIR… [options]\n\nmake report.html, report.md and junit.xml again "
        "from a run directory's result.json,\nor one report of several runs\n\n");
    print_options(options);
    return ExitStatus::as_promised;
  }
  if (parsed.count("folder") == 0) {
    throw UsageError("which run directory? for example: hilsa report hilsa-runs/*/ --out all");
  }
  const Format format = format_from(parsed);
  const auto& folders = parsed["folder"].as<Words>();
  const ReportSet result = read_all(folders);
  print(result, format);
  const bool in_place = folders.size() == 1 && parsed.count("out") == 0;
  if (in_place && parsed.count("no-out") == 0) {
    RunFolder::existing(folders[0]).write(result);
  } else if (auto folder = RunFolder::make(parsed, "report")) {
    folder->write(result);
  }
  return ExitStatus::as_promised;
}

}  // namespace hilsa
