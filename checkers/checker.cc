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
#include <optional>

#include "checkers/atomicity.h"
#include "checkers/cycles.h"
#include "checkers/dependencies.h"
#include "checkers/details.h"
#include "checkers/graph.h"
#include "checkers/hunt.h"
#include "checkers/item_dependencies.h"
#include "checkers/level_decider.h"
#include "checkers/levels.h"
#include "checkers/register_dependencies.h"
#include "checkers/rules.h"
#include "checkers/search.h"
#include "checkers/versions.h"

namespace hilsa {
namespace {

class Checker {
 public:
  Checker(const History& history, const Expectation& expectation)
      : history_(history), expectation_(expectation), findings_(expectation.evidence) {}

  Verdict run() {
    collect();
    LevelDecider levels({.form = history_.form,
                         .findings = findings_,
                         .found = found_,
                         .registers = registers_,
                         .graph = graph_,
                         .core = core_,
                         .has_sessions = has_sessions_,
                         .has_times = history_.has_times(),
                         .too_many_choices = too_many_choices_,
                         .evidence = expectation_.evidence,
                         .search_steps = expectation_.search_steps});
    levels.decide_all();
    verdict_.coverage.search_steps = levels.steps();
    report_findings();
    report_cycles(levels);
    report_searched(levels);
    report_torn_reads(levels);
    std::stable_sort(verdict_.anomalies.begin(), verdict_.anomalies.end(),
                     [](const Anomaly& a, const Anomaly& b) {
                       return a.anomaly != b.anomaly ? a.anomaly < b.anomaly : a.needs < b.needs;
                     });
    fill_results(levels);
    cover();
    judge(levels);
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
      add_absent_or_gone(history_, versions_, found_);
    }
    if (history_.form == Form::stamped) {
      add_predicate_dependencies(history_, versions_, findings_, found_, expectation_.predicates);
    }
    find_fractured_reads(history_, versions_, found_, findings_);
    graph_ = Graph(static_cast<std::uint32_t>(history_.transactions()),
                   TimeChain(history_, versions_.counted), [this](const auto& visit) {
                     if (history_.form != Form::registers) {
                       each_item_dependency(history_, versions_, visit);
                     }
                     for (const Edge& edge : found_.known) visit(edge);
                     each_session_edge(history_, versions_, visit);
                   });
    count_edges();
    found_.known = {};
    find_core();
    add_open_orders();
  }

  // Counts dependencies, and those between clients: without any, nothing was put to the test.
  void count_edges() {
    auto& counts = verdict_.coverage.edges;
    const auto count_of = [&](EdgeKind kind) -> std::int64_t& {
      return counts[static_cast<std::size_t>(kind)];
    };
    const auto is_set_up = [&](TxnIndex txn) { return history_.txn_client[txn] == 0; };
    for (TxnIndex from = 0; from < graph_.transactions(); ++from) {
      const bool from_client = !is_set_up(from);
      for (std::uint32_t edge = graph_.begin_of(from); edge < graph_.end_of(from); ++edge) {
        const EdgeKind kind = graph_.kind(edge);
        ++count_of(kind);
        if (met_ || !from_client || kind == EdgeKind::session) continue;
        met_ = !is_set_up(graph_.target(edge));
      }
    }
    for (const Edge& edge : found_.choices.edges) {
      if (!is_set_up(edge.from) && !is_set_up(edge.to)) met_ = true;
    }
    has_sessions_ = count_of(EdgeKind::session) > 0;
    count_of(EdgeKind::realtime) = graph_.time().nodes();
  }

  void find_core() {
    if (is_acyclic(whole_of(graph_))) return;
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
    const View whole = whole_of(graph_);
    const std::vector<std::uint32_t> rank = earliest_first_order(whole);
    std::vector<Edge> edges = edges_by_rank(registers_, rank);
    const std::vector<Edge> known = edges_of(whole);
    edges.insert(edges.end(), known.begin(), known.end());
    const Graph ordered(whole.nodes(), edges, {});
    return is_acyclic({&ordered, 0xff, false, false});
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

  void report_cycles(LevelDecider& levels) {
    if (core_is_empty()) return;
    const Details details(history_, versions_, found_);
    for (const CycleClass& wanted : kCycleClasses) {
      for (const Needs needs : {Needs::data, Needs::session, Needs::realtime}) {
        if (levels.result({wanted.level, needs}) != Validity::invalid) continue;
        const Hunted& quarry = levels.hunted(wanted.anomaly, needs);
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
  void report_searched(const LevelDecider& levels) {
    const Details details(history_, versions_, found_);
    for (const LevelDecider::Searched& failed : levels.searched()) {
      const bool weaker_failed =
          std::any_of(levels.searched().begin(), levels.searched().end(), [&](const auto& other) {
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
  void report_torn_reads(const LevelDecider& levels) {
    const Details details(history_, versions_, found_);
    std::vector<std::pair<Level, Needs>> told;
    for (const LevelDecider::Torn& torn : levels.torn()) {
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

  void fill_results(const LevelDecider& levels) {
    for (const LevelForm& level : all_levels()) {
      const auto result = levels.result(level);
      if (!result) continue;
      LevelResult decided{level, *result, -1};
      if (decided.validity == Validity::invalid) decided.because = reason_for(level);
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
    verdict_.notes.insert(verdict_.notes.end(), found_.notes.begin(), found_.notes.end());
  }

  void judge(const LevelDecider& levels) {
    verdict_.demanded = expectation_.level.value_or(LevelForm{});
    const auto decided = levels.result(verdict_.demanded);
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
  bool too_many_choices_ = false;
  Verdict verdict_;
};

}  // namespace

Verdict check(const History& history, const Expectation& expectation) {
  return Checker(history, expectation).run();
}

}  // namespace hilsa
