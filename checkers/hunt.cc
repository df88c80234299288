#include "checkers/hunt.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace hilsa {
namespace {

constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

// How long to go on looking for a shorter cycle in a component once there is one, in edges.
std::int64_t patience(std::size_t members) {
  constexpr std::int64_t kLeast = 100'000;
  constexpr std::int64_t kPasses = 16;
  return kLeast + kPasses * static_cast<std::int64_t>(members);
}

// Collapses time nodes: T1 -> e1 -> e2 -> T5 is one edge of real time.
std::optional<Cycle> as_cycle(const Core& core, const View& view, const Path& path) {
  Cycle cycle;
  const auto original = [&](std::uint32_t node) { return core.original[view.plain(node)]; };
  // Begin at a transaction.
  std::size_t start = 0;
  while (start < path.size() && original(path[start].from) == kNone) ++start;
  TxnIndex from = kNone;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Step& step = path[(start + i) % path.size()];
    const TxnIndex source = original(step.from);
    const TxnIndex target = original(step.to);
    if (source != kNone) from = source;
    if (target != kNone) cycle.edges.push_back({from, target, step.kind});
  }
  std::vector<TxnIndex> met;
  for (const Edge& edge : cycle.edges) met.push_back(edge.from);
  std::sort(met.begin(), met.end());
  if (std::adjacent_find(met.begin(), met.end()) != met.end()) return std::nullopt;
  return cycle;
}

// The same cycle always begins with its earliest transaction.
void rotate_to_first(Cycle& cycle) {
  const auto first = std::min_element(cycle.edges.begin(), cycle.edges.end(),
                                      [](const Edge& a, const Edge& b) { return a.from < b.from; });
  std::rotate(cycle.edges.begin(), first, cycle.edges.end());
}

std::ptrdiff_t anti_edges(const Cycle& cycle) {
  return std::count_if(cycle.edges.begin(), cycle.edges.end(),
                       [](const Edge& edge) { return is_anti(edge.kind); });
}

bool has_adjacent_anti_edges(const Cycle& cycle) {
  const auto& edges = cycle.edges;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (is_anti(edges[i].kind) && is_anti(edges[(i + 1) % edges.size()].kind)) return true;
  }
  return false;
}

// One class of cycles: which edges one begins with, where its rest may go.
struct Prey {
  View within;                  // its components are looked through
  KindMask starts;              // a cycle has at least one edge of these
  View rest;                    // the path that closes the cycle
  std::ptrdiff_t anti_min = 0;  // anti-dependencies in all
  std::uint32_t length_min = 2;
};

Prey prey_of(const Core& core, AnomalyClass anomaly, KindMask orders) {
  const auto plain = [&](KindMask kinds) {
    return View{&core.graph, static_cast<KindMask>(kinds | orders), false, false};
  };
  const View all = plain(kDependencies | kAnti);
  switch (anomaly) {
    case AnomalyClass::g0:
      return {plain(kWriteDependencies), kWriteDependencies, plain(kWriteDependencies)};
    case AnomalyClass::g1c:
      return {plain(kDependencies), kReadDependencies, plain(kDependencies)};
    case AnomalyClass::g_single:
      return {all, kAnti, plain(kDependencies), 1};
    case AnomalyClass::g_nonadjacent: {
      View lifted = all;
      lifted.lifted = true;
      return {lifted, kAnti, lifted, 2, 4};
    }
    case AnomalyClass::g2_item: {
      const View item = plain(kDependencies | kItemAnti);
      return {item, kItemAnti, item, 2};
    }
    default:
      break;
  }
  return {all, kPredicateAnti, all, 1};
}

class Hunter {
 public:
  Hunter(CoreComponents& found, AnomalyClass anomaly, Needs needs, int wanted)
      : core_(found.core()),
        found_components_(found),
        anomaly_(anomaly),
        prey_(prey_of(core_, anomaly, order_kinds(needs))),
        wanted_(static_cast<std::size_t>(wanted)),
        finder_(prey_.rest, [this](std::uint32_t node) {
          return core_.original[prey_.rest.plain(node)] == kNone;
        }) {}

