// `run` and `compare`: the same experiment with one row or with many.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

#include "checkers/printable.h"
#include "cli/check_rows.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/default_database.h"
#include "cli/experiment_report.h"
#include "cli/find_workload.h"
#include "cli/minimize.h"
#include "cli/nearest.h"
#include "cli/print_report.h"
#include "cli/repeatable.h"
#include "cli/run_folder.h"
#include "cli/run_options.h"
#include "cli/watch.h"
#include "harness/database/usage_error.h"
#include "reports/report_set.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

// A sustained comparison is cut into this many rounds, so that strategies take turns.
constexpr int kRoundsOfComparison = 5;

// One row per strategy and level. A strategy that is about a level of its own, or about having no
// transaction, keeps to that and gets one row.
std::vector<RowPlan> rows_for(const std::vector<const Strategy*>& strategies,
                              const std::vector<Isolation>& levels) {
  std::vector<RowPlan> rows;
  for (const Strategy* const strategy : strategies) {
    if (levels.empty() || strategy->isolation || !strategy->one_transaction) {
      rows.push_back({strategy, std::nullopt, ""});
      continue;
    }
    for (const Isolation level : levels) rows.push_back({strategy, level, ""});
  }
  return rows;
}

void name_history_files(const RunFolder& folder, std::vector<RowPlan>& rows) {
  for (RowPlan& row : rows) {
    std::string name = "history";
    if (rows.size() > 1) {
      name += "-" + std::string(row.strategy->name);
      if (row.isolation) name += "-" + std::string(name_of(*row.isolation));
      std::replace(name.begin(), name.end(), ' ', '-');
    }
    row.history_file = (folder.path() / (name + ".jsonl")).string();
  }
}

ExitStatus status_of(const RunReport& report, const std::string& expected) {
  bool unknown = report.interrupted;
  for (const ReportRow& row : report.rows) {
    const bool expected_otherwise = !expected.empty() && row.measured != expected;
    if (row.measured == "unknown") {
      unknown = true;
    } else if (expected_otherwise ||
               (expected.empty() && row.promised == "safe" && row.measured == "unsafe")) {
      return ExitStatus::violated;
    }
  }
  if (!report.broken_off.empty()) return ExitStatus::database_unusable;
  return unknown ? ExitStatus::unknown : ExitStatus::as_promised;
}

void print_all(const RunReport& report, Format format) {
  print_report(report, format);
  if (!report.broken_off.empty()) {
    warn("broken off: " + printable(report.broken_off));
  }
  for (const ReportRow& row : report.rows) {
    if (!row.history_incomplete || row.history_file.empty()) continue;
    warn(fmt::format("{} is not all there{}", row.history_file,
                     report.broken_off.empty() ? "; is the disk full?" : ""));
  }
}

// Options depend on the workload, and the workload is one of the words: look for it first.
const Workload* named_workload(const Arguments& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-")) break;
    return &find_workload(argument);
  }
  return nullptr;
}

struct CommandLine {
  Options options{"options", 100, 60};
  Parsed parsed;
  const Workload* workload = nullptr;
};

CommandLine parse_line(const Arguments& arguments, bool compare) {
  CommandLine line;
  line.workload = named_workload(arguments);
  auto add = line.options.add_options();
  add("help,h", "show this help");
  add("workload", po::value<std::string>(), "the workload ('hilsa list' shows all); comes first");
  add("strategy", po::value<Words>(),
      compare ? "only this strategy; may be repeated (default: all)" : "the strategy to run");
  add("isolation", po::value<Words>(),
      compare ? "isolation level; may be repeated: a row for each (default: the database's own)"
              : "isolation level (default: the database's own)");
  if (!compare) {
    add("minimize",
        "look for a schedule of just the transactions of an anomaly's cycle that breaks again, and "
        "print it as a script of SQL");
    add_watch_options(line.options);
    add("expect", po::value<std::string>(),
        "safe or unsafe: what must be measured, whatever is promised (sets the exit status)");
  }
  add_database_options(line.options);
  add_check_options(line.options);
  add_load_options(line.options, line.workload);
  line.parsed = parse_arguments(arguments, line.options, "workload", 1);
  return line;
}

const Workload& workload_of(const CommandLine& line, const char* command) {
  if (line.workload != nullptr) return *line.workload;
  if (line.parsed.count("workload") == 0) {
    throw UsageError(fmt::format("which workload? for example: hilsa {} oversell{}", command,
                                 command == std::string_view("run") ? " --strategy atomic" : ""));
  }
  throw UsageError(fmt::format("the workload comes first: hilsa {} {} [options]", command,
                               line.parsed["workload"].as<std::string>()));
}

void print_help(const CommandLine& line, const char* command, const char* usage,
                const char* summary) {
  fmt::print("usage: hilsa {} WORKLOAD {}\n\n{}\n\n", command, usage, summary);
  print_options(line.options);
  if (line.workload != nullptr) return;
  fmt::print(
      "\nworkloads have options of their own, like --stock and --buyers: hilsa {} oversell "
      "--help\n",
      command);
}

