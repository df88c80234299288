// Which levels a history satisfies, each in each of its forms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/dependencies.h"
#include "checkers/graph.h"
#include "checkers/hunt.h"
#include "checkers/register_dependencies.h"
#include "checkers/verdict.h"
#include "checkers/versions.h"

namespace hilsa {

// What there is to decide on. All of it outlives the decider.
struct Material {
  Form form = Form::stamped;
  const Findings& findings;
  const Dependencies& found;  // its choices; what is known is in the graph
  const RegisterWrites& registers;
  const Graph& graph;
  const Core& core;
  bool has_sessions = false;
  bool has_times = false;
  bool too_many_choices = false;  // to make them: what depends on them is not known
  int evidence = 1;
  std::int64_t search_steps = 0;  // at most, for each level
};

class LevelDecider {
 public:
  explicit LevelDecider(const Material& material);

  // Strongest first where that is cheap to decide, so that one answer settles many.
  void decide_all();

  // Nothing: the history does not tell sessions, or times.
  std::optional<Validity> result(const LevelForm& level) const;
  bool decidable(const LevelForm& level) const;
  // The hunt for a class of cycles, made once.
  const Hunted& hunted(AnomalyClass anomaly, Needs needs);
  std::int64_t steps() const { return steps_; }

  // Levels that fail under every choice, although what is known would allow them.
  struct Searched {
    LevelForm level;
    std::vector<std::uint32_t> core;
  };
  const std::vector<Searched>& searched() const { return searched_; }
  // Registers: levels that fail since somebody saw a part of a transaction in every order of
  // writes.
  struct Torn {
    LevelForm level;
    std::vector<Edge> demanded;
    Cycle cycle;
  };
  const std::vector<Torn>& torn() const { return torn_; }

 private:
  void decide(const LevelForm& level);
  // What the results of other levels say about this one, if anything.
  std::optional<Validity> implied(const LevelForm& level) const;
  Validity test(const LevelForm& level);
  bool known_dependencies_hold(const LevelForm& level);
  Validity registers_keep_atomicity(const LevelForm& level);
  Validity choices_hold(const LevelForm& level);

  Material material_;
  CoreComponents components_;
  std::vector<std::optional<Validity>> results_;  // by place in all_levels()
  std::map<std::pair<AnomalyClass, Needs>, Hunted> hunted_;
  std::vector<Searched> searched_;
  std::vector<Torn> torn_;
  std::int64_t steps_ = 0;
};

}  // namespace hilsa
