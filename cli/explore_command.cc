// `explore`: every order in which a few clients' statements can reach the database.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "checkers/checker.h"
#include "checkers/explain.h"
#include "checkers/printable.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/default_database.h"
#include "cli/experiment_report.h"
#include "cli/explored.h"
#include "cli/find_workload.h"
#include "cli/nearest.h"
#include "cli/print_report.h"
#include "cli/progress_line.h"
#include "cli/repeatable.h"
#include "cli/replay.h"
#include "cli/run_folder.h"
#include "cli/run_options.h"
#include "cli/schedule_script.h"
#include "cli/watch.h"
#include "cli/whole_file.h"
#include "harness/database/usage_error.h"
#include "harness/run/trial.h"
#include "harness/schedule/exploration.h"
#include "reports/check_report.h"
#include "reports/explore_report.h"
#include "reports/report_set.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

struct CommandLine {
  Options options{"options", 100, 60};
  Parsed parsed;
  const Workload* workload = nullptr;
};

void add_options(Options& options, const Workload* workload) {
  auto add = options.add_options();
  const auto text = [] { return po::value<std::string>(); };
  add("help,h", "show this help");
  add("workload", text(), "the workload ('hilsa list' shows all); comes first");
  add("strategy", po::value<Words>(), "only this strategy; may be repeated (default: all)");
  add("isolation", po::value<Words>(),
      "isolation level; may be repeated: a row for each (default: the database's own)");
  add_database_options(options);
  add("clients", text(), "clients, 2 to 6, with one task each (default 2)");
  add("max-attempts", text(),
      "attempts at one task, each a whole transaction (default 1: no retry)");
  add("max-schedules", text(), "run at most so many schedules of a row (default 5000)");
  add("samples", text(), "then so many more at random (default 500)");
  add("no-skip",
      "also run the schedules that differ only by swapping steps that cannot affect each other");
  add_watch_options(options);
  add("seed", text(), "fixes the tasks' random choices and the samples (default 1)");
  add_folder_options(options);
  add("replay", text(), "run such a script again, and say whether it still happens");
  add("format", text()->default_value("text"),
      "text, json, or github: what a workflow on GitHub shows beside its run");
  add("quiet", "no progress line");
  if (workload == nullptr) return;
  for (const Option& option : workload->options) {
    add(std::string(option.name).c_str(), text(),
        (std::string(option.summary) + " (default " + std::to_string(option.in_trials) + ")")
            .c_str());
  }
}

std::int64_t whole(const Parsed& parsed, const char* name, std::int64_t otherwise,
                   std::int64_t lowest, std::int64_t highest) {
  if (parsed.count(name) == 0) return otherwise;
  return parse_whole(name, parsed[name].as<std::string>(), lowest, highest);
}

