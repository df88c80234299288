// Which versions of which rows meet a history's predicates. Cost: every distinct predicate is
// evaluated on the versions of the rows that it may concern; rows that cannot meet one of its
// equalities are never looked at. Kept are changes, not versions: a row that met a predicate for a
// while takes some 70 bytes for it, however long its life.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "checkers/versions.h"
#include "harness/history/history.h"

namespace hilsa {

// Whether a version of a row meets a predicate. `maybe`: its values are not all known, or depend on
// how the database compares texts.
enum class Match : std::uint8_t { no, maybe, yes };

class RowMatches {
 public:
  // Versions that do not surely meet the predicate, one after the other, and the one behind them
  // that does. Versions that their own writer overwrote do not count.
  struct Stretch {
    Place lowest;
    Place highest;
    Place next;  // kNone: there is none
  };
  // How all versions from `from` up to the next change meet the predicate.
  struct Change {
    Place from;
    Match match;
  };
  // A row that surely meets the predicate in at least one version.
  struct Row {
    ObjectIndex object;
    std::uint32_t first_change;
    std::uint32_t changes;
    std::uint32_t first_stretch;
    std::uint32_t stretches;
  };

  // `history` and `versions` must outlive this.
  RowMatches(const History& history, const Versions& versions);

  // In the order of objects.
  std::span<const Row> rows(std::size_t predicate) const { return rows_[predicate]; }
  // In the order of places; the first one from place 0: the state before all writes meets nothing
  // for certain.
  std::span<const Stretch> stretches(const Row& row) const {
    return std::span(stretches_).subspan(row.first_stretch, row.stretches);
  }
  std::span<const Change> changes(const Row& row) const {
    return std::span(changes_).subspan(row.first_change, row.changes);
  }
  Match at(const Row& row, Place place) const;
  // Of any row and version, counted from 1.
  Match at(std::size_t predicate, ObjectIndex object, Place place);
  // Whether the version's own writer overwrote it.
  bool is_intermediate(ObjectIndex object, Place place) const {
    return place > 0 && place < versions_.last_place(object) &&
           versions_.writer_at(object, place) == versions_.writer_at(object, place + 1);
  }

 private:
  struct Equality {
    std::uint32_t table;
    std::uint16_t column;
    std::int64_t bits;
    friend bool operator==(const Equality&, const Equality&) = default;
  };
  struct EqualityHash {
    std::size_t operator()(const Equality& equality) const {
      std::uint64_t hash = static_cast<std::uint64_t>(equality.bits) * 0x9e3779b97f4a7c15ULL;
      hash ^= (std::uint64_t{equality.table} << 40) ^ (std::uint64_t{equality.column} << 24);
      return static_cast<std::size_t>(hash ^ (hash >> 31));
    }
  };
  // A row's values in one version; nothing: not known.
  struct Values {
    bool exists = false;
    bool surely = true;  // that it exists, or not
    std::vector<std::optional<Scalar>> columns;
  };

  void index_predicates();
  void note_unplaced_writes();
  void evaluate(ObjectIndex object);
  void replay(ObjectIndex object);
  void apply(const Cell& cell, Values& values) const;
  Match match(const BoundPredicate& predicate, const Values& values) const;
  void append_changes(std::size_t predicate, std::vector<Change>& changes) const;
  void try_on(std::uint32_t predicate, ObjectIndex object);
  void add_stretches(ObjectIndex object, std::size_t first_change);

  const History& history_;
  const Versions& versions_;
  std::unordered_map<Equality, std::vector<std::uint32_t>, EqualityHash> by_equality_;
  std::vector<std::vector<std::uint32_t>> unindexed_;        // by table: predicates
  std::vector<std::vector<std::uint16_t>> indexed_columns_;  // by table
  std::unordered_set<ObjectIndex> unclear_;  // rows with writes whose versions are not known
  std::vector<std::vector<Row>> rows_;       // by predicate, in the order of objects
  std::vector<Change> changes_;
  std::vector<Stretch> stretches_;
  // Rows that meet a predicate perhaps, or never, and were asked for: by predicate and object.
  std::unordered_map<std::uint64_t, std::vector<Change>> others_;
  std::vector<ObjectIndex> tried_for_;  // by predicate: the object that it was tried on last
  std::vector<Values> replayed_;        // of the object at hand, by place
};

}  // namespace hilsa
