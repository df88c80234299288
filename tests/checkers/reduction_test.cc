// What a history says, put as a polygraph, is possible exactly if the definition holds: the theory
// that the checker rests on (serializable: no cycle; snapshot isolation: none in which anti edges
// are not next to each other), with solve() at work, against execution by brute force.
//
// Every read, and every row that a predicate read did not return, is a choice among the versions
// that the transaction may have seen there: it follows who made that version, and is followed by
// who made the next one. Only random_history() is understood: whole numbers, no outcome unknown.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "checkers/polygraph.h"
#include "tests/checkers/brute_force.h"
#include "tests/checkers/random_history.h"
#include "tests/checkers/tiny_history.h"
#include "tests/seeds.h"

namespace hilsa {
namespace {

struct RowVersion {
  TxnIndex maker = kNone;  // of version 0: nobody
  bool exists = false;
  std::map<std::uint16_t, std::int64_t> values;
};

class Reduction {
 public:
  explicit Reduction(const History& history)
      : history_(history), rows_(history.objects(), std::vector<RowVersion>(1)) {
    polygraph_.nodes = static_cast<std::uint32_t>(history.transactions());
    polygraph_.choice_first_alternative = {0};
    polygraph_.alternative_first_edge = {0};
    collect_versions();
    for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
      if (is_committed(txn)) read_all(txn);
    }
  }

  bool is_possible(Forbidden forbidden, Needs form) const {
    if (!is_explained_) return false;
    Polygraph whole = polygraph_;
    for (TxnIndex first = 0; first < history_.transactions(); ++first) {
      for (TxnIndex then = 0; then < history_.transactions(); ++then) {
        if (is_committed(first) && is_committed(then) && is_before(first, then, form)) {
          whole.known.push_back({first, then, false});
        }
      }
    }
    return solve(whole, forbidden, 1'000'000).answer == PolygraphResult::Answer::possible;
  }

 private:
  using Fits = std::function<bool(Version, const RowVersion&)>;

  bool is_committed(TxnIndex txn) const {
    return history_.txn_flags[txn].outcome == AttemptOutcome::committed;
  }

  bool is_before(TxnIndex first, TxnIndex then, Needs form) const {
    if (form == Needs::session) {
      return first < then && history_.txn_client[first] == history_.txn_client[then];
    }
    return form == Needs::realtime && history_.txn_end[first] < history_.txn_begin[then];
  }

  void collect_versions() {
    std::vector<std::map<Version, OpIndex>> writes(history_.objects());
    for (OpIndex op = 0; op < history_.operations(); ++op) {
      if (!is_stamped_write(history_.op_kind[op]) || !is_committed(history_.txn_of(op))) continue;
      writes[history_.op_object[op]][history_.op_number[op]] = op;
    }
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      for (const auto& [version, op] : writes[object]) {
        RowVersion made = rows_[object].back();
        const TxnIndex previous = made.maker;
        made.maker = history_.txn_of(op);
        made.exists = history_.op_kind[op] != Op::erase;
        for (const Cell& cell : history_.cells_of(op)) {
          const std::int64_t by = history_.scalars.integer_of(cell.value);
          std::int64_t& value = made.values[cell.column];
          if (cell.change == ChangeKind::set) value = 0;
          value += cell.change == ChangeKind::subtract ? -by : by;
        }
        rows_[object].push_back(made);
        if (previous != kNone) polygraph_.known.push_back({previous, made.maker, false});
      }
    }
  }

