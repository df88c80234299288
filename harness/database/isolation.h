// Isolation levels as a transaction asks for them, and the products that offer them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hilsa {

enum class Product { postgresql, mysql, mariadb, sqlite, simulated };
inline constexpr std::size_t kProductCount = 5;
// `postgresql`, `mysql`, …: as in histories and JSON.
std::string_view name_of(Product product);
// `PostgreSQL`, `MySQL`, …: as in sentences.
std::string_view title_of(Product product);

enum class Isolation { read_uncommitted, read_committed, repeatable_read, serializable };
// In words, lower case: `read committed`.
std::string_view name_of(Isolation level);
// As in SQL: `READ COMMITTED`.
std::string_view sql_of(Isolation level);
// Accepts `read committed`, `read-committed` and `read_committed`, in any case.
std::optional<Isolation> isolation_named(std::string_view name);

// The levels that a product really has, weakest first. PostgreSQL accepts READ UNCOMMITTED but runs
// READ COMMITTED, so it is not listed. SQLite's transactions are serializable; it has read
// uncommitted only between connections that share one cache (Traits::shared_cache). A simulated
// database has them all; which of them a plain BEGIN gets, its URL says.
std::span<const Isolation> levels_of(Product product);
bool offers(Product product, Isolation level);
// `read committed, repeatable read, serializable`.
std::string names_of(std::span<const Isolation> levels);
std::string level_names_of(Product product);

}  // namespace hilsa
