// What an edge of the graph is about: the object, and each side's operation on it. The graph does
// not keep that; it is found again, for the few edges that get into evidence.
#pragma once

#include "checkers/dependencies.h"
#include "checkers/graph.h"
#include "checkers/verdict.h"
#include "checkers/versions.h"

namespace hilsa {

class Details {
 public:
  // All of it outlives this.
  Details(const History& history, const Versions& versions, const Dependencies& dependencies)
      : history_(history), versions_(versions), dependencies_(dependencies) {}

  EvidenceEdge of(const Edge& edge) const;

 private:
  bool find_ww(EvidenceEdge& edge) const;
  bool find_wr(EvidenceEdge& edge) const;
  bool find_rw(EvidenceEdge& edge) const;
  bool find_predicate(EvidenceEdge& edge) const;
  bool find_register(EvidenceEdge& edge) const;
  bool find_in_choices(EvidenceEdge& edge) const;
  OpIndex write_of(TxnIndex txn, ObjectIndex object) const;
  OpIndex read_of(TxnIndex txn, ObjectIndex object) const;

  const History& history_;
  const Versions& versions_;
  const Dependencies& dependencies_;
};

}  // namespace hilsa