ExplorationPlan plan_from(const Parsed& parsed, const Workload& workload) {
  constexpr std::int64_t kSchedulesMax = 900'000;  // each takes keys of its own
  ExplorationPlan plan{.workload = &workload};
  plan.clients = static_cast<int>(whole(parsed, "clients", 2, 2, 6));
  plan.max_attempts = static_cast<int>(whole(parsed, "max-attempts", 1, 1, 100));
  plan.schedules_max = whole(parsed, "max-schedules", plan.schedules_max, 1, kSchedulesMax);
  plan.samples_max = whole(parsed, "samples", plan.samples_max, 0, 100'000);
  plan.skips_nothing = parsed.count("no-skip") != 0;
  plan.seed = static_cast<std::uint64_t>(whole(parsed, "seed", 1, 0, 999'999'999));
  for (const Option& option : workload.options) {
    plan.options[option.name] = whole(parsed, std::string(option.name).c_str(), option.in_trials,
                                      option.lowest, option.highest);
  }
  return plan;
}

std::string measured_of(const ExploredStrategy& explored) {
  if (explored.violating > 0) return "unsafe";
  return explored.exhaustive && explored.run > 0 ? "safe" : "unknown";
}

ExploreRow to_row(const ExploredStrategy& explored, const Workload& workload, const Traits& traits,
                  int clients) {
  ExploreRow row{.strategy = std::string(explored.strategy->name),
                 .isolation = std::string(name_of(explored.isolation)),
                 .promised = std::string(name_of(explored.promised)),
                 .measured = measured_of(explored),
                 .running = explored.running,
                 .run = explored.run,
                 .sampled = explored.sampled,
                 .schedules = explored.all,
                 .covered = explored.stood_for,
                 .exhaustive = explored.exhaustive,
                 .complete_switches = explored.complete_switches,
                 .violating = explored.violating,
                 .deadlocks = explored.deadlocks,
                 .refused_by_database = explored.refused_by_database,
                 .waiting = explored.waiting,
                 .outcomes = explored.outcomes,
                 .anomalies = explored.anomalies};
  for (const auto& [name, number] : explored.violations) row.violations[std::string(name)] = number;
  std::string level(name_of(explored.isolation));
  std::replace(level.begin(), level.end(), ' ', '-');
  const std::string command = fmt::format(
      "hilsa explore {} --strategy {} --isolation {} --clients {}, {} {}", workload.name,
      row.strategy, level, clients, title_of(traits.product), traits.version);
  const auto& shortest =
      explored.shortest_violating ? explored.shortest_violating : explored.shortest_anomalous;
  if (shortest) row.shortest = to_shown(*shortest, traits.product, "no invariant breaks", command);
  if (explored.shortest_deadlock) {
    row.shortest_deadlock =
        to_shown(*explored.shortest_deadlock, traits.product, "deadlock", command);
  }
  return row;
}

void write_script(const std::filesystem::path& folder, const ExploreRow& row,
                  const ShownSchedule& schedule, const char* kind, bool quiet) {
  std::string name = row.strategy + "-" + row.isolation + kind + ".sql";
  std::replace(name.begin(), name.end(), ' ', '-');
  write_file(folder / name, schedule.script);
  if (!quiet) warn("script written to " + (folder / name).string());
}

void write_scripts(const std::filesystem::path& folder, const ExploreReport& report, bool quiet) {
  for (const ExploreRow& row : report.rows) {
    if (row.shortest) write_script(folder, row, *row.shortest, "", quiet);
    if (row.shortest_deadlock)
      write_script(folder, row, *row.shortest_deadlock, "-deadlock", quiet);
  }
}

ExitStatus status_of(const ExploreReport& report) {
  bool unknown = report.interrupted || report.rows.empty();
  for (const ExploreRow& row : report.rows) {
    if (row.promised == "safe" && row.measured == "unsafe") return ExitStatus::violated;
    if (row.measured == "unknown") unknown = true;
  }
  return unknown ? ExitStatus::unknown : ExitStatus::as_promised;
}

std::vector<const Strategy*> strategies_from(const Parsed& parsed, const Workload& workload,
                                             const Database& database, ExploreReport& report) {
  std::vector<const Strategy*> strategies;
  if (parsed.count("strategy") != 0) {
    for (const std::string& name : parsed["strategy"].as<Words>()) {
      strategies.push_back(&find_strategy(workload, name));
      check_strategy(database, *strategies.back());
    }
    return strategies;
  }
  for (const Strategy& strategy : workload.strategies) {
    if (!strategy.needs || database.traits().has(*strategy.needs)) {
      strategies.push_back(&strategy);
    } else {
      report.left_out.emplace_back(strategy.name, name_of(*strategy.needs));
    }
  }
  return strategies;
}

std::vector<std::optional<Isolation>> levels_for(const Strategy& strategy,
                                                 const std::vector<Isolation>& levels) {
  if (levels.empty() || strategy.isolation || !strategy.one_transaction) return {std::nullopt};
  return {levels.begin(), levels.end()};
}

void explore_all(const Parsed& parsed, const Workload& workload, Database& database,
                 const std::vector<Isolation>& levels,
                 const std::vector<const Strategy*>& strategies, const std::stop_token& stop,
                 ExploreReport& report) {
  const ExplorationPlan plan = plan_from(parsed, workload);
  const std::unique_ptr<BlockWatch> watch = watch_of(parsed, database);
  report.seen_by = watch->how();
  report.clients = plan.clients;
  report.max_attempts = plan.max_attempts;
  report.seed = plan.seed;
  Exploration exploration(database, *watch, plan, stop);
  ProgressLine line(parsed.count("quiet") != 0);
  const auto find = [&](const History& history, const ExploredStrategy& explored) {
    return find_anomalies(workload, database.traits(), history, explored);
  };
  for (const Strategy* const strategy : strategies) {
    for (const auto& level : levels_for(*strategy, levels)) {
      if (stop.stop_requested()) break;
      const ExploredStrategy explored =
          exploration.explore(*strategy, level, find, [&](const Exploration::Progress& now) {
            line.show([&] {
              return fmt::format("{}: {}, {} schedules", workload.name, now.strategy, now.run);
            });
          });
      report.rows.push_back(to_row(explored, workload, database.traits(), plan.clients));
    }
  }
  report.interrupted = stop.stop_requested();
}

const Workload* named_workload(const Arguments& arguments) {
  if (arguments.empty() || arguments[0].starts_with("-")) return nullptr;
  return &find_workload(arguments[0]);
}

}  // namespace