  Hunted run() {
    if (!found_components_.has(prey_.starts)) return {};
    const Components& components = found_components_.of(prey_.within);
    if (components.members.empty()) return {};
    if (anomaly_ == AnomalyClass::g_single) order_dependencies();
    if (anomaly_ == AnomalyClass::g2_item) note_arrivals();
    for (const auto& members : components.members) search(components, members);
    std::stable_sort(
        found_.shortest.begin(), found_.shortest.end(),
        [](const Cycle& a, const Cycle& b) { return a.edges.size() < b.edges.size(); });
    if (found_.shortest.size() > wanted_) found_.shortest.resize(wanted_);
    return std::move(found_);
  }

 private:
  // A dependency path from b to a goes through smaller layers to larger ones: if b's is not below
  // a's there is none, and nothing outside is worth visiting. Only where dependencies have no
  // cycle.
  void order_dependencies() { layered_ = is_acyclic(prey_.rest, &layers_); }

  // Item anti-dependencies by their target.
  void note_arrivals() {
    arrivals_ = Graph(core_.graph.transactions(), {}, [this](const auto& visit) {
      for (std::uint32_t node = 0; node < prey_.within.nodes(); ++node) {
        prey_.within.each(node, [&](std::uint32_t target, EdgeKind kind) {
          if (kind == EdgeKind::rw) visit({target, node, kind});
        });
      }
    });
  }

  void search(const Components& components, const std::vector<std::uint32_t>& members) {
    best_.reset();
    best_length_ = kUnbounded;
    give_up_at_ = finder_.steps() + patience(members.size());
    // A G2-item has two anti-dependencies next to each other; that tells write skew from long fork.
    if (anomaly_ == AnomalyClass::g2_item) {
      for (const std::uint32_t node : members) {
        if (is_enough() || finder_.steps() > give_up_at_) break;
        search_pairs(components, node);
      }
    }
    if (!best_) {
      give_up_at_ = finder_.steps() + patience(members.size());
      // Large components mostly have the shortest there can be, which is quickly seen.
      look_below_ = prey_.length_min + 1;
      close_all(components, members);
      look_below_ = kUnbounded;
      close_all(components, members);
    }
    if (!best_) return;
    ++found_.components;
    rotate_to_first(*best_);
    found_.shortest.push_back(*std::move(best_));
    // Enough to choose from; a stable sort by length decides in the end.
    constexpr std::size_t kHeap = 1024;
    if (found_.shortest.size() > kHeap + wanted_) {
      std::stable_sort(
          found_.shortest.begin(), found_.shortest.end(),
          [](const Cycle& a, const Cycle& b) { return a.edges.size() < b.edges.size(); });
      found_.shortest.resize(wanted_);
    }
  }

  // Whether to stop looking in the component at hand: nothing shorter exists, or it takes too long.
  bool is_enough() const {
    return best_ && (best_length_ <= prey_.length_min || finder_.steps() > give_up_at_);
  }

  // Looks for a -rw-> node -rw-> c with a way from c to a that does not meet the node again.
  void search_pairs(const Components& components, std::uint32_t node) {
    prey_.within.each(node, [&](std::uint32_t next, EdgeKind kind) {
      if (kind != EdgeKind::rw || !components.same(node, next)) return;
      for (std::uint32_t i = arrivals_.begin_of(node); i < arrivals_.end_of(node); ++i) {
        if (is_enough() || finder_.steps() > give_up_at_) return;
        const std::uint32_t before = arrivals_.target(i);
        if (!components.same(before, node)) continue;
        if (before == next) {
          keep({{node, next, EdgeKind::rw}, {next, node, EdgeKind::rw}});
          continue;
        }
        const Path way = finder_.find(next, before, limit(2), [&](std::uint32_t passed) {
          return passed != node && components.same(passed, node);
        });
        if (way.empty()) continue;
        Path path = {{before, node, EdgeKind::rw}, {node, next, EdgeKind::rw}};
        path.insert(path.end(), way.begin(), way.end());
        keep(path);
      }
    });
  }

  // Only what is shorter than the best so far is of interest.
  std::uint32_t limit(std::uint32_t edges_already) const {
    const std::uint32_t best = std::min(best_length_, look_below_);
    return best == kUnbounded ? kUnbounded : best - std::min(best, edges_already);
  }

