#include "cli/connect.h"

#include "cli/nearest.h"
#include "harness/database/usage_error.h"
#include "harness/simulated/simulated_database.h"

namespace hilsa {

namespace {

using simulated::Bug;
using simulated::Level;

std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) {
    if (!list.empty()) list += &word == &words.back() ? " and " : ", ";
    list += word;
  }
  return list;
}

[[noreturn]] void unknown(const std::string& what, const std::string& word,
                          const std::vector<std::string>& known) {
  throw UsageError("a simulated database has no " + what + " " + shown(word) + "; there are " +
                   listed(known) + did_you_mean(word, known));
}

SimulatedOptions options_from(const Url& url) {
  SimulatedOptions options;
  if (!url.name.empty()) {
    const auto level = simulated::level_named(url.name);
    if (!level) unknown("level", url.name, simulated::level_names());
    options.level = *level;
  }
  for (const auto& [option, value] : url.options) {
    if (option == "bug") {
      const auto bug = simulated::bug_named(value);
      if (!bug) unknown("bug", value, simulated::bug_names());
      options.bug = *bug;
    } else if (option == "schedule") {
      if (value != "free" && value != "seeded") unknown("schedule", value, {"seeded", "free"});
      options.free_schedule = value == "free";
    } else {
      unknown("option", option, {"bug", "schedule"});
    }
  }
  return options;
}

}  // namespace

OpenDatabase connect(const std::string& url, const ConnectOptions& options,
                     const std::stop_token& stop) {
  const Url parsed = parse_url(url);
  OpenDatabase open;
  if (parsed.scheme == Url::Scheme::sim) {
    open.database =
        std::make_unique<SimulatedDatabase>(parsed.redacted(), options_from(parsed), options);
    return open;
  }
  if (parsed.scheme == Url::Scheme::temp) open.server.emplace(parsed, stop);
  try {
    open.database = open_database(open.server ? open.server->url() : parsed, options);
  } catch (const DatabaseUnusable&) {
    if (stop.stop_requested()) throw Interrupted();
    throw;
  }
  return open;
}

}  // namespace hilsa
