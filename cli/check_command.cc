// `hilsa check`: a recorded history, from here or elsewhere, and which anomalies and levels it
// shows.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string_view>

#include "checkers/checker.h"
#include "checkers/explain.h"
#include "checkers/levels.h"
#include "checkers/printable.h"
#include "cli/commands.h"
#include "cli/nearest.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "harness/database/usage_error.h"
#include "harness/history/readers/export.h"
#include "harness/history/readers/read_history.h"
#include "reports/check_report.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

constexpr int kFilesMax = 100'000;

Options check_options() {
  Options options("options", 100, 60);
  auto add = options.add_options();
  const auto text = [] { return po::value<std::string>(); };
  add("help,h", "show this help");
  add("file", po::value<Words>(), "the history: one file, or several that are one history");
  add("workload", text(),
      "list-append or rw-register: what a file from elsewhere holds, where it does not show by "
      "itself");
  add("level", text(),
      "the isolation level that the exit status is about (default: serializable); levels that hold "
      "are reported in any case");
  add("assume", text(),
      "registers only: sequential-keys or linearizable-keys, an order of each key's writes to take "
      "for granted");
  add("evidence", text(), "how many cases of each anomaly to explain (default 1)");
  add("search-steps", text(),
      "how long to search for an order of writes that the history does not tell, in steps for each "
      "level (default 200000000, some seconds)");
  add("dot", text(), "write the cases as graphs for Graphviz into this file");
  add("export", text(), "edn: write the history as Elle reads it, instead of checking it");
  add("out", text(), "the file to export to (default: standard output)");
  add("format", text()->default_value("text"), "text or json");
  add("quiet", "no progress line");
  return options;
}

void print_help(const Options& options) {
  fmt::print(
      "usage: hilsa check FILE... [options]\n\n"
      "say which anomalies a recorded history shows, between which transactions, and which "
      "isolation\n"
      "levels it still satisfies\n\n");
  print_options(options);
  fmt::print(
      "\nfiles: history.jsonl of run --out and compare --out, Jepsen's and Elle's histories (EDN "
      "or\n"
      "JSON, list-append or rw-register), lines of r(key,value,session,txn) and w(...); - is "
      "standard\n"
      "input; .zst is unpacked\n\n"
      "levels, each also as 'strong session LEVEL' and 'strict LEVEL' (real time):\n");
  for (const LevelForm& level : all_levels()) {
    if (level.form == Needs::data) fmt::print("  {}\n", name_of(level));
  }
  fmt::print(
      "\nexit status: 0 the level holds, 1 it does not, 2 usage or an unreadable file, 4 "
      "unknown\n");
}

LevelForm level_from(const std::string& name) {
  if (const auto level = level_named(name)) return *level;
  std::vector<std::string> known;
  for (const LevelForm& level : all_levels()) known.push_back(name_of(level));
  throw UsageError("unknown isolation level " + shown(name) + did_you_mean(name, known) +
                   " ('hilsa check --help' lists them)");
}

std::int64_t whole(const Parsed& parsed, const std::string& name, std::int64_t otherwise,
                   std::int64_t highest) {
  if (parsed.count(name) == 0) return otherwise;
  return parse_whole(name, parsed[name].as<std::string>(), 1, highest);
}

