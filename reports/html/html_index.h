#pragma once
#include <string>
#include <vector>
namespace hilsa {
struct IndexEntry {
  std::string folder, title, started_at, product, verdict;
  bool is_bad = false;
};
std::string to_html_index(const std::vector<IndexEntry>& entries);
}  // namespace hilsa
