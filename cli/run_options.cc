#include "cli/run_options.h"

#include <algorithm>
#include <iostream>
#include <random>

#include "cli/nearest.h"
#include "cli/run_folder.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;

constexpr int kClientsMax = 1000;

po::typed_value<std::string>* text() { return po::value<std::string>(); }

std::int64_t whole(const Parsed& parsed, const std::string& name, std::int64_t otherwise,
                   std::int64_t lowest, std::int64_t highest) {
  if (parsed.count(name) == 0) return otherwise;
  return parse_whole(name, parsed[name].as<std::string>(), lowest, highest);
}

std::chrono::nanoseconds duration(const Parsed& parsed, const std::string& name,
                                  std::chrono::nanoseconds otherwise) {
  if (parsed.count(name) == 0) return otherwise;
  return parse_duration(name, parsed[name].as<std::string>());
}

std::string think_defaults(const Workload* workload) {
  const auto trials = workload != nullptr ? workload->think_in_trials : Workload().think_in_trials;
  const auto sustained =
      workload != nullptr ? workload->think_in_sustained : Workload().think_in_sustained;
  return std::to_string(trials.count()) + "ms in trials, so that attempts meet; " +
         std::to_string(sustained.count()) + "ms otherwise";
}

int clients_from(const Parsed& parsed, const Workload& workload, bool sustained) {
  const std::string called(workload.clients_called);
  const int otherwise = sustained ? kClientsWhenSustained : workload.clients_in_trials;
  const bool has_alias = !called.empty() && parsed.count(called) != 0;
  if (parsed.count("clients") != 0 && has_alias) {
    throw UsageError("--clients and --" + called + " mean the same; give one of them");
  }
  const std::string name = has_alias ? called : "clients";
  return static_cast<int>(whole(parsed, name, otherwise, 1, kClientsMax));
}

std::uint64_t seed_from(const Parsed& parsed) {
  constexpr std::int64_t kHighest = 999'999'999;
  if (parsed.count("seed") == 0) {
    return std::random_device{}() % static_cast<std::uint64_t>(kHighest) + 1;
  }
  return static_cast<std::uint64_t>(whole(parsed, "seed", 1, 0, kHighest));
}

}  // namespace

void add_database_options(Options& options) {
  options.add_options()(
      "db", text()->default_value("sqlite:"),
      "the database: postgres://…, mysql://…, mariadb://…, sqlite:FILE, sqlite: (a "
      "temporary file), temp:postgres|mysql|mariadb, sim:LEVEL (simulated, deterministic), or "
      "env:NAME");
  options.add_options()("connect-timeout", text()->default_value("5s"),
                        "longest wait for a connection");
  options.add_options()("statement-timeout", text()->default_value("30s"),
                        "longest that one statement may take, waits for locks included");
}

namespace {

OpenDatabase open_from(const Parsed& parsed, bool watched, const std::stop_token& stop) {
  using std::chrono::ceil;
  using std::chrono::milliseconds;
  ConnectOptions options;
  options.connect_timeout = ceil<milliseconds>(duration(parsed, "connect-timeout", {}));
  options.statement_timeout = ceil<milliseconds>(duration(parsed, "statement-timeout", {}));
  if (options.connect_timeout.count() == 0 || options.statement_timeout.count() == 0) {
    throw UsageError("timeouts must be longer than 0");
  }
  options.watched = watched;
  return connect(parsed["db"].as<std::string>(), options, stop);
}

}  // namespace

OpenDatabase connect_from(const Parsed& parsed, const std::stop_token& stop) {
  return open_from(parsed, false, stop);
}

OpenDatabase connect_watched_from(const Parsed& parsed, const std::stop_token& stop) {
  return open_from(parsed, true, stop);
}

std::vector<Isolation> isolations_from(const Parsed& parsed) {
  std::vector<Isolation> levels;
  if (parsed.count("isolation") == 0) return levels;
  for (const std::string& name : parsed["isolation"].as<std::vector<std::string>>()) {
    const auto level = isolation_named(name);
    if (!level) {
      throw UsageError("unknown isolation level " + shown(name) +
                       "; there are read-uncommitted, read-committed, repeatable-read and "
                       "serializable");
    }
    if (std::find(levels.begin(), levels.end(), *level) == levels.end()) levels.push_back(*level);
  }
  return levels;
}

