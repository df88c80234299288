#include "cli/watch.h"

#include <fmt/format.h>

#include <cstdio>

namespace hilsa {

void add_watch_options(Options& options) {
  options.add_options()("blocked-after", boost::program_options::value<std::string>(),
                        "take a statement that runs longer than this for one that waits, instead "
                        "of asking the database; for users who may not ask");
}

std::unique_ptr<BlockWatch> watch_of(const Parsed& parsed, Database& database) {
  if (parsed.count("blocked-after") != 0) {
    return std::make_unique<TimedBlockWatch>(
        parse_duration("blocked-after", parsed["blocked-after"].as<std::string>()));
  }
  auto watch = database.watch_blocking();
  if (watch) return *std::move(watch);
  constexpr std::chrono::milliseconds kLimit{50};
  fmt::print(
      stderr,
      "hilsa: cannot see which statements wait ({}); taking those that run longer than {} ms "
      "for waiting (--blocked-after)\n",
      to_text(watch.error()), kLimit.count());
  return std::make_unique<TimedBlockWatch>(kLimit);
}

}  // namespace hilsa
