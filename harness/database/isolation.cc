#include "harness/database/isolation.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace hilsa {
namespace {

constexpr std::array kAll = {Isolation::read_uncommitted, Isolation::read_committed,
                             Isolation::repeatable_read, Isolation::serializable};

}  // namespace

std::string_view name_of(Product product) {
  constexpr std::array<std::string_view, kProductCount> kNames = {"postgresql", "mysql", "mariadb",
                                                                  "sqlite", "simulated"};
  return kNames[static_cast<std::size_t>(product)];
}

std::string_view title_of(Product product) {
  constexpr std::array<std::string_view, kProductCount> kTitles = {"PostgreSQL", "MySQL", "MariaDB",
                                                                   "SQLite", "simulated database"};
  return kTitles[static_cast<std::size_t>(product)];
}

std::string_view name_of(Isolation level) {
  constexpr std::array<std::string_view, 4> kNames = {"read uncommitted", "read committed",
                                                      "repeatable read", "serializable"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string_view sql_of(Isolation level) {
  constexpr std::array<std::string_view, 4> kNames = {"READ UNCOMMITTED", "READ COMMITTED",
                                                      "REPEATABLE READ", "SERIALIZABLE"};
  return kNames[static_cast<std::size_t>(level)];
}

std::optional<Isolation> isolation_named(std::string_view name) {
  std::string words;
  for (const char c : name) {
    const bool separates = c == '-' || c == '_';
    words += separates ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const auto found = std::find_if(kAll.begin(), kAll.end(),
                                  [&](Isolation level) { return name_of(level) == words; });
  if (found == kAll.end()) return std::nullopt;
  return *found;
}

std::span<const Isolation> levels_of(Product product) {
  const std::span<const Isolation> all(kAll);
  switch (product) {
    case Product::postgresql:
      return all.subspan(1);
    case Product::sqlite:
      return all.subspan(3);
    case Product::mysql:
    case Product::mariadb:
    case Product::simulated:
      break;
  }
  return all;
}

bool offers(Product product, Isolation level) {
  const auto levels = levels_of(product);
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

std::string level_names_of(Product product) { return names_of(levels_of(product)); }

std::string names_of(std::span<const Isolation> levels) {
  std::string names;
  for (const Isolation level : levels) {
    if (!names.empty()) names += ", ";
    names += name_of(level);
  }
  return names;
}

}  // namespace hilsa
