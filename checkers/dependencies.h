// From versions to dependencies between committed transactions: those that are known, and those
// with more than one explanation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkers/graph.h"
#include "checkers/predicate_bounds.h"
#include "checkers/versions.h"
#include "harness/history/history.h"

namespace hilsa {

// Choices, each with alternatives, each with edges; flat. An alternative without edges is possible.
struct Choices {
  std::vector<std::uint32_t> first_alternative{0};  // by choice, and one more
  std::vector<std::uint32_t> first_edge{0};         // by alternative, and one more
  std::vector<Edge> edges;
  std::vector<OpIndex> about;       // by choice: the operation that has several explanations
  std::vector<ObjectIndex> object;  // by choice: what of

  std::size_t size() const { return about.size(); }
  std::uint32_t alternatives_of(std::size_t choice) const {
    return first_alternative[choice + 1] - first_alternative[choice];
  }
  std::span<const Edge> edges_of(std::size_t choice, std::uint32_t alternative) const {
    const std::uint32_t at = first_alternative[choice] + alternative;
    return std::span(edges).subspan(first_edge[at], first_edge[at + 1] - first_edge[at]);
  }
  // Build with: edges.push_back()…, end_alternative(), … end_choice().
  void end_alternative() { first_edge.push_back(static_cast<std::uint32_t>(edges.size())); }
  void end_choice(OpIndex op, ObjectIndex of) {
    first_alternative.push_back(static_cast<std::uint32_t>(first_edge.size() - 1));
    about.push_back(op);
    object.push_back(of);
  }
  // Drops all but the first ones.
  void keep(std::size_t count) {
    about.resize(count);
    object.resize(count);
    first_alternative.resize(count + 1);
    first_edge.resize(first_alternative.back() + 1);
    edges.resize(first_edge.back());
  }
};

// What a transaction saw of an object without reading it: a predicate read did not return it, so it
// was at a place from `lowest` to `highest`. Only where that says something, and is certain.
struct Miss {
  TxnIndex txn;
  OpIndex op;
  ObjectIndex object;
  Place lowest;
  Place highest;
  Place next;  // the next version, which it would have returned; kNone: there is none, or its own
};

struct Dependencies {
  std::vector<Edge> known;
  Choices choices;
  std::vector<Miss> misses;        // in the order of operations
  std::vector<std::string> notes;  // what was left out, in words

  // What was there at a moment, to come back to it.
  struct Mark {
    std::size_t known;
    std::size_t misses;
    std::size_t choices;
  };
  Mark mark() const { return {known.size(), misses.size(), choices.size()}; }
  void return_to(const Mark& mark) {
    known.resize(mark.known);
    misses.resize(mark.misses);
    choices.keep(mark.choices);
  }
};

// Reads that saw either the state before all writes or the last deletion.
void add_absent_or_gone(const History& history, const Versions& versions, Dependencies& found);

// Predicate dependencies, by evaluating every predicate on every version of every row that may meet
// it: for a row that a predicate read did not return, the reader saw one of the versions that do
// not match. Where they form one run, the edges to its ends are known; several are a choice.
// Versions that their own writer overwrote are left out (committed states do not have them), and so
// is what was written only after the read had ended, and what the reader itself wrote later.
// Past the bounds, rows that met the predicate only long before or long after the reader's
// transaction are left out, and a note says so. Never adds what is not certain.
void add_predicate_dependencies(const History& history, const Versions& versions,
                                Findings& findings, Dependencies& found,
                                const PredicateBounds& bounds = {});

// The order among committed appends that nobody has read: a choice for each two of one list.
void add_unread_order(const Versions& versions, Dependencies& found);

}  // namespace hilsa
