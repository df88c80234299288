// Command lines: one small layer over Boost.Program_options that turns every mistake into a
// UsageError with the nearest known word, and reads numbers with units.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace hilsa {

using Arguments = std::vector<std::string>;
using Options = boost::program_options::options_description;
using Parsed = boost::program_options::variables_map;

// Parses; words without `--` are collected under `positional` (at most `positional_max` of them).
Parsed parse_arguments(const Arguments& arguments, const Options& options,
                       const std::string& positional, int positional_max);

// `10s`, `300ms`, `1.5m`, `2h`, `250us`. Throws UsageError naming the option.
std::chrono::nanoseconds parse_duration(const std::string& option, const std::string& text);

// A whole number in [lowest, highest]. Throws UsageError naming the option.
std::int64_t parse_whole(const std::string& option, const std::string& text, std::int64_t lowest,
                         std::int64_t highest);

// A number a second, from 0.001 to 1,000,000. Throws UsageError naming the option.
double parse_rate(const std::string& option, const std::string& text);

}  // namespace hilsa
