#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "checkers/printable.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/run_options.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;

void print_text(const Database& database, const std::vector<Setting>& settings) {
  const Traits& traits = database.traits();
  fmt::print("{} {} at {}\n", title_of(traits.product), printable(traits.version),
             printable(database.shown_url()));
  fmt::print("  isolation levels: {} (default: {})\n", names_of(traits.levels()),
             name_of(traits.default_isolation));
  std::size_t width = 0;
  for (const Setting& setting : settings) width = std::max(width, setting.name.size());
  for (const Setting& setting : settings) {
    const std::string meaning = printable(setting.meaning);
    const std::string remark = meaning.empty() ? "" : "  (" + meaning + ")";
    fmt::print("  {:<{}}  {}{}\n", setting.name, width, printable(setting.value), remark);
  }
}

void print_json(const Database& database, const std::vector<Setting>& settings) {
  const Traits& traits = database.traits();
  nlohmann::ordered_json json = {{"product", name_of(traits.product)},
                                 {"version", traits.version},
                                 {"url", database.shown_url()},
                                 {"default_isolation", name_of(traits.default_isolation)}};
  for (const Isolation level : traits.levels()) json["levels"].push_back(name_of(level));
  for (const Setting& setting : settings) {
    json["settings"].push_back(
        {{"name", setting.name}, {"value", setting.value}, {"meaning", setting.meaning}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

ExitStatus doctor_command(const Arguments& arguments, const std::stop_token& stop) {
  Options options("options");
  options.add_options()("help,h", "show this help");
  add_database_options(options);
  options.add_options()("format", po::value<std::string>()->default_value("text"), "text or json");
  const Parsed parsed = parse_arguments(arguments, options, "", 0);
  if (parsed.count("help") != 0) {
    fmt::print(
        "usage: hilsa doctor --db URL\n\nwhat a database is, which isolation levels it has, the "
        "settings that matter for\nraces, and what this user may not do\n\n");
    print_options(options);
    return ExitStatus::as_promised;
  }
  const bool json = wants_json(parsed);
  const OpenDatabase open = connect_from(parsed, stop);
  const std::vector<Setting> settings = open.database->settings();
  if (json) {
    print_json(*open.database, settings);
  } else {
    print_text(*open.database, settings);
  }
  return ExitStatus::as_promised;
}

}  // namespace hilsa
