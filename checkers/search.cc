#include "checkers/search.h"

#include <algorithm>
#include <limits>
#include <string>

#include "checkers/cycles.h"
#include "checkers/hunt.h"
#include "checkers/polygraph.h"

namespace hilsa {
namespace {

// Which edges matter at a level, and which cycles it forbids.
struct Rule {
  KindMask kinds;
  Forbidden forbidden;
  bool realtime;
};

Rule rule_of(LevelForm level) {
  const KindMask orders = order_kinds(level.form);
  const bool realtime = level.form == Needs::realtime;
  const auto with = [&](KindMask kinds, Forbidden forbidden) {
    return Rule{static_cast<KindMask>(kinds | orders), forbidden, realtime};
  };
  switch (level.level) {
    case Level::serializable:
      return with(kDependencies | kAnti, Forbidden::all_cycles);
    case Level::snapshot_isolation:
      return with(kDependencies | kAnti, Forbidden::nonadjacent_cycles);
    case Level::repeatable_read:
      return with(kDependencies | kItemAnti, Forbidden::all_cycles);
    case Level::consistent_view:
      return with(kDependencies | kAnti, Forbidden::single_anti_cycles);
    default:
      break;
  }
  return with(kDependencies, Forbidden::dependency_cycles);
}

PolyEdge poly(const Edge& edge) { return {edge.from, edge.to, is_anti(edge.kind)}; }

}  // namespace

SearchOutcome search(const Graph& graph, const Choices& choices, LevelForm level,
                     std::int64_t steps_max) {
  const Rule rule = rule_of(level);
  const View view{&graph, rule.kinds, rule.realtime && graph.time().nodes() > 0, false};
  Polygraph polygraph;
  polygraph.nodes = view.nodes();
  for (const Edge& edge : edges_of(view)) polygraph.known.push_back(poly(edge));
  polygraph.choice_first_alternative = choices.first_alternative;
  polygraph.alternative_first_edge.assign(1, 0);
  for (std::size_t i = 0; i + 1 < choices.first_edge.size(); ++i) {
    for (std::uint32_t at = choices.first_edge[i]; at < choices.first_edge[i + 1]; ++at) {
      const Edge& edge = choices.edges[at];
      if ((mask_of(edge.kind) & rule.kinds) != 0 && edge.from != edge.to) {
        polygraph.edges.push_back(poly(edge));
      }
    }
    polygraph.alternative_first_edge.push_back(static_cast<std::uint32_t>(polygraph.edges.size()));
  }
  PolygraphResult result = solve(polygraph, rule.forbidden, steps_max);
  SearchOutcome outcome{.steps = result.steps, .core = std::move(result.core)};
  if (result.answer == PolygraphResult::Answer::possible) outcome.validity = Validity::valid;
  if (result.answer == PolygraphResult::Answer::impossible) outcome.validity = Validity::invalid;
  return outcome;
}

namespace {

// Goes through the choices of a core as a person would: what one explanation makes impossible
// leaves the other one, and so on until nothing is left.
class CoreStory {
 public:
  CoreStory(const History& history, const Graph& graph, const Dependencies& found,
            const Details& details, LevelForm level)
      : history_(history), found_(found), details_(details), rule_(rule_of(level)) {
    const View all{&graph, rule_.kinds, rule_.realtime && graph.time().nodes() > 0, false};
    original_.resize(all.nodes(), kNone);
    for (TxnIndex txn = 0; txn < graph.transactions(); ++txn) original_[txn] = txn;
    edges_ = edges_of(all);
  }

  Evidence tell(std::vector<std::uint32_t> open) {
    Evidence evidence;
    for (const std::uint32_t choice : open) add_transactions_of(choice, evidence);
    bool forced_one = true;
    while (forced_one && !open.empty()) {
      forced_one = false;
      for (std::size_t i = 0; i < open.size(); ++i) {
        const auto verdict = force(open[i], evidence);
        if (verdict == Forced::nothing) continue;
        if (verdict == Forced::contradiction) return finish(std::move(evidence));
        open.erase(open.begin() + static_cast<long>(i));
        forced_one = true;
        break;
      }
    }
    evidence.remarks.push_back("of " + std::to_string(open.size()) +
                               " dependencies with several explanations, no combination of "
                               "explanations leaves an order: all were tried");
    return finish(std::move(evidence));
  }

 private:
  enum class Forced { nothing, one_left, contradiction };

  Forced force(std::uint32_t choice, Evidence& evidence) {
    const std::uint32_t count = found_.choices.alternatives_of(choice);
    std::uint32_t left = 0;
    std::uint32_t last_left = 0;
    std::vector<std::vector<Edge>> closed;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<Edge> cycle = cycle_with(found_.choices.edges_of(choice, i));
      if (cycle.empty()) {
        ++left;
        last_left = i;
      } else {
        closed.push_back(std::move(cycle));
      }
    }
    if (left > 1) return Forced::nothing;
    const std::size_t told = left == 0 ? closed.size() - 1 : closed.size();
    for (std::size_t i = 0; i < told; ++i) remark(closed[i], evidence);
    if (left == 0) {
      for (const Edge& edge : closed.back()) evidence.cycle.push_back(details_.of(edge));
      // It begins with the last explanation that was left.
      evidence.cycle.front().inferred = true;
      mark_inferred(evidence);
      return Forced::contradiction;
    }
    for (const Edge& edge : found_.choices.edges_of(choice, last_left)) {
      edges_.push_back(edge);
      inferred_.push_back(edge);
    }
    return Forced::one_left;
  }

