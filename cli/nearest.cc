#include "cli/nearest.h"

#include <algorithm>

namespace hilsa {
namespace {

// Optimal string alignment distance, O(n·m).
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
      }
    }
  }
  return edits[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t fewest = 0;
  for (const std::string& candidate : known) {
    const bool starts_so = word.size() >= 3 && candidate.starts_with(word);
    const std::size_t edits = starts_so ? 1 : edits_between(word, candidate);
    if (edits > std::max<std::size_t>(2, candidate.size() / 3)) continue;
    if (best.empty() || edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

std::string shown(std::string_view word) {
  const bool may_hold_a_password =
      word.find("://") != std::string_view::npos || word.find('@') != std::string_view::npos;
  return may_hold_a_password ? "(a URL)" : "'" + std::string(word) + "'";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

}  // namespace hilsa
