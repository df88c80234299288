#include "cli/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <vector>

#include "cli/nearest.h"
#include "cli/print_report.h"
#include "cli/whole_file.h"
#include "harness/database/usage_error.h"
#include "reports/html/html_index.h"
#include "reports/html/html_report.h"
#include "reports/html/verdict_line.h"

namespace hilsa {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr const char* kRuns = "hilsa-runs";
constexpr const char* kResultFile = "result.json";

fs::path runs_folder() {
  const char* const named = std::getenv("HILSA_RUNS");
  return named != nullptr && *named != '\0' ? fs::path(named) : fs::path(kRuns);
}

// By the clock on the wall: it is for people.
std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
  return {text.data(), length};
}

std::error_code make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error;
}

// A name that nobody else has taken, also when two runs begin in one second.
std::optional<fs::path> make_new(const fs::path& runs, const std::string& name,
                                 std::error_code& error) {
  error = make_folder(runs);
  if (error) return std::nullopt;
  constexpr int kTries = 1000;
  for (int i = 1; i < kTries; ++i) {
    const fs::path folder = runs / (i == 1 ? name : fmt::format("{}-{}", name, i));
    if (fs::create_directory(folder, error)) return folder;
    if (error) return std::nullopt;
  }
  return std::nullopt;
}

IndexEntry entry_of(const std::string& folder, const ReportSet& result) {
  const VerdictLine verdict = verdict_line(result);
  IndexEntry entry{.folder = folder,
                   .title = {},
                   .started_at = {},
                   .product = {},
                   .verdict = verdict.word + ": " + verdict.sentence,
                   .is_bad = result.is_bad()};
  for (const Report& report : result.reports) {
    std::visit(
        [&](const auto& one) {
          if (entry.started_at.empty()) entry.started_at = one.origin.started_at;
          const std::string title = one.origin.subcommand + " " + one.workload;
          if (entry.title.find(title) == std::string::npos) {
            entry.title += (entry.title.empty() ? "" : ", ") + title;
          }
          const std::string product = one.product_title + " " + one.version;
          if (entry.product.find(product) == std::string::npos) {
            entry.product += (entry.product.empty() ? "" : ", ") + product;
          }
        },
        report);
  }
  return entry;
}

}  // namespace

void add_folder_options(Options& options) {
  auto add = options.add_options();
  add("out", po::value<std::string>(),
      "folder for the report, the histories and the rest (default: hilsa-runs/TIME-NAME; the "
      "variable HILSA_RUNS names another place than hilsa-runs)");
  add("no-out", "write no files");
}

std::optional<RunFolder> RunFolder::make(const Parsed& parsed, std::string_view what) {
  if (parsed.count("no-out") != 0) {
    if (parsed.count("out") != 0) throw UsageError("--out and --no-out contradict each other");
    return std::nullopt;
  }
  const bool quiet = parsed.count("quiet") != 0;
  if (parsed.count("out") != 0) {
    const fs::path folder = parsed["out"].as<std::string>();
    const std::error_code error = make_folder(folder);
    if (!error) return RunFolder(folder, false, false, quiet);
    throw UsageError("cannot create the folder " + shown(folder.string()) + ": " + error.message());
  }
  std::error_code error;
  const auto folder = make_new(runs_folder(), time_now() + "-" + std::string(what), error);
  if (folder) return RunFolder(*folder, true, true, quiet);
  warn(fmt::format(
      "no report is written: cannot create a folder in '{}': {}; --out DIR names another",
      runs_folder().string(), error.message()));
  return std::nullopt;
}

RunFolder RunFolder::existing(const std::string& path) {
  fs::path folder = path;
  if (fs::is_regular_file(folder)) folder = fs::absolute(folder).parent_path();
  if (!fs::is_directory(folder)) throw UsageError("there is no folder " + shown(path));
  const bool is_listed = fs::absolute(folder).parent_path().filename() == kRuns;
  return {folder, is_listed, false, false};
}

void RunFolder::write(const ReportSet& result) {
  keep();
  write_file(path_ / kResultFile, to_result_json(result));
  write_file(path_ / "report.md", to_markdown_report(result));
  write_file(path_ / "junit.xml", to_junit_report(result));
  write_file(path_ / "report.html", to_html_report(result));
  if (!quiet_) {
    warn("report written to " + (path_ / "report.html").string());
  }
  if (is_listed_) write_index(path_.parent_path());
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (is_new_) fs::remove_all(path_, ignored);
}

ReportSet read_result(const fs::path& folder) {
  const fs::path path = fs::is_directory(folder) ? folder / kResultFile : folder;
  std::error_code missing;
  if (!fs::exists(path, missing)) {
    throw UsageError("there is no " + shown(path.string()) +
                     "; a run directory is what 'hilsa run', 'compare', 'explore' and 'ci' write");
  }
  try {
    return from_result_json(read_file(path));
  } catch (const ResultUnreadable& error) {
    throw UsageError(shown(path.string()) + ": " + error.what());
  }
}

void write_index(const fs::path& runs) {
  std::vector<IndexEntry> entries;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(runs, error)) {
    if (!fs::exists(entry.path() / kResultFile, error)) continue;
    try {
      entries.push_back(entry_of(entry.path().filename().string(), read_result(entry.path())));
    } catch (const UsageError&) {
      continue;  // of another version, or not ours
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const IndexEntry& a, const IndexEntry& b) { return a.folder > b.folder; });
  write_file(runs / "index.html", to_html_index(entries));
}

}  // namespace hilsa
