// How a verdict comes about:
//
//   history -> versions -> dependencies -> graph -> is it acyclic, real time included?
//                                                    yes: everything holds, one pass was enough
//                                                    no:  only its cyclic core is looked at
//                                                    further,
//                                                         level by level, then class by class
//
// Where a dependency has several explanations, a level holds if some choice of them satisfies it.
#include "checkers/checker.h"

#include <algorithm>
#include <functional>
#include <map>

#include "checkers/atomicity.h"
#include "checkers/cycles.h"
#include "checkers/dependencies.h"
#include "checkers/details.h"
#include "checkers/graph.h"
#include "checkers/hunt.h"
#include "checkers/levels.h"
#include "checkers/register_dependencies.h"
#include "checkers/search.h"
#include "checkers/versions.h"

namespace hilsa {
namespace {

// The weakest level that an anomaly rules out, and with it all above. Cycles also rule out
// repeatable read when they are of rows alone; that is decided on the graph.
Level ruled_out_by(AnomalyClass anomaly) {
  switch (anomaly) {
    case AnomalyClass::lost_write:
    case AnomalyClass::duplicate_write:
    case AnomalyClass::garbage_read:
    case AnomalyClass::incompatible_order:
    case AnomalyClass::g0:
      return Level::read_uncommitted;
    case AnomalyClass::internal:
    case AnomalyClass::dirty_update:
    case AnomalyClass::g1a:
    case AnomalyClass::g1b:
    case AnomalyClass::g1c:
      return Level::read_committed;
    case AnomalyClass::otv:
      return Level::monotonic_atomic_view;
    case AnomalyClass::fractured_read:
    case AnomalyClass::non_repeatable_read:
    case AnomalyClass::pmp:
      return Level::read_atomic;
    case AnomalyClass::p4:
    case AnomalyClass::g_single:
      return Level::consistent_view;
    case AnomalyClass::g_nonadjacent:
      return Level::snapshot_isolation;
    case AnomalyClass::g2_item:
      return Level::repeatable_read;
    case AnomalyClass::g2:
      break;
  }
  return Level::serializable;
}

constexpr std::array kFindingClasses = {AnomalyClass::internal,
                                        AnomalyClass::lost_write,
                                        AnomalyClass::duplicate_write,
                                        AnomalyClass::garbage_read,
                                        AnomalyClass::incompatible_order,
                                        AnomalyClass::g1a,
                                        AnomalyClass::g1b,
                                        AnomalyClass::otv,
                                        AnomalyClass::fractured_read,
                                        AnomalyClass::non_repeatable_read,
                                        AnomalyClass::pmp,
                                        AnomalyClass::p4,
                                        AnomalyClass::dirty_update};

// Cycles of each class, and the level that has none of them.
struct CycleClass {
  AnomalyClass anomaly;
  Level level;
};
constexpr std::array kCycleClasses = {
    CycleClass{AnomalyClass::g0, Level::read_committed},
    CycleClass{AnomalyClass::g1c, Level::read_committed},
    CycleClass{AnomalyClass::g_single, Level::consistent_view},
    CycleClass{AnomalyClass::g_nonadjacent, Level::snapshot_isolation},
    CycleClass{AnomalyClass::g2_item, Level::repeatable_read},
    CycleClass{AnomalyClass::g2, Level::serializable}};

// Class of an anomaly that only the search has shown, by the level that fails.
AnomalyClass class_of_failed(Level level) {
  switch (level) {
    case Level::serializable:
      return AnomalyClass::g2;
    case Level::repeatable_read:
      return AnomalyClass::g2_item;
    case Level::snapshot_isolation:
      return AnomalyClass::g_nonadjacent;
    case Level::consistent_view:
      return AnomalyClass::g_single;
    default:
      break;
  }
  return AnomalyClass::g1c;
}

std::size_t place_of(const LevelForm& level) {
  const auto all = all_levels();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), level) - all.begin());
}

class Checker {
 public:
  Checker(const History& history, const Expectation& expectation)
      : history_(history), expectation_(expectation), findings_(expectation.evidence) {}

  Verdict run() {
    collect();
    results_.assign(all_levels().size(), std::nullopt);
    decide_all();
    report_findings();
    report_cycles();
    report_searched();
    report_torn_reads();
    std::stable_sort(verdict_.anomalies.begin(), verdict_.anomalies.end(),
                     [](const Anomaly& a, const Anomaly& b) {
                       return a.anomaly != b.anomaly ? a.anomaly < b.anomaly : a.needs < b.needs;
                     });
    fill_results();
    cover();
    judge();
    return std::move(verdict_);
  }

