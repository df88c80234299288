// An anomaly as it is shown: what it is, its story in sentences, its transactions side by side, and
// its cycle; plain data, so that every report (terminal, HTML, JUnit, Markdown, JSON) draws from
// the same. All texts are as they came from the history, made printable, not escaped for any
// format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkers/verdict.h"
#include "harness/history/history.h"

namespace hilsa {

// Transactions side by side, in steps from top to bottom.
//
//     T12              T15
//     SELECT …                        place 0
//                      SELECT …             1
//     UPDATE …                              2
//                      UPDATE … ┐           3    sent 3, answered 4: it waited,
//     COMMIT                    ┘           4    until T12 had committed
struct ShownTimeline {
  struct Lane {
    std::string name;   // `T12`, `client 1`
    std::string about;  // `client 3`; may be empty
    std::string end;    // `committed`, `rolled back: deadlock`; may be empty
    bool failed = false;
  };
  struct Step {
    int lane = 0;
    std::string what;    // its SQL, or what it did; never empty
    std::string answer;  // `stock 1`, `products/1 version 3: stock 1`; may be empty
    bool failed = false;
    bool waited = false;  // others went on before it was answered
    int sent = 0;         // its place among all steps' places, from 0
    int answered = 0;     // likewise; sent, or later
    // Since the first step; none: not known.
    std::optional<Nanoseconds> at;
    std::optional<Nanoseconds> took;
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<Lane> lanes;
  std::vector<Step> steps;  // in the order of `sent`; within a lane they never overlap
  // How many places there are.
  int places() const;
};

struct ShownEdge {
  int from = 0;  // lanes of the timeline
  int to = 0;
  std::string kind;   // `rw`, `predicate rw`, `waits for`
  std::string about;  // `products/1`; may be empty
  bool inferred = false;
};

struct ShownAnomaly {
  std::string anomaly;  // its class: `P4`
  std::string name;     // as people call it: `lost update`
  std::string meaning;  // what such an anomaly is, in one clause
  std::int64_t count = 0;
  std::vector<std::string> sentences;  // its story; the contradiction last
  std::vector<ShownEdge> cycle;        // empty: it is none
  ShownTimeline timeline;
  std::string text;  // all of it for a terminal, as `hilsa check` prints it
};

// Of more transactions than this no steps are shown: the story and the cycle have to do.
inline constexpr std::size_t kLanesMax = 8;

// One piece of evidence.
ShownAnomaly to_shown(const History& history, const Anomaly& anomaly, const Evidence& evidence);

// The shortest evidence of every class that was found, in the order in which to tell them.
std::vector<ShownAnomaly> shown_anomalies(const History& history, const Verdict& verdict);

}  // namespace hilsa