  void read_all(TxnIndex txn) {
    std::map<ObjectIndex, Version> own;
    for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
      const Op kind = history_.op_kind[op];
      if (is_stamped_write(kind)) own[history_.op_object[op]] = history_.op_number[op];
      if (kind == Op::read) {
        see(txn, history_.op_object[op], own, recorded_as(op));
      } else if (kind == Op::predicate_read) {
        read_where(txn, op, own);
      }
    }
  }

  // The row as this operation saw it.
  Fits recorded_as(OpIndex op) const {
    return [this, op](Version version, const RowVersion& row) {
      if (history_.op_number[op] == kUnborn) return !row.exists;
      const AttemptId writer = history_.op_writer[op];
      return row.exists && version == history_.op_number[op] &&
             (writer == 0 || writer == history_.txn_id[row.maker]);
    };
  }

  void read_where(TxnIndex txn, OpIndex read, const std::map<ObjectIndex, Version>& own) {
    const auto number = static_cast<std::size_t>(history_.op_number[read]);
    const BoundPredicate& predicate = history_.predicates[number];
    const auto matches = [&](const RowVersion& row) {
      return row.exists && std::all_of(predicate.comparisons.begin(), predicate.comparisons.end(),
                                       [&](const BoundComparison& each) {
                                         return history_.scalars.matches(
                                             Scalar::small_integer(row.values.at(each.column)),
                                             each.comparator, each.value);
                                       });
    };
    std::map<ObjectIndex, OpIndex> returned;
    for (OpIndex op = read + 1; op < history_.operations() && history_.op_kind[op] == Op::seen_row;
         ++op) {
      returned[history_.op_object[op]] = op;
    }
    for (ObjectIndex object = 0; object < history_.objects(); ++object) {
      if (history_.object_table[object] != predicate.table) continue;
      const auto row = returned.find(object);
      if (row == returned.end()) {
        see(txn, object, own, [&](Version, const RowVersion& each) { return !matches(each); });
      } else {
        const Fits recorded = recorded_as(row->second);
        see(txn, object, own, [&](Version version, const RowVersion& each) {
          return matches(each) && recorded(version, each);
        });
      }
    }
  }

  // One choice: the versions of the row that fit.
  void see(TxnIndex txn, ObjectIndex object, const std::map<ObjectIndex, Version>& own,
           const Fits& fits) {
    const std::vector<RowVersion>& row = rows_[object];
    if (const auto written = own.find(object); written != own.end()) {
      const auto version = static_cast<std::size_t>(written->second);
      is_explained_ = is_explained_ && fits(written->second, row[version]);
      return;
    }
    bool any = false;
    for (std::size_t version = 0; version < row.size(); ++version) {
      const TxnIndex maker = row[version].maker;
      const TxnIndex next = version + 1 < row.size() ? row[version + 1].maker : kNone;
      // Nobody sees its own version before it has made it, nor what its maker went on to change.
      if (maker != kNone && (maker == txn || maker == next)) continue;
      if (!fits(static_cast<Version>(version), row[version])) continue;
      if (maker != kNone) polygraph_.edges.push_back({maker, txn, false});
      if (next != kNone) polygraph_.edges.push_back({txn, next, true});
      polygraph_.alternative_first_edge.push_back(
          static_cast<std::uint32_t>(polygraph_.edges.size()));
      any = true;
    }
    is_explained_ = is_explained_ && any;
    if (!any) return;
    polygraph_.choice_first_alternative.push_back(
        static_cast<std::uint32_t>(polygraph_.alternative_first_edge.size() - 1));
  }

  const History& history_;
  std::vector<std::vector<RowVersion>> rows_;
  Polygraph polygraph_;
  bool is_explained_ = true;
};

void expect_agreement(std::uint64_t seeds, const RandomHistoryOptions& options) {
  for (std::uint64_t seed = 0; seed < tests::seeds_to_try(seeds); ++seed) {
    const History history = random_history(seed, options);
    const Reduction reduction(history);
    for (const Needs form : {Needs::data, Needs::session, Needs::realtime}) {
      ASSERT_EQ(reduction.is_possible(Forbidden::all_cycles, form),
                serializable_by_definition(history, form))
          << "seed " << seed << "\n"
          << to_tiny_text(history);
      ASSERT_EQ(reduction.is_possible(Forbidden::nonadjacent_cycles, form),
                snapshot_isolated_by_definition(history, form))
          << "seed " << seed << "\n"
          << to_tiny_text(history);
    }
  }
}

TEST(Reduction, AgreesWithTheDefinitions) { expect_agreement(30'000, {}); }

TEST(Reduction, AgreesWithTheDefinitionsWithoutPredicates) {
  expect_agreement(10'000, {.predicates = false});
}

TEST(Reduction, AgreesWithTheDefinitionsWhereRowsFlip) {
  expect_agreement(10'000, {.rows_max = 1});
}

}  // namespace
}  // namespace hilsa