 private:
  void collect() {
    switch (history_.form) {
      case Form::stamped:
        versions_ = versions_of_rows(history_, findings_);
        break;
      case Form::lists:
        versions_ = versions_of_lists(history_, findings_);
        break;
      case Form::registers:
        registers_ = register_writes(history_, expectation_.assume, versions_, findings_);
        break;
    }
    if (history_.form == Form::registers) {
      add_register_dependencies(registers_, found_);
    } else {
      add_item_dependencies(history_, versions_, found_);
    }
    if (history_.form == Form::stamped) {
      add_predicate_dependencies(history_, versions_, findings_, found_);
    }
    find_fractured_reads(history_, versions_, found_, findings_);
    count_edges();
    const std::size_t data_edges = found_.known.size();
    add_session_order(history_, versions_, found_);
    has_sessions_ = found_.known.size() > data_edges;
    verdict_.coverage.edges[static_cast<std::size_t>(EdgeKind::session)] =
        static_cast<std::int64_t>(found_.known.size() - data_edges);
    has_times_ = history_.has_times();
    graph_ = Graph(static_cast<std::uint32_t>(history_.transactions()), found_.known,
                   TimeChain(history_, versions_.counted));
    verdict_.coverage.edges[static_cast<std::size_t>(EdgeKind::realtime)] = graph_.time().nodes();
    found_.known = {};
    find_core();
    add_open_orders();
  }

  // Counts dependencies, and those between clients: without any, nothing was put to the test.
  void count_edges() {
    const auto is_set_up = [&](TxnIndex txn) { return history_.txn_client[txn] == 0; };
    for (const Edge& edge : found_.known) {
      if (edge.from == edge.to) continue;
      ++verdict_.coverage.edges[static_cast<std::size_t>(edge.kind)];
      if (!is_set_up(edge.from) && !is_set_up(edge.to)) met_ = true;
    }
    for (const Edge& edge : found_.choices.edges) {
      if (!is_set_up(edge.from) && !is_set_up(edge.to)) met_ = true;
    }
  }

  void find_core() {
    const View whole{&graph_, kDependencies | kAnti | mask_of(EdgeKind::session),
                     graph_.time().nodes() > 0, false};
    if (is_acyclic(whole)) return;
    core_ = core_of(graph_);
    verdict_.coverage.largest_component = core_.largest;
  }

  bool core_is_empty() const { return core_.original.empty(); }

  // Orders that nothing has shown. Not needed where everything else has an order: appends that
  // nobody has read then follow it, and so may registers' writes.
  void add_open_orders() {
    if (history_.form == Form::lists && !core_is_empty()) add_unread_order(versions_, found_);
    if (history_.form != Form::registers) return;
    if (core_is_empty() && some_order_of_registers_holds()) {
      return;
    }
    constexpr std::int64_t kEdgesMax = 30'000'000;
    if (edges_of_register_choices(registers_) > kEdgesMax) {
      too_many_choices_ = true;
      return;
    }
    add_register_choices(registers_, found_);
  }

  // Takes one order of all transactions that fits what is known, lets each register's writes follow
  // it, and looks whether that is consistent.
  bool some_order_of_registers_holds() {
    const View whole{&graph_, kDependencies | kAnti | mask_of(EdgeKind::session),
                     graph_.time().nodes() > 0, false};
    const std::vector<std::uint32_t> rank = earliest_first_order(whole);
    std::vector<Edge> edges = edges_by_rank(registers_, rank);
    for (std::uint32_t node = 0; node < whole.nodes(); ++node) {
      whole.each(node, [&](std::uint32_t target, EdgeKind kind) {
        edges.push_back({node, target, kind});
      });
    }
    const Graph ordered(whole.nodes(), edges, {});
    return is_acyclic({&ordered, 0xff, false, false});
  }

  // --- levels ---

  bool decidable(const LevelForm& level) const {
    if (level.form == Needs::session) return has_sessions_ || has_times_;
    if (level.form == Needs::realtime) return has_times_;
    return true;
  }

  std::optional<Validity>& result(const LevelForm& level) { return results_[place_of(level)]; }

  // Strongest first where that is cheap to decide, so that one answer settles many.
  void decide_all() {
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
  }