  // The cycle that these edges would close; empty: none.
  std::vector<Edge> cycle_with(std::span<const Edge> more) {
    std::vector<Edge> all = edges_;
    for (const Edge& edge : more) {
      if ((mask_of(edge.kind) & rule_.kinds) != 0) all.push_back(edge);
    }
    Core whole;
    whole.graph = Graph(static_cast<std::uint32_t>(original_.size()), all, {});
    whole.original = original_;
    const bool lifted = rule_.forbidden == Forbidden::nonadjacent_cycles;
    const View view{&whole.graph, rule_.kinds, false, lifted};
    PathFinder finder(view,
                      [&](std::uint32_t node) { return original_[view.plain(node)] == kNone; });
    for (const Edge& edge : more) {
      if ((mask_of(edge.kind) & rule_.kinds) == 0 || edge.from == edge.to) continue;
      if (rule_.forbidden == Forbidden::single_anti_cycles && is_anti(edge.kind)) continue;
      const bool anti = lifted && is_anti(edge.kind);
      const std::uint32_t to = view.lift(edge.to) + (anti ? 1 : 0);
      for (std::uint32_t state = 0; state <= (lifted && !anti ? 1U : 0U); ++state) {
        Path path =
            finder.find(to, view.lift(edge.from) + state, std::numeric_limits<std::uint32_t>::max(),
                        [](std::uint32_t) { return true; });
        if (path.empty()) continue;
        path.insert(path.begin(), {view.lift(edge.from) + state, to, edge.kind});
        return transactions_of(view, path);
      }
    }
    return {};
  }

  std::vector<Edge> transactions_of(const View& view, const Path& path) const {
    std::vector<Edge> edges;
    TxnIndex from = view.plain(path.front().from);
    for (const Step& step : path) {
      const TxnIndex source = original_[view.plain(step.from)];
      const TxnIndex target = original_[view.plain(step.to)];
      if (source != kNone) from = source;
      if (target != kNone) edges.push_back({from, target, step.kind});
    }
    return edges;
  }

  void remark(const std::vector<Edge>& cycle, Evidence& evidence) const {
    std::string text = "it cannot be that ";
    const auto hypothetical = details_.of(cycle.front());
    text += history_.txn_name(cycle.front().from) + " comes before " +
            history_.txn_name(cycle.front().to);
    if (hypothetical.object != kNone) text += " on " + history_.object_name(hypothetical.object);
    text += ", since";
    for (std::size_t i = 1; i < cycle.size(); ++i) {
      const EvidenceEdge edge = details_.of(cycle[i]);
      text += (i > 1 ? "," : "");
      text += " " + history_.txn_name(edge.from) + " comes before " + history_.txn_name(edge.to) +
              " (" + std::string(name_of(edge.kind));
      if (edge.object != kNone) text += " on " + history_.object_name(edge.object);
      text += ")";
    }
    evidence.remarks.push_back(text);
  }

  void mark_inferred(Evidence& evidence) const {
    for (EvidenceEdge& edge : evidence.cycle) {
      const auto same = [&](const Edge& one) {
        return one.from == edge.from && one.to == edge.to && one.kind == edge.kind;
      };
      if (std::any_of(inferred_.begin(), inferred_.end(), same)) edge.inferred = true;
    }
  }

  void add_transactions_of(std::uint32_t choice, Evidence& evidence) const {
    for (std::uint32_t i = 0; i < found_.choices.alternatives_of(choice); ++i) {
      for (const Edge& edge : found_.choices.edges_of(choice, i)) {
        evidence.transactions.push_back(edge.from);
        evidence.transactions.push_back(edge.to);
      }
    }
    evidence.operations.push_back(found_.choices.about[choice]);
  }

  Evidence finish(Evidence evidence) const {
    for (const EvidenceEdge& edge : evidence.cycle) evidence.transactions.push_back(edge.from);
    auto& txns = evidence.transactions;
    std::sort(txns.begin(), txns.end());
    txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
    return evidence;
  }

  const History& history_;
  const Dependencies& found_;
  const Details& details_;
  Rule rule_;
  std::vector<std::uint32_t> original_;
  std::vector<Edge> edges_;  // known, and forced up to now
  std::vector<Edge> inferred_;
};

}  // namespace

Evidence evidence_of_core(const History& history, const Graph& graph, const Dependencies& found,
                          const Details& details, const std::vector<std::uint32_t>& core,
                          LevelForm level) {
  return CoreStory(history, graph, found, details, level).tell(core);
}

}  // namespace hilsa
