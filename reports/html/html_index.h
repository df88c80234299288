// The page that lists runs: `hilsa-runs/index.html`.
#pragma once

#include <string>
#include <vector>

namespace hilsa {

struct IndexEntry {
  std::string folder;      // of its report.html, relative to the page
  std::string title;       // `compare oversell`
  std::string started_at;  // UTC, ISO 8601
  std::string product;     // `PostgreSQL 15.18`
  std::string verdict;     // `not as promised: atomic at read committed is unsafe`
  bool is_bad = false;
};

// Newest first; of very many the oldest are only counted.
std::string to_html_index(const std::vector<IndexEntry>& entries);

}  // namespace hilsa