ExitStatus explore_command(const Arguments& arguments, const std::stop_token& stop) {
  CommandLine line;
  line.workload = named_workload(arguments);
  add_options(line.options, line.workload);
  line.parsed = parse_arguments(arguments, line.options, "workload", 1);
  const Parsed& parsed = line.parsed;
  if (parsed.count("help") != 0) {
    fmt::print(
        "usage: hilsa explore WORKLOAD [options]\n       hilsa explore --replay FILE [--db URL]\n\n"
        "run every order in which the statements of two or three clients can reach the database, "
        "and\nsay in how many of them each strategy breaks\n\n");
    print_options(line.options);
    return ExitStatus::as_promised;
  }
  if (parsed.count("replay") != 0) return replay(parsed, stop);
  if (line.workload == nullptr) {
    throw UsageError("which workload? for example: hilsa explore oversell");
  }
  const std::vector<Isolation> levels = isolations_from(parsed);
  const Format format = format_from(parsed);
  const Nanoseconds begun_ns = monotonic_ns();
  const OpenDatabase open = connect_watched_from(parsed, stop);
  const Traits& traits = open.database->traits();
  ExploreReport report{.workload = std::string(line.workload->name),
                       .product = std::string(name_of(traits.product)),
                       .product_title = std::string(title_of(traits.product)),
                       .version = traits.version,
                       .url = open.database->shown_url()};
  std::vector<const Strategy*> strategies;
  try {
    for (const Isolation level : levels) check_level(*open.database, level);
    strategies = strategies_from(parsed, *line.workload, *open.database, report);
  } catch (const UsageError& error) {
    explain_default_database(parsed, error);
  }
  auto folder = RunFolder::make(parsed, "explore-" + report.workload);
  report.origin.subcommand = "explore";
  report.origin.started_at = utc_now();
  report.origin.settings = settings_of(*open.database);
  explore_all(parsed, *line.workload, *open.database, levels, strategies, stop, report);
  report.origin.command = repeatable("explore", arguments, report.seed);
  report.origin.took_s = static_cast<double>(monotonic_ns() - begun_ns) / 1e9;
  print_report(report, format);
  if (folder) {
    write_scripts(folder->path(), report, parsed.count("quiet") != 0);
    folder->write({.reports = {report}, .demands = {}});
  }
  return status_of(report);
}

}  // namespace hilsa
