// Levels and their order:
//
//                                                             snapshot isolation
//                     monotonic                   consistent /                  \.
//   read      _ read _ atomic view _ read atomic _  view    /                    \ serializable
//   uncommitted  committed \_____________________ repeatable read _______________/
//
// Repeatable read is comparable with none of those above it in the picture: it forbids cycles over
// rows that they allow, and allows phantoms that they forbid.
#include "checkers/levels.h"

#include <algorithm>
#include <cctype>

namespace hilsa {
namespace {

constexpr std::array<std::string_view, kLevelCount> kNames = {
    "read uncommitted", "read committed",  "monotonic atomic view", "read atomic",
    "consistent view",  "repeatable read", "snapshot isolation",    "serializable"};

struct ShortName {
  std::string_view name;
  Level level;
};
constexpr std::array kShortNames = {ShortName{"ru", Level::read_uncommitted},
                                    ShortName{"pl 1", Level::read_uncommitted},
                                    ShortName{"rc", Level::read_committed},
                                    ShortName{"pl 2", Level::read_committed},
                                    ShortName{"mav", Level::monotonic_atomic_view},
                                    ShortName{"ra", Level::read_atomic},
                                    ShortName{"cv", Level::consistent_view},
                                    ShortName{"pl 2+", Level::consistent_view},
                                    ShortName{"rr", Level::repeatable_read},
                                    ShortName{"pl 2.99", Level::repeatable_read},
                                    ShortName{"si", Level::snapshot_isolation},
                                    ShortName{"snapshot", Level::snapshot_isolation},
                                    ShortName{"ser", Level::serializable},
                                    ShortName{"serializability", Level::serializable},
                                    ShortName{"pl 3", Level::serializable}};

struct Prefix {
  std::string_view words;
  Needs form;
};
// `strong session` before `strong`, which in `strong snapshot isolation` means real time.
constexpr std::array kPrefixes = {
    Prefix{"strong session ", Needs::session}, Prefix{"session ", Needs::session},
    Prefix{"strict ", Needs::realtime}, Prefix{"strong ", Needs::realtime}};

constexpr auto make_all() {
  constexpr std::array kForms = {Needs::data, Needs::session, Needs::realtime};
  std::array<LevelForm, 3 * kLevelCount - 2> all{};
  std::size_t count = 0;
  for (const Needs form : kForms) {
    for (std::size_t level = form == Needs::data ? 0 : 1; level < kLevelCount; ++level) {
      all[count++] = {static_cast<Level>(level), form};
    }
  }
  return all;
}
constexpr auto kAll = make_all();

std::string in_plain_words(std::string_view name) {
  std::string words;
  for (const char c : name) {
    const bool separates = c == '-' || c == '_' || c == ' ';
    if (separates && (words.empty() || words.back() == ' ')) continue;
    words += separates ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

std::optional<Level> plain_level_named(std::string_view words) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), words);
  if (found != kNames.end()) return static_cast<Level>(found - kNames.begin());
  for (const ShortName& known : kShortNames) {
    if (known.name == words) return known.level;
  }
  return std::nullopt;
}

bool level_implies(Level stronger, Level weaker) {
  if (stronger == weaker || stronger == Level::serializable) return true;
  if (weaker <= Level::read_committed) return weaker <= stronger;
  if (stronger == Level::repeatable_read || weaker == Level::repeatable_read) return false;
  return weaker <= stronger;
}

}  // namespace

std::span<const LevelForm> all_levels() { return kAll; }

std::string name_of(const LevelForm& level) {
  std::string name;
  if (level.form == Needs::session) name = "strong session ";
  if (level.form == Needs::realtime) name = "strict ";
  name += kNames[static_cast<std::size_t>(level.level)];
  return name;
}

std::optional<LevelForm> level_named(std::string_view name) {
  const std::string words = in_plain_words(name);
  // For transactions, which is what a history holds, one is the other.
  if (words == "linearizable" || words == "linearizability") {
    return LevelForm{Level::serializable, Needs::realtime};
  }
  std::string_view rest = words;
  LevelForm named;
  for (const Prefix& prefix : kPrefixes) {
    if (!rest.starts_with(prefix.words)) continue;
    named.form = prefix.form;
    rest.remove_prefix(prefix.words.size());
    break;
  }
  const auto level = plain_level_named(rest);
  if (!level || (*level == Level::read_uncommitted && named.form != Needs::data)) {
    return std::nullopt;
  }
  named.level = *level;
  return named;
}

bool implies(const LevelForm& stronger, const LevelForm& weaker) {
  return level_implies(stronger.level, weaker.level) &&
         (weaker.level == Level::read_uncommitted || weaker.form <= stronger.form);
}

}  // namespace hilsa
