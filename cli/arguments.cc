#include "cli/arguments.h"

#include <algorithm>
#include <array>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "cli/nearest.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;

std::vector<std::string> names_of(const Options& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  return names;
}

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array kUnits = {Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}, Unit{"m", 60e9},
                               Unit{"h", 3600e9}};

}  // namespace

Parsed parse_arguments(const Arguments& arguments, const Options& options,
                       const std::string& positional, int positional_max) {
  po::positional_options_description words;
  words.add(positional.c_str(), positional_max);
  constexpr int kStyle =
      po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  Parsed parsed;
  try {
    po::store(
        po::command_line_parser(arguments).options(options).positional(words).style(kStyle).run(),
        parsed);
    po::notify(parsed);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    throw UsageError("unknown option " + shown(name) + did_you_mean(name, names_of(options)));
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("too many words; options start with '--'");
  } catch (const po::multiple_occurrences& error) {
    throw UsageError("option '" + error.get_option_name() + "' may be given only once");
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  return parsed;
}

std::chrono::nanoseconds parse_duration(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto* const unit =
      std::find_if(kUnits.begin(), kUnits.end(), [end](const Unit& u) { return u.name == end; });
  constexpr double kLongestNs = 7 * 24 * 3600e9;
  if (end == text.c_str() || unit == kUnits.end() || !std::isfinite(number) || number < 0 ||
      number * unit->nanoseconds > kLongestNs) {
    throw UsageError("--" + option + " takes a time with a unit, like 10s, 300ms or 2m, not " +
                     shown(text));
  }
  return std::chrono::nanoseconds(std::llround(number * unit->nanoseconds));
}

std::int64_t parse_whole(const std::string& option, const std::string& text, std::int64_t lowest,
                         std::int64_t highest) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < lowest || number > highest) {
    throw UsageError("--" + option + " takes a whole number from " + std::to_string(lowest) +
                     " to " + std::to_string(highest) + ", not " + shown(text));
  }
  return number;
}

double parse_rate(const std::string& option, const std::string& text) {
  constexpr double kLowest = 0.001;
  constexpr double kHighest = 1'000'000;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(number) || number < kLowest ||
      number > kHighest) {
    throw UsageError("--" + option + " takes a number from 0.001 to 1000000, not " + shown(text));
  }
  return number;
}

}  // namespace hilsa
