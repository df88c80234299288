// Files that are read or written whole: a configuration, a result, a report.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hilsa {

// Throws UsageError: `cannot read 'x': Is a directory`.
std::string read_file(const std::filesystem::path& path);

// Writes a whole file, or none: what was there before stays if it fails. Throws UsageError.
void write_file(const std::filesystem::path& path, std::string_view content);
// Throws UsageError where write_file() would: for what is only written after long work.
void check_writable(const std::filesystem::path& path);

}  // namespace hilsa
