// The folder that a command leaves its results in: histories, result.json, and the reports.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/arguments.h"
#include "reports/report_set.h"

namespace hilsa {

// --out, --no-out
void add_folder_options(Options& options);

class RunFolder {
 public:
  // Made as --out says; else hilsa-runs/TIME-WHAT, or below what HILSA_RUNS names. Nothing with
  // --no-out, or, with a warning, where the default one cannot be made. Throws UsageError where
  // --out cannot be made.
  static std::optional<RunFolder> make(const Parsed& parsed, std::string_view what);
  // One that is there, or whose result.json is named; throws UsageError if it is not.
  static RunFolder existing(const std::string& path);

  const std::filesystem::path& path() const { return path_; }
  // There is something in it that is worth having, whatever happens next. So says write(), too.
  void keep() { is_new_ = false; }
  // Writes result.json, report.html, report.md and junit.xml, and the list of runs beside a folder
  // that has the default place; says on standard error where, unless --quiet. Throws UsageError
  // when it cannot.
  void write(const ReportSet& result);
  // A run that came to nothing leaves none: what make() has made anew goes, unless something was
  // kept in it.
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept
      : path_(std::move(other.path_)),
        is_listed_(other.is_listed_),
        is_new_(std::exchange(other.is_new_, false)),
        quiet_(other.quiet_) {}
  RunFolder& operator=(RunFolder&&) = delete;

 private:
  RunFolder(std::filesystem::path path, bool is_listed, bool is_new, bool quiet)
      : path_(std::move(path)), is_listed_(is_listed), is_new_(is_new), quiet_(quiet) {}

  std::filesystem::path path_;
  bool is_listed_;  // in its parent's index.html
  bool is_new_;     // and nothing is kept in it yet
  bool quiet_;
};

// Its result.json. Throws UsageError with what is wrong.
ReportSet read_result(const std::filesystem::path& folder);

// Makes DIR/index.html anew, a list of the runs in DIR.
void write_index(const std::filesystem::path& runs);

}  // namespace hilsa
