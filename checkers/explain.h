// Evidence in words and pictures.
#pragma once

#include <string>
#include <vector>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

// One edge as a sentence: `T12 read version 3 of products/1 (stock 1); T15 then wrote version 4`.
std::string sentence_of(const History& history, const EvidenceEdge& edge);

// The whole story of one piece of evidence: the class and its common name, its cycle (or its
// operations) as sentences that end in the contradiction, and then the timeline of exactly these
// transactions, statement by statement in time order, with their SQL.
std::string explain(const History& history, const Anomaly& anomaly, const Evidence& evidence);

// The cycle as a Graphviz digraph; the transactions as nodes with their operations, the edges with
// their kinds and objects. Every text from outside is escaped.
std::string to_dot(const History& history, const Anomaly& anomaly, const Evidence& evidence);

}  // namespace hilsa