// One invocation: its plan, and the folder that its results go to.
class Ran {
 public:
  Ran(const CommandLine& line, const char* command, const Arguments& arguments,
      const ExperimentPlan& plan)
      : parsed_(line.parsed),
        plan_(plan),
        folder_(RunFolder::make(line.parsed, plan.workload->name)) {
    if (folder_) name_history_files(*folder_, plan_.rows);
    origin_.subcommand = command;
    origin_.command = repeatable(command, arguments, plan.seed);
  }

  RunReport run(Database& database, const std::stop_token& stop) {
    try {
      RunReport report = run_experiment(plan_, database,
                                        {.check = check_wishes_from(parsed_),
                                         .quiet = parsed_.count("quiet") != 0,
                                         .progress_title = {}},
                                        stop);
      if (folder_) folder_->keep();
      report.origin.subcommand = origin_.subcommand;
      report.origin.command = origin_.command;
      report.default_database = parsed_["db"].defaulted();
      return report;
    } catch (const UsageError& error) {
      explain_default_database(parsed_, error);
    }
  }

  void write(const RunReport& report) {
    if (folder_) folder_->write({.reports = {report}, .demands = {}});
  }

 private:
  const Parsed& parsed_;
  ExperimentPlan plan_;
  std::optional<RunFolder> folder_;
  Origin origin_;
};

std::string expectation_from(const Parsed& parsed) {
  if (parsed.count("expect") == 0) return "";
  const auto& expected = parsed["expect"].as<std::string>();
  if (expected != "safe" && expected != "unsafe") {
    throw UsageError("--expect is safe or unsafe, not " + shown(expected));
  }
  return expected;
}

}  // namespace

ExitStatus run_command(const Arguments& arguments, const std::stop_token& stop) {
  const CommandLine line = parse_line(arguments, false);
  if (line.parsed.count("help") != 0) {
    print_help(line, "run", "--strategy NAME [options]",
               "run one strategy of a workload and say what it did");
    return ExitStatus::as_promised;
  }
  const Workload& workload = workload_of(line, "run");
  if (line.parsed.count("strategy") == 0) {
    throw UsageError("which strategy? 'hilsa list " + std::string(workload.name) + "' shows all");
  }
  const auto& names = line.parsed["strategy"].as<Words>();
  const std::vector<Isolation> levels = isolations_from(line.parsed);
  if (names.size() > 1 || levels.size() > 1) {
    throw UsageError("'run' takes one strategy and one level; 'hilsa compare' takes several");
  }
  const Strategy& strategy = find_strategy(workload, names[0]);
  if (!levels.empty() && (strategy.isolation || !strategy.one_transaction)) {
    throw UsageError(
        "strategy '" + names[0] + "' " +
        (strategy.one_transaction ? "sets its own isolation level" : "uses no transactions") +
        "; leave out --isolation");
  }
  ExperimentPlan plan = plan_from(line.parsed, workload, 1);
  const std::string expected = expectation_from(line.parsed);
  const Format format = format_from(line.parsed);
  plan.rows = rows_for({&strategy}, levels);
  const OpenDatabase open = connect_from(line.parsed, stop);
  Ran ran(line, "run", arguments, plan);
  RunReport report = ran.run(*open.database, stop);
  if (line.parsed.count("minimize") != 0 && !report.interrupted && report.broken_off.empty()) {
    try {
      report.minimized = minimize(line.parsed, plan, report.rows.front(), *open.database, stop);
    } catch (const DatabaseUnusable& error) {
      report.broken_off = error.what();  // what was measured before is worth its table
    }
  }
  print_all(report, format);
  ran.write(report);
  return status_of(report, expected);
}

ExitStatus compare_command(const Arguments& arguments, const std::stop_token& stop) {
  const CommandLine line = parse_line(arguments, true);
  if (line.parsed.count("help") != 0) {
    print_help(line, "compare", "[options]",
               "run a workload's strategies side by side, in turns, and compare what they keep and "
               "what they cost");
    return ExitStatus::as_promised;
  }
  const Workload& workload = workload_of(line, "compare");
  ExperimentPlan plan = plan_from(line.parsed, workload, kRoundsOfComparison);
  const std::vector<Isolation> levels = isolations_from(line.parsed);
  const Format format = format_from(line.parsed);
  std::vector<const Strategy*> strategies;
  if (line.parsed.count("strategy") != 0) {
    for (const std::string& name : line.parsed["strategy"].as<Words>()) {
      const Strategy* const strategy = &find_strategy(workload, name);
      const bool is_new =
          std::find(strategies.begin(), strategies.end(), strategy) == strategies.end();
      if (is_new) strategies.push_back(strategy);
    }
  }
  const OpenDatabase open = connect_from(line.parsed, stop);
  std::vector<std::pair<std::string, std::string>> left_out;
  if (strategies.empty()) {
    for (const Strategy& strategy : workload.strategies) {
      if (!strategy.needs || open.database->traits().has(*strategy.needs)) {
        strategies.push_back(&strategy);
      } else {
        left_out.emplace_back(strategy.name, name_of(*strategy.needs));
      }
    }
  }
  plan.rows = rows_for(strategies, levels);
  Ran ran(line, "compare", arguments, plan);
  RunReport report = ran.run(*open.database, stop);
  report.left_out = std::move(left_out);
  print_all(report, format);
  ran.write(report);
  return status_of(report, "");
}

}  // namespace hilsa
