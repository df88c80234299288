// The exact search behind solve(): one alternative for each choice, so that no forbidden cycle
// closes, or the proof that there is none.
//
// A satisfiability search that learns from conflicts (Marques-Silva, Sakallah: GRASP, 1999) with a
// graph as its theory (Bayless et al.: SAT modulo monotonic theories, AAAI 2015). A literal is
// "this alternative is taken" or "is out". The edges of what is taken are kept in a DynamicOrder;
// an edge that closes a cycle is a conflict, and the alternatives on a shortest such cycle are
// learned never to go together. All alternatives but one out: that one is taken.
//
// What makes it quick where little is in doubt: a choice that has an alternative which agrees with
// the present order is not decided at all. When the order moves, the choices at the nodes that
// moved are looked at again; when none is left against the order, the order itself is the solution.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "checkers/dynamic_order.h"
#include "checkers/lifted_graph.h"
#include "checkers/polygraph.h"

namespace hilsa {

class PolygraphSearch {
 public:
  // Of the polygraph, only these choices. `order` holds the known edges and nothing else; so it
  // does again when this ends. The search gives up when `steps` has come to `steps_max`.
  PolygraphSearch(const Polygraph& polygraph, const Lift& lift, DynamicOrder& order,
                  std::vector<std::uint32_t> choices, std::int64_t& steps, std::int64_t steps_max);
  ~PolygraphSearch();
  PolygraphSearch(const PolygraphSearch&) = delete;
  PolygraphSearch& operator=(const PolygraphSearch&) = delete;

  // Once, and then one of the following, or none.
  PolygraphResult::Answer run();
  // After `possible`: the alternative of each of the choices.
  std::vector<std::uint32_t> chosen();
  // After `impossible`: choices, ascending, that are impossible together.
  std::vector<std::uint32_t> refuted() const;

  // In place of run(), for choices that are impossible together: all of them in the order in which
  // they are forced, one alternative after the other being tried against what is already known.
  std::vector<std::uint32_t> forced_first();

 private:
  using Literal = std::uint32_t;  // 2 · alternative, and 1 more for "is out"
  static constexpr std::uint32_t kNo = 0xffffffff;
  static constexpr std::uint32_t kNoReason = 0xffffffff;     // decided, or learned by itself
  static constexpr std::uint32_t kOnlyOneLeft = 0xfffffffe;  // the others of its choice are out
  enum class Truth : std::uint8_t { open, holds, fails };
  struct Level {
    std::size_t trail;
    std::size_t edges;
    std::size_t bans;
  };

  static Literal taken(std::uint32_t alternative) { return 2 * alternative; }
  static Literal out(std::uint32_t alternative) { return 2 * alternative + 1; }
  Truth truth(Literal literal) const;
  std::uint32_t level() const { return static_cast<std::uint32_t>(levels_.size()); }
  std::span<const PolyEdge> edges_of(std::uint32_t alternative) const;

  // --- setting up ---
  void index_nodes();
  // --- the trail of what holds ---
  void set(Literal literal, std::uint32_t reason);
  void open_level(Literal decision);
  void back_to(std::uint32_t level);
  // --- consequences; false: conflict_ holds literals of which one must hold, and all fail ---
  bool propagate();
  bool take_edges(std::uint32_t alternative);
  bool count_out(std::uint32_t alternative);
  bool visit_clauses(Literal failed);
  bool visit_clause(std::uint32_t clause, std::uint32_t slot);
  // Also true when it was cut short as steps ran out.
  bool check_bans();
  bool check_ban(const PolyEdge& edge, std::uint32_t alternative);
  void conflict_on_path(std::uint32_t alternative);
  // --- conflicts (polygraph_learning.cc) ---
  bool learn_from_conflict();
  void find_first_implication_point();
  void see(Literal failed);
  void reason_of(std::uint32_t alternative);
  std::uint32_t keep_clause();
  void watch(std::uint32_t clause, std::uint32_t slot);
  void restart_now_and_then();
  void forget_older_clauses();
  // --- decisions ---
  void look_again_at(std::uint32_t choice);
  void bump(std::uint32_t choice);
  bool start();
  std::uint32_t decide();
  std::uint32_t best_alternative(std::uint32_t choice, std::size_t& against);
  bool force_by_trying(std::uint32_t choice, bool& changed);
  bool force_all_by_trying();

  const Polygraph& polygraph_;
  const Lift& lift_;
  DynamicOrder& order_;
  std::int64_t& steps_;
  std::int64_t steps_max_;

  // --- choices and alternatives by local number ---
  std::vector<std::uint32_t> choices_;            // their numbers in the polygraph
  std::vector<std::uint32_t> first_alternative_;  // one more than choices
  std::vector<std::uint32_t> choice_of_;          // of each alternative
  std::vector<std::uint32_t> first_of_node_;      // one more than nodes: into choices_at_
  std::vector<std::uint32_t> choices_at_;         // which have an edge at the node

  // --- what holds ---
  std::vector<Truth> truth_;           // of "this alternative is taken"
  std::vector<std::uint32_t> level_;   // of each alternative that is not open
  std::vector<std::uint32_t> reason_;  // likewise: a clause, kNoReason or kOnlyOneLeft
  std::vector<std::uint32_t> taken_;   // of each choice: alternatives taken
  std::vector<std::uint32_t> left_;    // of each choice: alternatives that are not out
  std::vector<Literal> trail_;
  std::size_t next_ = 0;  // the first on the trail whose consequences are not yet drawn
  std::vector<Level> levels_;
  // Edges that forbid a path back, and the alternative each belongs to.
  std::vector<std::pair<PolyEdge, std::uint32_t>> bans_;

  // --- what was learned: size, the next clause watched in slot 0 and in slot 1, the literals, of
  // which the first two are watched; a reference to a slot is 2 · clause + slot ---
  std::vector<std::uint32_t> clauses_;
  std::vector<std::uint32_t> watched_;  // of each literal: the first reference
  std::size_t clauses_max_ = std::size_t{1} << 22;
  std::vector<Literal> conflict_;
  std::vector<Literal> learned_;
  std::vector<std::uint8_t> seen_;
  std::uint32_t seen_here_ = 0;     // on the level of the conflict, not yet resolved
  std::vector<std::uint8_t> used_;  // of each choice: the proof so far needs that it is made
  std::int64_t conflicts_left_ = 100;
  std::int64_t conflicts_until_restart_ = 100;

  // --- which choice to look at next: the one that was last in a conflict, then by number ---
  struct Waiting {
    std::int64_t bumped;
    std::uint32_t choice;
    friend bool operator<(const Waiting& left, const Waiting& right) {
      if (left.bumped != right.bumped) return left.bumped < right.bumped;
      return left.choice > right.choice;
    }
  };
  std::priority_queue<Waiting> waiting_;
  std::vector<std::uint8_t> is_waiting_;
  std::vector<std::int64_t> bumped_;
  std::int64_t bumps_ = 0;
};

}  // namespace hilsa
