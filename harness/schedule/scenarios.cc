#include "harness/schedule/scenarios.h"

#include <array>

namespace hilsa {
namespace {

const Table kRows{.name = "cells", .columns = {{"id"}, {"run"}, {"value"}}, .indexed = {"run"}};

const Statement kRead = read_row(kRows, {"value"});
const Statement kWrite = update_row(kRows, {set("value", param(1))});
const Statement kInsert = insert_row(kRows);
const Statement kFind =
    read_rows(kRows, {"value"}, {equal("run", param(0)), equal("value", param(1))});
const Statement kFindAbove =
    read_rows(kRows, {"value"}, {equal("run", param(0)), at_least("value", param(1))});
const Statement kAddToAll = update_rows(kRows, {add("value", param(1))}, {equal("run", param(0))});
const Statement kEraseWhere = erase_rows(kRows, {equal("run", param(0)), equal("value", param(1))});

using Step = ScenarioStep;

Step begin(int client) { return {client, Step::Kind::begin}; }
Step commits(int client) { return {client, Step::Kind::commit}; }
Step rolls_back(int client) { return {client, Step::Kind::rollback}; }

template <int Row>
Step reads(int client) {
  return {client, Step::Kind::act,
          [](Transaction& txn, std::int64_t first) { txn.find(kRead, {first + Row}); }};
}
template <int Row, int Value>
Step writes(int client) {
  return {client, Step::Kind::act, [](Transaction& txn, std::int64_t first) {
            txn.update(kWrite, {first + Row, std::int64_t{Value}});
          }};
}
template <int Row, int Value>
Step inserts(int client) {
  return {client, Step::Kind::act, [](Transaction& txn, std::int64_t first) {
            txn.insert(kInsert, {first + Row, first, std::int64_t{Value}});
          }};
}
template <int Value>
Step finds(int client) {
  return {client, Step::Kind::act, [](Transaction& txn, std::int64_t first) {
            txn.select(kFind, {first, std::int64_t{Value}});
          }};
}
template <int Value>
Step finds_above(int client) {
  return {client, Step::Kind::act, [](Transaction& txn, std::int64_t first) {
            txn.select(kFindAbove, {first, std::int64_t{Value}});
          }};
}
Step adds_ten_to_all(int client) {
  return {client, Step::Kind::act, [](Transaction& txn, std::int64_t first) {
            txn.update(kAddToAll, {first, std::int64_t{10}});
          }};
}
template <int Value>
Step erases(int client) {
  return {client, Step::Kind::act, [](Transaction& txn, std::int64_t first) {
            txn.erase(kEraseWhere, {first, std::int64_t{Value}});
          }};
}

// What is written, and what is read of it.
std::vector<Scenario> of_writes() {
  return {
      {Phenomenon::g0,
       "two writers of two rows",
       true,
       {begin(1), begin(2), writes<1, 11>(1), writes<1, 12>(2), writes<2, 21>(1), commits(1),
        writes<2, 22>(2), commits(2)}},
      {Phenomenon::g1a,
       "read of what is rolled back",
       false,
       {begin(1), begin(2), writes<1, 101>(1), reads<1>(2), rolls_back(1), reads<1>(2),
        commits(2)}},
      {Phenomenon::g1b,
       "read of what its writer overwrites",
       false,
       {begin(1), begin(2), writes<1, 101>(1), reads<1>(2), writes<1, 11>(1), commits(1),
        reads<1>(2), commits(2)}},
      {Phenomenon::g1c,
       "each reads the other's write",
       false,
       {begin(1), begin(2), writes<1, 11>(1), writes<2, 22>(2), reads<2>(1), reads<1>(2),
        commits(1), commits(2)}},
      {Phenomenon::otv,
       "a write that is seen, and then not",
       false,
       {begin(1), begin(2), begin(3), writes<1, 11>(1), writes<2, 19>(1), writes<1, 12>(2),
        commits(1), reads<1>(3), reads<2>(3), writes<2, 18>(2), reads<2>(3), reads<1>(3),
        commits(2), reads<2>(3), reads<1>(3), commits(3)}},
      // Where there is never more than one writer.
      {Phenomenon::otv,
       "a reader between two writes of one transaction",
       false,
       {begin(1), begin(2), writes<1, 11>(1), reads<1>(2), reads<2>(2), writes<2, 19>(1),
        commits(1), commits(2)}},
  };
}

std::vector<Scenario> of_searches() {
  return {
      {Phenomenon::pmp,
       "a row appears between two searches",
       false,
       {begin(1), begin(2), finds<30>(1), inserts<3, 30>(2), commits(2), finds_above<30>(1),
        commits(1)}},
      {Phenomenon::pmp,
       "a search, then a delete by the same predicate",
       true,
       {begin(1), begin(2), adds_ten_to_all(1), finds<20>(2), erases<20>(2), commits(1),
        finds<20>(2), commits(2)}},
  };
}

// What is read, and what is written after that.
std::vector<Scenario> of_reads_and_writes() {
  return {
      {Phenomenon::p4,
       "both read, both write",
       true,
       {begin(1), begin(2), reads<1>(1), reads<1>(2), writes<1, 11>(1), writes<1, 12>(2),
        commits(1), commits(2)}},
      // Where the second would not wait for the first, but be refused.
      {Phenomenon::p4,
       "both read, one writes after the other's commit",
       true,
       {begin(1), begin(2), reads<1>(1), reads<1>(2), writes<1, 11>(1), commits(1),
        writes<1, 12>(2), commits(2)}},
      {Phenomenon::g_single,
       "two rows, read before and after a commit",
       false,
       {begin(1), begin(2), reads<1>(1), reads<1>(2), reads<2>(2), writes<1, 12>(2),
        writes<2, 18>(2), commits(2), reads<2>(1), commits(1)}},
      {Phenomenon::g_single,
       "two searches, before and after a commit",
       false,
       {begin(1), begin(2), finds_above<30>(1), writes<1, 30>(2), writes<2, 18>(2), commits(2),
        reads<2>(1), commits(1)}},
      {Phenomenon::g_single,
       "a row read, another written after a commit",
       true,
       {begin(1), begin(2), reads<1>(1), reads<1>(2), reads<2>(2), writes<1, 12>(2),
        writes<2, 18>(2), commits(2), erases<18>(1), commits(1)}},
      {Phenomenon::g2_item,
       "both read both rows, each writes one",
       true,
       {begin(1), begin(2), reads<1>(1), reads<2>(1), reads<1>(2), reads<2>(2), writes<1, 11>(1),
        writes<2, 21>(2), commits(1), commits(2)}},
      {Phenomenon::g2_item,
       "a reader sees the second, who did not see the first",
       false,
       {begin(1), begin(2), begin(3), reads<1>(1), reads<2>(1), reads<2>(2), writes<2, 25>(2),
        commits(2), reads<1>(3), reads<2>(3), commits(3), writes<1, 0>(1), commits(1)}},
      {Phenomenon::g2,
       "both search, both insert",
       true,
       {begin(1), begin(2), finds_above<30>(1), finds_above<30>(2), inserts<3, 30>(1),
        inserts<4, 42>(2), commits(1), commits(2)}},
      {Phenomenon::g2,
       "both search, one inserts after the other's commit",
       true,
       {begin(1), begin(2), finds_above<30>(1), finds_above<30>(2), inserts<3, 30>(1), commits(1),
        inserts<4, 42>(2), commits(2)}},
  };
}

std::vector<Scenario> make_scenarios() {
  std::vector<Scenario> all = of_writes();
  for (auto make : {of_searches, of_reads_and_writes}) {
    for (Scenario& scenario : make()) all.push_back(std::move(scenario));
  }
  return all;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, kPhenomenonCount> kNames = {{
    {"G0", "dirty write"},
    {"G1a", "dirty read"},
    {"G1b", "intermediate read"},
    {"G1c", "circular information flow"},
    {"OTV", "observed transaction vanishes"},
    {"PMP", "predicate-many-preceders"},
    {"P4", "lost update"},
    {"G-single", "read skew"},
    {"G2-item", "write skew"},
    {"G2", "phantom"},
}};

}  // namespace

std::string_view name_of(Phenomenon cell) { return kNames[static_cast<std::size_t>(cell)].first; }
std::string_view common_name_of(Phenomenon cell) {
  return kNames[static_cast<std::size_t>(cell)].second;
}

std::span<const Scenario> all_scenarios() {
  static const std::vector<Scenario> kAll = make_scenarios();
  return kAll;
}

const Table& scenario_table() { return kRows; }

void set_up_scenario(Transaction& txn, std::int64_t first) {
  txn.insert(kInsert, {first + 1, first, std::int64_t{10}});
  txn.insert(kInsert, {first + 2, first, std::int64_t{20}});
}

}  // namespace hilsa