void add_load_options(Options& options, const Workload* workload) {
  auto add = options.add_options();
  const int clients =
      workload != nullptr ? workload->clients_in_trials : Workload().clients_in_trials;
  add("clients", text(),
      ("concurrent clients, 1 to 1000 (default: " + std::to_string(clients) + " in trials, " +
       std::to_string(kClientsWhenSustained) + " otherwise)")
          .c_str());
  const int trials = workload != nullptr ? workload->trials : Workload().trials;
  add("trials", text(),
      ("how often everything starts afresh with all clients released together (default " +
       std::to_string(trials) +
       "); with --duration or --tasks: rounds that these are divided into (default: run 1, "
       "compare 5)")
          .c_str());
  add("duration", text(), "let clients go on for this long per strategy, for example 10s");
  add("tasks", text(), "let clients go on until this many tasks per strategy are done");
  add("rate", text(),
      "tasks a second of all clients together, at random moments (default: no limit)");
  add("pool", text(), "connections that the clients share (default: one each)");
  add("pool-wait", text(), "longest wait for one of them (default 30s)");
  add("max-attempts", text(), "attempts at one task, each a whole transaction (default 4)");
  add("think", text(),
      ("time the application spends between its statements, as by a payment call (default " +
       think_defaults(workload) + ")")
          .c_str());
  add("seed", text(), "fixes every random choice of the clients (default: a new one, printed)");
  add_folder_options(options);
  add("format", text()->default_value("text"),
      "text, json, or github: what a workflow on GitHub shows beside its run");
  add("quiet", "no progress line");
  if (workload == nullptr) return;
  for (const Option& option : workload->options) {
    const std::string summary(option.summary);
    add(std::string(option.name).c_str(), text(),
        (summary + " (default " + std::to_string(option.in_trials) + " in trials, " +
         std::to_string(option.in_sustained) + " otherwise)")
            .c_str());
  }
  if (workload->clients_called.empty()) return;
  add(std::string(workload->clients_called).c_str(), text(), "the same as --clients");
}

ExperimentPlan plan_from(const Parsed& parsed, const Workload& workload, int rounds) {
  constexpr std::int64_t kTasksMax = 1'000'000'000;
  ExperimentPlan plan;
  plan.workload = &workload;
  if (parsed.count("tasks") != 0 && parsed.count("duration") != 0) {
    throw UsageError("--tasks and --duration both say when to end; give one of them");
  }
  if (parsed.count("tasks") != 0) plan.tasks = whole(parsed, "tasks", 1, 1, kTasksMax);
  if (parsed.count("duration") != 0) {
    plan.duration = duration(parsed, "duration", {});
    if (plan.duration->count() == 0) throw UsageError("--duration must be longer than 0");
  }
  if (parsed.count("rate") != 0) {
    if (!plan.sustained()) throw UsageError("--rate needs --duration or --tasks");
    plan.rate = parse_rate("rate", parsed["rate"].as<std::string>());
  }
  plan.clients = clients_from(parsed, workload, plan.sustained());
  constexpr std::int64_t kTrialsMax = 100'000;
  plan.trials = static_cast<int>(
      whole(parsed, "trials", plan.sustained() ? rounds : workload.trials, 1, kTrialsMax));
  plan.pool = static_cast<int>(whole(parsed, "pool", plan.clients, 1, kClientsMax));
  plan.pool = std::min(plan.pool, plan.clients);
  plan.pool_wait = duration(parsed, "pool-wait", plan.pool_wait);
  plan.retry.max_attempts = static_cast<int>(whole(parsed, "max-attempts", 4, 1, 1000));
  plan.think = duration(parsed, "think",
                        plan.sustained() ? workload.think_in_sustained : workload.think_in_trials);
  plan.seed = seed_from(parsed);
  for (const Option& option : workload.options) {
    const std::int64_t otherwise = plan.sustained() ? option.in_sustained : option.in_trials;
    plan.options[option.name] =
        whole(parsed, std::string(option.name), otherwise, option.lowest, option.highest);
  }
  return plan;
}

Format format_from(const Parsed& parsed) {
  if (parsed["format"].as<std::string>() == "github") return Format::github;
  try {
    return wants_json(parsed) ? Format::json : Format::text;
  } catch (const UsageError&) {
    throw UsageError("--format is text, json or github, not " +
                     shown(parsed["format"].as<std::string>()));
  }
}

bool wants_json(const Parsed& parsed) {
  const auto& format = parsed["format"].as<std::string>();
  if (format != "text" && format != "json") {
    throw UsageError("--format is text or json, not " + shown(format));
  }
  return format == "json";
}

void print_options(const Options& options) { std::cout << options; }

}  // namespace hilsa