Expectation expectation_from(const Parsed& parsed) {
  using Assume = Expectation::Assume;
  Expectation expectation;
  if (parsed.count("level") != 0) expectation.level = level_from(parsed["level"].as<std::string>());
  expectation.evidence =
      static_cast<int>(whole(parsed, "evidence", expectation.evidence, 1'000'000));
  expectation.search_steps =
      whole(parsed, "search-steps", expectation.search_steps, 1'000'000'000'000'000);
  if (parsed.count("assume") != 0) {
    const auto& assumed = parsed["assume"].as<std::string>();
    const Words known = {"sequential-keys", "linearizable-keys"};
    if (assumed != known[0] && assumed != known[1]) {
      throw UsageError("--assume is sequential-keys or linearizable-keys, not " + shown(assumed) +
                       did_you_mean(assumed, known));
    }
    expectation.assume = assumed == known[0] ? Assume::sequential_keys : Assume::linearizable_keys;
  }
  return expectation;
}

std::optional<Form> form_from(const Parsed& parsed) {
  if (parsed.count("workload") == 0) return std::nullopt;
  const auto& name = parsed["workload"].as<std::string>();
  for (const Form form : {Form::lists, Form::registers}) {
    if (name == name_of(form)) return form;
  }
  throw UsageError("--workload is list-append or rw-register, not " + shown(name) +
                   did_you_mean(name, {"list-append", "rw-register"}));
}

std::vector<std::filesystem::path> files_from(const Parsed& parsed) {
  if (parsed.count("file") == 0) {
    throw UsageError("which file? for example: hilsa check history.jsonl");
  }
  std::vector<std::filesystem::path> files;
  for (const std::string& file : parsed["file"].as<Words>()) {
    if (file.find("://") != std::string::npos) {
      throw UsageError("'check' reads files, not a database; 'hilsa run --out DIR' writes one");
    }
    files.emplace_back(file);
  }
  return files;
}

History read(const Parsed& parsed, ProgressLine& line) {
  ReadOptions options{.form = form_from(parsed)};
  options.progress = [&line](std::uint64_t bytes) {
    line.show([&] { return fmt::format("reading: {} MB", bytes / 1'000'000); });
  };
  try {
    return read_histories(files_from(parsed), options);
  } catch (const HistoryUnreadable& error) {
    throw UsageError(printable(error.what()));
  }
}

void write_graphs(const std::string& path, const History& history, const Verdict& verdict) {
  std::ofstream file(path, std::ios::binary);
  for (const Anomaly* const anomaly : in_telling_order(verdict)) {
    for (const Evidence& evidence : anomaly->evidence) file << to_dot(history, *anomaly, evidence);
  }
  file.flush();
  if (!file) throw UsageError("cannot write " + shown(path) + "; choose another file with --dot");
}

// `--export edn`: to a file, or to standard output.
void export_history(const Parsed& parsed) {
  const auto& kind = parsed["export"].as<std::string>();
  if (kind != "edn") throw UsageError("--export is edn, not " + shown(kind));
  ProgressLine line(parsed.count("quiet") != 0);
  const History history = read(parsed, line);
  try {
    if (parsed.count("out") == 0) {
      export_edn(history, std::cout);
      std::cout.flush();
      if (!std::cout) throw std::runtime_error("cannot write to standard output");
      return;
    }
    const auto& path = parsed["out"].as<std::string>();
    // Nothing is replaced by what cannot be exported.
    std::ostringstream text;
    export_edn(history, text);
    std::ofstream file(path, std::ios::binary);
    file << text.view();
    file.flush();
    if (!file) throw UsageError("cannot write " + shown(path) + "; choose another file with --out");
  } catch (const NotExportable& error) {
    throw UsageError(printable(error.what()));
  }
}

ExitStatus status_of(Validity validity) {
  switch (validity) {
    case Validity::valid:
      return ExitStatus::as_promised;
    case Validity::invalid:
      return ExitStatus::violated;
    case Validity::unknown:
      break;
  }
  return ExitStatus::unknown;
}

}  // namespace

ExitStatus check_command(const Arguments& arguments, const std::stop_token& /*stop*/) {
  const Options options = check_options();
  const Parsed parsed = parse_arguments(arguments, options, "file", kFilesMax);
  if (parsed.count("help") != 0) {
    print_help(options);
    return ExitStatus::as_promised;
  }
  const Expectation expectation = expectation_from(parsed);
  if (parsed.count("export") != 0) {
    export_history(parsed);
    return ExitStatus::as_promised;
  }
  if (parsed.count("out") != 0) throw UsageError("--out is for --export; redirect standard output");
  const bool json = wants_json(parsed);
  std::string text;
  Validity validity = Validity::unknown;
  {
    ProgressLine line(parsed.count("quiet") != 0);
    const History history = read(parsed, line);
    line.show([&] { return fmt::format("checking {} transactions", history.transactions()); });
    const Verdict verdict = check(history, expectation);
    if (parsed.count("dot") != 0) write_graphs(parsed["dot"].as<std::string>(), history, verdict);
    text = json ? to_json_report(history, verdict) : to_text_report(history, verdict);
    validity = verdict.validity;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return status_of(validity);
}

}  // namespace hilsa
