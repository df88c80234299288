// `ci`: the suites of a configuration, what each of their rows must be and may cost, and the
// baseline that costs are compared with.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "checkers/printable.h"
#include "cli/ci_config.h"
#include "cli/ci_run.h"
#include "cli/colour.h"
#include "cli/commands.h"
#include "cli/print_report.h"
#include "cli/run_folder.h"
#include "cli/run_options.h"
#include "harness/database/usage_error.h"
#include "reports/ci_report.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

Options ci_options() {
  Options options{"options", 100, 60};
  auto add = options.add_options();
  add("help,h", "show this help");
  add("example", "print a configuration to start from");
  add("config", po::value<std::string>()->default_value(kCiConfigFile), "the configuration");
  add("suite", po::value<Words>(), "only this suite; may be repeated (default: all)");
  add("baseline", po::value<std::string>(),
      "the baseline (default: what the configuration says, or hilsa-baseline.json beside it)");
  add("update-baseline",
      "write the baseline: what is measured now is what is expected from now on. Not while a "
      "strategy is not what it must be");
  add("even-if-broken", "with --update-baseline: write it all the same");
  add("seed", po::value<std::string>(),
      "fixes every random choice of the clients (default: each suite's, or a new one)");
  add_folder_options(options);
  add("format", po::value<std::string>()->default_value("text"),
      "text, json, or github: text, and what a workflow on GitHub shows beside its run");
  add("quiet", "no progress line");
  return options;
}

CiWishes ci_wishes_from(const Parsed& parsed) {
  CiWishes wishes{.config_file = parsed["config"].as<std::string>(),
                  .update_baseline = parsed.count("update-baseline") != 0,
                  .even_if_broken = parsed.count("even-if-broken") != 0,
                  .quiet = parsed.count("quiet") != 0};
  if (parsed.count("suite") != 0) wishes.suites = parsed["suite"].as<Words>();
  if (parsed.count("baseline") != 0) wishes.baseline_file = parsed["baseline"].as<std::string>();
  if (parsed.count("seed") != 0) {
    wishes.seed = parse_whole("seed", parsed["seed"].as<std::string>(), 0, 999'999'999);
  }
  if (wishes.even_if_broken && !wishes.update_baseline) {
    throw UsageError("--even-if-broken goes with --update-baseline");
  }
  return wishes;
}

void print_report(const CiRun& ci, Format format) {
  if (format == Format::json) {
    print_text(to_json_ci_report(ci.report()));
  } else {
    print_text(to_text_ci_report(ci.report(), colour_of(stdout)));
  }
  if (format == Format::github) print_text(to_github_annotations(ci.report_set()));
  if (!ci.report().broken_off.empty()) {
    warn("broken off: " + printable(ci.report().broken_off));
  }
}

void print_help(const Options& options) {
  fmt::print(
      "usage: hilsa ci [options]\n\nrun the suites of a configuration, and fail when a strategy is "
      "not what it must be or has\nbecome slower than it was\n\n");
  print_options(options);
}

}  // namespace

ExitStatus ci_command(const Arguments& arguments, const std::stop_token& stop) {
  const Options options = ci_options();
  const Parsed parsed = parse_arguments(arguments, options, "", 0);
  if (parsed.count("help") != 0) {
    print_help(options);
    return ExitStatus::as_promised;
  }
  if (parsed.count("example") != 0) {
    print_text(std::string(ci_example()));
    return ExitStatus::as_promised;
  }
  const Format format = format_from(parsed);
  const CiConfig config = load_ci_config(parsed["config"].as<std::string>());
  CiRun ci(ci_wishes_from(parsed), config, stop);
  ci.prepare();
  std::optional<RunFolder> folder = RunFolder::make(parsed, "ci");
  ci.run();
  ci.update_baseline();
  print_report(ci, format);
  if (folder) folder->write(ci.report_set());
  return static_cast<ExitStatus>(ci.report().exit_status);
}

}  // namespace hilsa
