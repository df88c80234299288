// The isolation anomalies as scripts of two or three transactions each, after Kleppmann's Hermitage
// (github.com/ept/hermitage), which has them from Adya's thesis and Bailis et al.: whoever commits
// all of one without an error, and whose history a checker then finds guilty, lets it through.
//
// All are about rows of one table, `run` telling one scenario's rows from another's; at first there
// are two, with values 10 and 20.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "workloads/table/transaction.h"

namespace hilsa {

// The columns of the table that `matrix` prints.
enum class Phenomenon { g0, g1a, g1b, g1c, otv, pmp, p4, g_single, g2_item, g2 };
inline constexpr std::size_t kPhenomenonCount = static_cast<std::size_t>(Phenomenon::g2) + 1;
std::string_view name_of(Phenomenon phenomenon);         // `G-single`
std::string_view common_name_of(Phenomenon phenomenon);  // `read skew`

// The keys of a scenario's rows are first + 1, first + 2 …; `run` is first as well.
struct ScenarioStep {
  int client = 1;  // 1 to 3
  enum class Kind { begin, commit, rollback, act } kind = Kind::act;
  void (*act)(Transaction& txn, std::int64_t first) = nullptr;
};

struct Scenario {
  Phenomenon phenomenon;
  std::string_view name;  // `predicate, then delete`
  // Somebody writes on the ground of what it has seen; elsewhere the victims only read.
  bool victim_writes = false;
  std::vector<ScenarioStep> steps;
};

std::span<const Scenario> all_scenarios();
const Table& scenario_table();
// Inserts the two rows.
void set_up_scenario(Transaction& txn, std::int64_t first);

}  // namespace hilsa
