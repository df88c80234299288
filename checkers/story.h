// The telling of one piece of evidence: what happened, sentence by sentence, up to the
// contradiction.
#pragma once

#include <string>
#include <vector>

#include "checkers/phrases.h"
#include "checkers/verdict.h"

namespace hilsa {

// What an anomaly of the class is, in one clause.
std::string_view meaning_of(AnomalyClass anomaly, Needs needs);

// The cycle as it is best told: a cycle that has dependencies of both kinds begins with the first
// anti-dependency that follows another kind.
std::vector<EvidenceEdge> in_telling_order(const std::vector<EvidenceEdge>& cycle);

// The sentences, one each, the contradiction last; without the scope.
std::vector<std::string> tell(const History& history, const Phrases& phrases,
                              const Anomaly& anomaly, const Evidence& evidence);

}  // namespace hilsa
