#include "checkers/level_decider.h"

#include <algorithm>
#include <array>

#include "checkers/levels.h"
#include "checkers/rules.h"
#include "checkers/search.h"

namespace hilsa {
namespace {

std::size_t place_of(const LevelForm& level) {
  const auto all = all_levels();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), level) - all.begin());
}

}  // namespace

LevelDecider::LevelDecider(const Material& material)
    : material_(material), components_(material.core), results_(all_levels().size()) {}

std::optional<Validity> LevelDecider::result(const LevelForm& level) const {
  return results_[place_of(level)];
}

bool LevelDecider::decidable(const LevelForm& level) const {
  if (level.form == Needs::session) return material_.has_sessions || material_.has_times;
  if (level.form == Needs::realtime) return material_.has_times;
  return true;
}

void LevelDecider::decide_all() {
  constexpr std::array kOrder = {Level::serializable,          Level::snapshot_isolation,
                                 Level::repeatable_read,       Level::consistent_view,
                                 Level::read_committed,        Level::read_atomic,
                                 Level::monotonic_atomic_view, Level::read_uncommitted};
  decide({Level::serializable, Needs::realtime});
  for (const Level level : kOrder) {
    for (const Needs form : {Needs::data, Needs::realtime, Needs::session}) {
      if (level == Level::read_uncommitted && form != Needs::data) continue;
      decide({level, form});
    }
  }
  // A weaker level may have failed without a search where that of a stronger one was cut off.
  for (const LevelForm& level : all_levels()) {
    if (result(level) != Validity::unknown) continue;
    results_[place_of(level)] = implied(level).value_or(Validity::unknown);
  }
}

void LevelDecider::decide(const LevelForm& level) {
  if (!decidable(level) || result(level)) return;
  const std::optional<Validity> known = implied(level);
  results_[place_of(level)] = known ? *known : test(level);
}

std::optional<Validity> LevelDecider::implied(const LevelForm& level) const {
  const auto all = all_levels();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (results_[i] == Validity::valid && implies(all[i], level)) return Validity::valid;
    if (results_[i] == Validity::invalid && implies(level, all[i])) return Validity::invalid;
  }
  return std::nullopt;
}

Validity LevelDecider::test(const LevelForm& level) {
  for (const AnomalyClass anomaly : kFindingClasses) {
    if (anomaly == AnomalyClass::p4 || !material_.findings.any(anomaly)) continue;
    if (implies(level, {ruled_out_by(anomaly), Needs::data})) return Validity::invalid;
  }
  if (!known_dependencies_hold(level)) return Validity::invalid;
  const bool of_reads =
      level.level == Level::monotonic_atomic_view || level.level == Level::read_atomic;
  if (material_.form == Form::registers && of_reads) return registers_keep_atomicity(level);
  return choices_hold(level);
}

bool LevelDecider::known_dependencies_hold(const LevelForm& level) {
  if (material_.core.original.empty()) return true;
  const auto acyclic = [&](KindMask kinds, bool lifted) {
    return components_.is_acyclic(static_cast<KindMask>(kinds | order_kinds(level.form)), lifted);
  };
  switch (level.level) {
    case Level::read_uncommitted:
      return acyclic(kWriteDependencies, false);
    case Level::read_committed:
    case Level::monotonic_atomic_view:
    case Level::read_atomic:
      return acyclic(kDependencies, false);
    case Level::consistent_view:
      return acyclic(kDependencies, false) &&
             hunted(AnomalyClass::g_single, level.form).components == 0;
    case Level::repeatable_read:
      return acyclic(kDependencies | kItemAnti, false);
    case Level::snapshot_isolation:
      return acyclic(kDependencies | kAnti, true);
    case Level::serializable:
      break;
  }
  // The core is what is on cycles when everything counts.
  return level.form != Needs::realtime && acyclic(kDependencies | kAnti, false);
}

const Hunted& LevelDecider::hunted(AnomalyClass anomaly, Needs needs) {
  const auto [at, is_new] = hunted_.try_emplace({anomaly, needs});
  if (is_new) at->second = hunt(components_, anomaly, needs, material_.evidence);
  return at->second;
}

// Whoever saw a part of a transaction's writes saw all of them, in some order of all writes: the
// orders that this demands, together with the dependencies, must have no cycle. Any order of the
// writes that are left follows.
Validity LevelDecider::registers_keep_atomicity(const LevelForm& level) {
  const bool atomic = level.level == Level::read_atomic;
  const std::vector<Edge>& demanded = atomic ? material_.registers.demanded_by_read_atomic
                                             : material_.registers.demanded_by_monotonic_view;
  const KindMask kinds = kDependencies | order_kinds(level.form);
  const View known{&material_.graph, kinds,
                   level.form == Needs::realtime && material_.graph.time().nodes() > 0, false};
  std::vector<Edge> edges = demanded;
  const std::vector<Edge> more = edges_of(known);
  edges.insert(edges.end(), more.begin(), more.end());
  Core core;
  core.graph = Graph(known.nodes(), edges, {});
  for (std::uint32_t node = 0; node < known.nodes(); ++node) {
    core.original.push_back(material_.graph.is_transaction(node) ? node : kNone);
  }
  CoreComponents components(core);
  if (components.is_acyclic(kinds, false)) return Validity::valid;
  Hunted hunted = hunt(components, AnomalyClass::g1c, level.form, 1);
  // Demands may contradict each other without any read between them in the cycle.
  if (hunted.shortest.empty()) hunted = hunt(components, AnomalyClass::g0, level.form, 1);
  if (!hunted.shortest.empty()) {
    torn_.push_back({level, demanded, std::move(hunted.shortest.front())});
  }
  return Validity::invalid;
}

Validity LevelDecider::choices_hold(const LevelForm& level) {
  if (material_.too_many_choices) return Validity::unknown;
  if (material_.found.choices.size() == 0 || level.level == Level::read_uncommitted) {
    return Validity::valid;
  }
  // What is open of lists is the order of appends that nobody has read. Where just cycles of any
  // kind are forbidden, it may follow the order of everything else.
  const bool is_about_anti =
      level.level == Level::snapshot_isolation || level.level == Level::consistent_view;
  if (material_.form == Form::lists && !is_about_anti) return Validity::valid;
  SearchOutcome outcome =
      search(material_.graph, material_.found.choices, level, material_.search_steps);
  steps_ += outcome.steps;
  if (outcome.validity == Validity::invalid) searched_.push_back({level, outcome.core});
  return outcome.validity;
}

}  // namespace hilsa