  void close_all(const Components& components, const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t node : members) {
      if (is_enough()) break;
      prey_.within.each(node, [&](std::uint32_t target, EdgeKind kind) {
        if ((mask_of(kind) & prey_.starts) != 0 && components.same(node, target)) {
          close(components, {node, target, kind});
        }
      });
    }
  }

  void close(const Components& components, const Step& start) {
    if (is_enough()) return;
    if (layered_ && layers_[start.to] >= layers_[start.from]) return;
    const std::uint32_t member = components.of[start.from];
    const Path way = finder_.find(start.to, start.from, limit(1), [&](std::uint32_t passed) {
      if (layered_ && layers_[passed] >= layers_[start.from]) return false;
      return components.of[passed] == member;
    });
    if (way.empty()) return;
    Path path = {start};
    path.insert(path.end(), way.begin(), way.end());
    keep(path);
  }

  void keep(const Path& path) {
    auto cycle = as_cycle(core_, prey_.within, path);
    if (!cycle || anti_edges(*cycle) < prey_.anti_min) return;
    if (anomaly_ == AnomalyClass::g2_item && !has_adjacent_anti_edges(*cycle)) return;
    const auto length = static_cast<std::uint32_t>(cycle->edges.size());
    if (length >= best_length_) return;
    best_length_ = length;
    best_ = std::move(cycle);
  }

  const Core& core_;
  CoreComponents& found_components_;
  AnomalyClass anomaly_;
  Prey prey_;
  std::size_t wanted_;
  PathFinder finder_;
  Graph arrivals_;
  bool layered_ = false;
  std::vector<std::uint32_t> layers_;
  std::optional<Cycle> best_;  // of the component at hand
  std::uint32_t best_length_ = kUnbounded;
  std::uint32_t look_below_ = kUnbounded;  // this length
  std::int64_t give_up_at_ = 0;
  Hunted found_;
};

}  // namespace

KindMask order_kinds(Needs needs) {
  switch (needs) {
    case Needs::data:
      return 0;
    case Needs::session:
      return mask_of(EdgeKind::session);
    case Needs::realtime:
      break;
  }
  return mask_of(EdgeKind::session) | mask_of(EdgeKind::realtime);
}

Core core_of(const Graph& graph) {
  const View whole = whole_of(graph);
  const Components components = components_of(whole);
  Core core;
  std::vector<std::uint32_t> number(whole.nodes(), kNone);
  for (std::uint32_t node = 0; node < whole.nodes(); ++node) {
    if (components.of[node] == kNone) continue;
    number[node] = static_cast<std::uint32_t>(core.original.size());
    core.original.push_back(graph.is_transaction(node) ? node : kNone);
  }
  for (const auto& members : components.members) {
    const auto transactions =
        std::count_if(members.begin(), members.end(),
                      [&](std::uint32_t node) { return graph.is_transaction(node); });
    core.largest = std::max<std::int64_t>(core.largest, transactions);
  }
  const auto each_edge = [&](const auto& visit) {
    for (std::uint32_t node = 0; node < whole.nodes(); ++node) {
      if (components.of[node] == kNone) continue;
      whole.each(node, [&](std::uint32_t target, EdgeKind kind) {
        if (components.same(node, target)) visit({number[node], number[target], kind});
      });
    }
  };
  core.graph = Graph(static_cast<std::uint32_t>(core.original.size()), {}, each_edge);
  return core;
}

CoreComponents::CoreComponents(const Core& core) : core_(&core) {
  for (std::uint32_t edge = 0; edge < core.graph.edges(); ++edge) {
    present_ |= mask_of(core.graph.kind(edge));
  }
}

const Components& CoreComponents::of(const View& view) {
  const auto kinds = static_cast<KindMask>(view.kinds & present_);
  const auto [at, is_new] = found_.try_emplace({kinds, view.lifted});
  if (is_new) at->second = components_of(view);
  return at->second;
}

bool CoreComponents::is_acyclic(KindMask kinds, bool lifted) {
  if ((kinds & kAnti) != 0) return of({&core_->graph, kinds, false, lifted}).members.empty();
  // Dependencies alone mostly have an order, which takes less time to find than components do; and
  // mostly one that fits time and sessions as well, so that all other questions are answered.
  const auto all = static_cast<KindMask>(kinds | order_kinds(Needs::realtime));
  return are_in_order(all) || are_in_order(kinds);
}

bool CoreComponents::are_in_order(KindMask kinds) {
  const auto [at, is_new] = in_order_.try_emplace(static_cast<KindMask>(kinds & present_), false);
  if (is_new) at->second = hilsa::is_acyclic({&core_->graph, kinds, false, false});
  return at->second;
}

Hunted hunt(CoreComponents& components, AnomalyClass anomaly, Needs needs, int wanted) {
  return Hunter(components, anomaly, needs, wanted).run();
}

}  // namespace hilsa