  void decide(const LevelForm& level) {
    if (!decidable(level) || result(level)) return;
    const auto all = all_levels();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!results_[i]) continue;
      if (results_[i] == Validity::valid && implies(all[i], level)) result(level) = Validity::valid;
      if (results_[i] == Validity::invalid && implies(level, all[i])) {
        result(level) = Validity::invalid;
      }
      if (result(level)) return;
    }
    result(level) = test(level);
  }

  Validity test(const LevelForm& level) {
    for (const AnomalyClass anomaly : kFindingClasses) {
      if (anomaly == AnomalyClass::p4 || !findings_.any(anomaly)) continue;
      if (implies(level, {ruled_out_by(anomaly), Needs::data})) return Validity::invalid;
    }
    if (!known_dependencies_hold(level)) return Validity::invalid;
    const bool of_reads =
        level.level == Level::monotonic_atomic_view || level.level == Level::read_atomic;
    if (history_.form == Form::registers && of_reads) return registers_keep_atomicity(level);
    return choices_hold(level);
  }

  bool known_dependencies_hold(const LevelForm& level) {
    if (core_is_empty()) return true;
    const auto acyclic = [&](KindMask kinds, bool lifted) {
      return core_is_acyclic(core_, static_cast<KindMask>(kinds | order_kinds(level.form)), lifted);
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
    return acyclic(kDependencies | kAnti, false);
  }

  const Hunted& hunted(AnomalyClass anomaly, Needs needs) {
    const auto [at, is_new] = hunted_.try_emplace({anomaly, needs});
    const bool may_be =
        anomaly != AnomalyClass::g2 ||
        verdict_.coverage.edges[static_cast<std::size_t>(EdgeKind::predicate_rw)] > 0;
    if (is_new && may_be) at->second = hunt(core_, anomaly, needs, expectation_.evidence);
    return at->second;
  }

  // Whoever saw a part of a transaction's writes saw all of them, in some order of all writes: the
  // orders that this demands, together with the dependencies, must have no cycle. Any order of the
  // writes that are left follows.
  Validity registers_keep_atomicity(const LevelForm& level) {
    const bool atomic = level.level == Level::read_atomic;
    const std::vector<Edge>& demanded =
        atomic ? registers_.demanded_by_read_atomic : registers_.demanded_by_monotonic_view;
    const KindMask kinds = kDependencies | order_kinds(level.form);
    const View known{&graph_, kinds, level.form == Needs::realtime && graph_.time().nodes() > 0,
                     false};
    std::vector<Edge> edges = demanded;
    for (std::uint32_t node = 0; node < known.nodes(); ++node) {
      known.each(node, [&](std::uint32_t target, EdgeKind kind) {
        edges.push_back({node, target, kind});
      });
    }
    Core core;
    core.graph = Graph(known.nodes(), edges, {});
    for (std::uint32_t node = 0; node < known.nodes(); ++node) {
      core.original.push_back(graph_.is_transaction(node) ? node : kNone);
    }
    if (core_is_acyclic(core, kinds, false)) return Validity::valid;
    Hunted hunted = hunt(core, AnomalyClass::g1c, level.form, 1);
    if (!hunted.shortest.empty()) {
      torn_.push_back({level, demanded, std::move(hunted.shortest.front())});
    }
    return Validity::invalid;
  }

  Validity choices_hold(const LevelForm& level) {
    if (too_many_choices_) {
      out_of_steps_ = true;
      return Validity::unknown;
    }
    if (found_.choices.size() == 0 || level.level == Level::read_uncommitted) {
      return Validity::valid;
    }
    SearchOutcome outcome = search(graph_, found_.choices, level, expectation_.search_steps);
    verdict_.coverage.search_steps += outcome.steps;
    if (outcome.validity == Validity::unknown) out_of_steps_ = true;
    if (outcome.validity == Validity::invalid) searched_.push_back({level, outcome.core});
    return outcome.validity;
  }

  // --- anomalies ---

  void add_anomaly(AnomalyClass anomaly, Needs needs, std::int64_t count,
                   std::vector<Evidence> evidence) {
    for (Evidence& one : evidence) {
      auto& txns = one.transactions;
      for (const OpIndex op : one.operations) txns.push_back(history_.txn_of(op));
      for (const EvidenceEdge& edge : one.cycle) txns.push_back(edge.from);
      std::sort(txns.begin(), txns.end());
      txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
      one.beyond_one_transaction =
          txns.size() > 1 && std::any_of(txns.begin(), txns.end(), [&](TxnIndex txn) {
            return !history_.txn_flags[txn].one_transaction;
          });
    }
    verdict_.anomalies.push_back({anomaly, needs, count, std::move(evidence)});
  }

  void report_findings() {
    const Details details(history_, versions_, found_);
    for (const AnomalyClass anomaly : kFindingClasses) {
      if (!findings_.any(anomaly)) continue;
      std::vector<Evidence> evidence;
      for (const Finding& finding : findings_.kept(anomaly)) {
        Evidence& one = evidence.emplace_back();
        one.operations = finding.operations;
        if (!finding.remark.empty()) one.remarks.push_back(finding.remark);
        if (anomaly == AnomalyClass::p4) one.cycle = cycle_of_lost_update(finding);
      }
      add_anomaly(anomaly, Needs::data, findings_.count(anomaly), std::move(evidence));
    }
  }

  // Read by T, written by the other, written by T.
  std::vector<EvidenceEdge> cycle_of_lost_update(const Finding& finding) const {
    const OpIndex read = finding.operations[0];
    const OpIndex others = finding.operations[1];
    const OpIndex own = finding.operations[2];
    const TxnIndex txn = history_.txn_of(read);
    const TxnIndex other = history_.txn_of(others);
    const ObjectIndex object = history_.op_object[read];
    return {{txn, other, EdgeKind::rw, object, read, others, false},
            {other, txn, EdgeKind::ww, object, others, own, false}};
  }

  bool fails(Level level, Needs form) {
    const auto& decided = result({level, form});
    return decided == Validity::invalid;
  }

  void report_cycles() {
    if (core_is_empty()) return;
    const Details details(history_, versions_, found_);
    for (const CycleClass& wanted : kCycleClasses) {
      for (const Needs needs : {Needs::data, Needs::session, Needs::realtime}) {
        if (!decidable({Level::serializable, needs}) || !fails(wanted.level, needs)) continue;
        const Hunted& quarry = hunted(wanted.anomaly, needs);
        if (quarry.components == 0) continue;
        std::vector<Evidence> evidence;
        for (const Cycle& cycle : quarry.shortest) {
          Evidence& one = evidence.emplace_back();
          for (const Edge& edge : cycle.edges) one.cycle.push_back(details.of(edge));
        }
        add_anomaly(wanted.anomaly, needs, quarry.components, std::move(evidence));
        break;
      }
    }
  }

  // Levels that fail under every choice, although what is known for certain would allow them: the
  // weakest such level of each form names the class.
  void report_searched() {
    const Details details(history_, versions_, found_);
    for (const Searched& failed : searched_) {
      const bool weaker_failed =
          std::any_of(searched_.begin(), searched_.end(), [&](const Searched& other) {
            return !(other.level == failed.level) && implies(failed.level, other.level);
          });
      if (weaker_failed) continue;
      Evidence evidence =
          evidence_of_core(history_, graph_, found_, details, failed.core, failed.level);
      const AnomalyClass anomaly = class_of_failed(failed.level.level);
      add_anomaly(anomaly, failed.level.form, 1, {std::move(evidence)});
    }
  }

  // Registers: part of a transaction was seen without the rest, under every order of the writes.
  void report_torn_reads() {
    const Details details(history_, versions_, found_);
    std::vector<std::pair<Level, Needs>> told;
    for (const Torn& torn : torn_) {
      const bool again = std::any_of(told.begin(), told.end(), [&](const auto& one) {
        return one.first == torn.level.level && one.second <= torn.level.form;
      });
      if (again) continue;
      told.emplace_back(torn.level.level, torn.level.form);
      Evidence evidence;
      for (const Edge& edge : torn.cycle.edges) {
        evidence.cycle.push_back(details.of(edge));
        evidence.cycle.back().inferred =
            edge.kind == EdgeKind::ww &&
            std::any_of(torn.demanded.begin(), torn.demanded.end(), [&](const Edge& one) {
              return one.from == edge.from && one.to == edge.to;
            });
      }
      evidence.remarks.emplace_back(
          "the inferred orders are those under which nobody would have seen a transaction in part");
      const bool atomic = torn.level.level == Level::read_atomic;
      add_anomaly(atomic ? AnomalyClass::fractured_read : AnomalyClass::otv, torn.level.form, 1,
                  {std::move(evidence)});
    }
  }

  // --- the verdict ---

  int reason_for(const LevelForm& failed) const {
    for (std::size_t i = 0; i < verdict_.anomalies.size(); ++i) {
      const Anomaly& anomaly = verdict_.anomalies[i];
      const Level out = ruled_out_by(anomaly.anomaly);
      if (implies(failed, {out, out == Level::read_uncommitted ? Needs::data : anomaly.needs})) {
        return static_cast<int>(i);
      }
    }
    // Cycles of rows alone rule out repeatable read as well, whatever their class.
    for (std::size_t i = 0; i < verdict_.anomalies.size(); ++i) {
      const Anomaly& anomaly = verdict_.anomalies[i];
      const bool is_cycle = !anomaly.evidence.empty() && !anomaly.evidence[0].cycle.empty();
      if (failed.level == Level::repeatable_read && is_cycle && anomaly.needs <= failed.form) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  void fill_results() {
    const auto all = all_levels();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!results_[i]) continue;
      LevelResult decided{all[i], *results_[i], -1};
      if (decided.validity == Validity::invalid) decided.because = reason_for(all[i]);
      verdict_.results.push_back(decided);
    }
    for (const LevelResult& one : verdict_.results) {
      if (one.validity != Validity::valid) continue;
      const bool weaker_than_another = std::any_of(
          verdict_.results.begin(), verdict_.results.end(), [&](const LevelResult& other) {
            return other.validity == Validity::valid && !(other.level == one.level) &&
                   implies(other.level, one.level);
          });
      if (!weaker_than_another) verdict_.levels.push_back(one.level);
    }
  }

  void cover() {
    Coverage& coverage = verdict_.coverage;
    coverage.transactions = static_cast<std::int64_t>(history_.transactions());
    coverage.operations = static_cast<std::int64_t>(history_.operations());
    coverage.objects = static_cast<std::int64_t>(history_.objects());
    coverage.choices = static_cast<std::int64_t>(found_.choices.size());
    for (TxnIndex txn = 0; txn < history_.transactions(); ++txn) {
      const AttemptOutcome outcome = history_.txn_flags[txn].outcome;
      const bool counted = versions_.counted[txn] != 0;
      if (counted) ++coverage.committed;
      if (outcome == AttemptOutcome::aborted) ++coverage.aborted;
      if (outcome != AttemptOutcome::unknown) continue;
      ++coverage.in_doubt;
      if (counted) ++coverage.in_doubt_seen;
    }
    verdict_.notes = history_.notes;
    verdict_.notes.insert(verdict_.notes.end(), versions_.notes.begin(), versions_.notes.end());
  }

  void judge() {
    verdict_.demanded = expectation_.level.value_or(LevelForm{});
    const auto decided = results_[place_of(verdict_.demanded)];
    if (decided == Validity::invalid) {
      verdict_.validity = Validity::invalid;
      const int because = reason_for(verdict_.demanded);
      verdict_.reason = "not " + name_of(verdict_.demanded);
      if (because >= 0) {
        const Anomaly& anomaly = verdict_.anomalies[static_cast<std::size_t>(because)];
        verdict_.reason += ": " + common_name(anomaly.anomaly, anomaly.needs) + " (" +
                           class_name(anomaly.anomaly, anomaly.needs) + ")";
      }
      return;
    }
    verdict_.reason = why_unknown(decided);
    verdict_.validity = verdict_.reason.empty() ? Validity::valid : Validity::unknown;
    // What nothing has put to the test says nothing about levels.
    if (verdict_.validity == Validity::unknown && !met_) verdict_.levels.clear();
  }

  std::string why_unknown(std::optional<Validity> decided) const {
    if (verdict_.coverage.committed == 0) return "nothing committed";
    if (!met_) {
      return "no two transactions met on any row, so nothing was put to the test";
    }
    if (!decided) {
      return verdict_.demanded.form == Needs::realtime
                 ? "the history has no times, so real time cannot be judged"
                 : "the history does not say which client did what";
    }
    if (decided == Validity::valid) return "";
    return "the order of writes is not known, and the search for one was cut off after " +
           std::to_string(verdict_.coverage.search_steps) + " steps";
  }

  struct Searched {
    LevelForm level;
    std::vector<std::uint32_t> core;
  };

  struct Torn {
    LevelForm level;
    std::vector<Edge> demanded;
    Cycle cycle;
  };

  const History& history_;
  const Expectation& expectation_;
  Findings findings_;
  Versions versions_;
  RegisterWrites registers_;
  Dependencies found_;
  Graph graph_;
  Core core_;
  bool met_ = false;
  bool has_sessions_ = false;
  bool has_times_ = false;
  bool too_many_choices_ = false;
  bool out_of_steps_ = false;
  std::vector<std::optional<Validity>> results_;  // by place in all_levels()
  std::vector<Searched> searched_;
  std::vector<Torn> torn_;
  std::map<std::pair<AnomalyClass, Needs>, Hunted> hunted_;
  Verdict verdict_;
};

}  // namespace

Verdict check(const History& history, const Expectation& expectation) {
  return Checker(history, expectation).run();
}

}  // namespace hilsa
