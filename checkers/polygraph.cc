// Three stages, each of which decides most of what reaches it.
// 1. The known edges alone: a topological order of them, or the answer is no. Linear.
// 2. A guess: each choice takes an alternative that agrees with this order. Linear, and nearly
//    always right for what one database recorded, as nodes are numbered by when transactions ended.
// 3. Search, starting from this order (polygraph_search.h).
// A refutation is then made small: what the search used of the choices is searched again by itself,
// and one choice after the other is left out as long as the rest stays impossible.
#include "checkers/polygraph.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "checkers/dynamic_order.h"
#include "checkers/lifted_graph.h"
#include "checkers/polygraph_search.h"

namespace hilsa {
namespace {

using Answer = PolygraphResult::Answer;

class Solver {
 public:
  Solver(const Polygraph& polygraph, Forbidden forbidden, std::int64_t steps_max)
      : polygraph_(polygraph), lift_(forbidden), known_(lifted_known(polygraph, lift_)) {
    steps_max_ = steps_max;
  }

  // With a core that is not made small.
  PolygraphResult run() {
    result_.answer = decide();
    result_.steps = steps_;
    return result_;
  }
  PolygraphResult run_for_small_core() {
    run();
    if (result_.answer == Answer::impossible && !result_.core.empty()) make_core_small();
    result_.steps = steps_;
    return result_;
  }

 private:
  Answer decide();
  bool known_bans_hold();
  bool guess();
  Answer search(std::vector<std::uint32_t> choices, std::int64_t steps_max);
  void make_core_small();

  const Polygraph& polygraph_;
  const Lift lift_;
  const LiftedGraph known_;
  std::optional<DynamicOrder> order_;
  std::int64_t steps_ = 0;
  std::int64_t steps_max_ = 0;
  PolygraphResult result_;
  std::vector<std::uint32_t> refuted_;
};

Answer Solver::decide() {
  steps_ += static_cast<std::int64_t>(known_.edges() + known_.nodes());
  if (steps_ > steps_max_) return Answer::out_of_steps;
  const auto order =
      lift_.has_path_bans() ? dependency_order(polygraph_) : topological_order(known_);
  if (!order) return Answer::impossible;
  order_.emplace(known_, *order, steps_);
  const bool is_impossible = !known_bans_hold();
  if (steps_ > steps_max_) return Answer::out_of_steps;
  if (is_impossible) return Answer::impossible;
  if (guess()) return Answer::possible;
  if (steps_ > steps_max_) return Answer::out_of_steps;
  std::vector<std::uint32_t> all(polygraph_.choices());
  std::iota(all.begin(), all.end(), 0U);
  const Answer answer = search(std::move(all), steps_max_);
  result_.core = refuted_;
  return answer;
}

// Or not, when it ended because steps ran out.
bool Solver::known_bans_hold() {
  if (!lift_.has_path_bans()) return true;
  return std::none_of(polygraph_.known.begin(), polygraph_.known.end(), [&](const PolyEdge& edge) {
    if (!edge.anti || !lift_.matters(edge)) return false;
    return order_->find_path(edge.to, edge.from) || steps_ > steps_max_;
  });
}

// True: every choice has an alternative that agrees with the order, and so nothing is against it.
bool Solver::guess() {
  const auto agrees = [&](const PolyEdge& edge) {
    ++steps_;
    return !lift_.matters(edge) || order_->is_forward(lift_.from(edge), lift_.to(edge));
  };
  // A known edge against the order is one that forbids a path back: the edges taken might make one.
  if (lift_.has_path_bans() &&
      !std::all_of(polygraph_.known.begin(), polygraph_.known.end(), agrees)) {
    return false;
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t choice = 0; choice < polygraph_.choices(); ++choice) {
    const std::size_t count = polygraph_.alternatives_of(choice);
    std::size_t alternative = 0;
    while (alternative < count) {
      const std::span<const PolyEdge> edges = polygraph_.edges_of(choice, alternative);
      if (std::all_of(edges.begin(), edges.end(), agrees)) break;
      ++alternative;
    }
    if (alternative == count || steps_ > steps_max_) return false;
    chosen.push_back(static_cast<std::uint32_t>(alternative));
  }
  result_.chosen = std::move(chosen);
  return true;
}

Answer Solver::search(std::vector<std::uint32_t> choices, std::int64_t steps_max) {
  PolygraphSearch search(polygraph_, lift_, *order_, std::move(choices), steps_, steps_max);
  const Answer answer = search.run();
  if (answer == Answer::possible) result_.chosen = search.chosen();
  if (answer == Answer::impossible) refuted_ = search.refuted();
  return answer;
}

void Solver::make_core_small() {
  // Not for ever: a smaller core only reads better.
  const std::int64_t steps_max = std::min(steps_max_, 5 * steps_ + 10'000'000);
  std::vector<std::uint32_t>& core = result_.core;
  for (std::size_t size = core.size() + 1; core.size() < size;) {
    size = core.size();
    if (search(core, steps_max) != Answer::impossible) break;
    core = refuted_;
  }
  std::size_t kept = 0;
  while (kept < core.size() && core.size() > 1) {
    std::vector<std::uint32_t> rest = core;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(kept));
    const Answer answer = search(std::move(rest), steps_max);
    if (answer == Answer::out_of_steps) break;
    if (answer == Answer::impossible) {
      core = refuted_;
    } else {
      ++kept;
    }
  }
  if (steps_ < steps_max) {
    core = PolygraphSearch(polygraph_, lift_, *order_, core, steps_, steps_max).forced_first();
  }
  result_.chosen.clear();
}

}  // namespace

PolygraphResult solve(const Polygraph& polygraph, Forbidden forbidden, std::int64_t steps_max) {
  std::int64_t steps = 0;
  if (forbidden == Forbidden::single_anti_cycles) {
    // What is possible at snapshot isolation is possible here, and far easier to find: an order
    // shows it. Here all paths have to be known.
    PolygraphResult result = Solver(polygraph, Forbidden::nonadjacent_cycles, steps_max / 2).run();
    if (result.answer == Answer::possible) return result;
    steps = result.steps;
  }
  PolygraphResult result = Solver(polygraph, forbidden, steps_max - steps).run_for_small_core();
  result.steps += steps;
  return result;
}

}  // namespace hilsa
