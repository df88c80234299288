#include "harness/simulated/level.h"

#include <algorithm>

namespace hilsa::simulated {
namespace {

constexpr std::array<std::string_view, kLevelCount> kLevelNames = {
    "read-uncommitted", "read-committed", "snapshot", "serializable-2pl", "serializable-ssi"};
constexpr std::array<std::string_view, kBugCount> kBugNames = {"none",
                                                               "lost-write",
                                                               "dirty-read",
                                                               "stale-snapshot",
                                                               "missed-phantom-lock",
                                                               "forgotten-abort",
                                                               "reordered-commit"};

}  // namespace

std::string_view name_of(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }

std::optional<Level> level_named(std::string_view name) {
  const auto* const found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<Level>(found - kLevelNames.begin());
}

std::vector<std::string> level_names() { return {kLevelNames.begin(), kLevelNames.end()}; }

Level level_for(std::optional<Isolation> asked, Level own) {
  if (!asked) return own;
  switch (*asked) {
    case Isolation::read_uncommitted:
      return Level::read_uncommitted;
    case Isolation::read_committed:
      return Level::read_committed;
    case Isolation::repeatable_read:
      return Level::snapshot;
    case Isolation::serializable:
      break;
  }
  return own == Level::serializable_2pl ? own : Level::serializable_ssi;
}

Isolation isolation_of(Level level) {
  switch (level) {
    case Level::read_uncommitted:
      return Isolation::read_uncommitted;
    case Level::read_committed:
      return Isolation::read_committed;
    case Level::snapshot:
      return Isolation::repeatable_read;
    case Level::serializable_2pl:
    case Level::serializable_ssi:
      break;
  }
  return Isolation::serializable;
}

std::string_view name_of(Bug bug) { return kBugNames[static_cast<std::size_t>(bug)]; }

std::optional<Bug> bug_named(std::string_view name) {
  const auto* const found = std::find(kBugNames.begin(), kBugNames.end(), name);
  if (found == kBugNames.end()) return std::nullopt;
  return static_cast<Bug>(found - kBugNames.begin());
}

std::vector<std::string> bug_names() { return {kBugNames.begin() + 1, kBugNames.end()}; }

}  // namespace hilsa::simulated
