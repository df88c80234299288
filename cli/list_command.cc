#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/find_workload.h"
#include "cli/run_options.h"
#include "harness/database/usage_error.h"
#include "reports/text_table.h"

namespace hilsa {
namespace {

using Align = TextTable::Align;

void list_what_must_hold(const Workload& workload) {
  if (workload.history_decides) {
    fmt::print(
        "what must hold: every transaction is as isolated as the database promises, by the\n"
        "recorded history\n\n");
    return;
  }
  TextTable invariants;
  invariants.add_column("invariant", Align::left);
  invariants.add_column("what must hold", Align::left);
  for (const Invariant& invariant : workload.invariants) {
    invariants.add_row({std::string(invariant.name), std::string(invariant.summary)});
  }
  fmt::print("{}\n", invariants.to_string());
}

void list_workload(const Workload& workload) {
  fmt::print("{}: {}\n\n{}\n\n", workload.name, workload.summary, workload.story);
  TextTable strategies;
  strategies.add_column("strategy", Align::left);
  strategies.add_column("what it does", Align::left);
  strategies.add_column("needs", Align::left);
  for (const Strategy& strategy : workload.strategies) {
    strategies.add_row({std::string(strategy.name), std::string(strategy.summary),
                        strategy.needs ? std::string(name_of(*strategy.needs)) : ""});
  }
  fmt::print("{}\n", strategies.to_string());
  list_what_must_hold(workload);
  TextTable options;
  options.add_column("option", Align::left);
  options.add_column("meaning", Align::left);
  options.add_column("default", Align::left);
  for (const Option& option : workload.options) {
    options.add_row(
        {"--" + std::string(option.name), std::string(option.summary),
         fmt::format("{}; {} with --duration or --tasks", option.in_trials, option.in_sustained)});
  }
  const std::string_view called = workload.clients_called;
  options.add_row({"--" + std::string(called.empty() ? "clients" : called),
                   called.empty() ? "concurrent clients" : "the same as --clients",
                   fmt::format("{}; {} with --duration or --tasks", workload.clients_in_trials,
                               kClientsWhenSustained)});
  fmt::print("{}", options.to_string());
}

void list_all() {
  fmt::print("workloads ('hilsa list NAME' says more):\n");
  for (const Workload* const workload : all_workloads()) {
    fmt::print("  {:<12}{}\n", workload->name, workload->summary);
    std::string names;
    for (const Strategy& strategy : workload->strategies) {
      names += (names.empty() ? "" : ", ") + std::string(strategy.name);
    }
    fmt::print("  {:<12}strategies: {}\n", "", names);
  }
  fmt::print("\ndatabases (--db) and their isolation levels (--isolation):\n");
  for (std::size_t i = 0; i < kProductCount; ++i) {
    const auto product = static_cast<Product>(i);
    fmt::print("  {:<20}{}\n", title_of(product), level_names_of(product));
  }
  fmt::print(
      "\n  postgres://user@host/db, mysql://user@host/db, mariadb://user@host/db\n"
      "  sqlite:FILE, sqlite: (a temporary file; the default)\n"
      "  temp:postgres, temp:mysql, temp:mariadb (a throw-away server from the local binaries)\n"
      "  sim:LEVEL[?bug=NAME][&schedule=free] (simulated, one seed one history; LEVEL is\n"
      "  read-uncommitted, read-committed, snapshot, serializable-2pl or serializable-ssi)\n"
      "  env:NAME (the URL is in that environment variable: keeps passwords off command lines)\n");
}

}  // namespace

ExitStatus list_command(const Arguments& arguments, const std::stop_token& /*stop*/) {
  Options options("options");
  options.add_options()("help,h", "show this help")(
      "workload", boost::program_options::value<std::string>(), "tell about this workload");
  const Parsed parsed = parse_arguments(arguments, options, "workload", 1);
  if (parsed.count("help") != 0) {
    fmt::print(
        "usage: hilsa list [WORKLOAD]\n\nthe workloads, their strategies, and the databases\n");
    return ExitStatus::as_promised;
  }
  if (parsed.count("workload") == 0) {
    list_all();
  } else {
    list_workload(find_workload(parsed["workload"].as<std::string>()));
  }
  return ExitStatus::as_promised;
}

}  // namespace hilsa
