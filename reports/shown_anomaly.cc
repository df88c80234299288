#include "reports/shown_anomaly.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checkers/explain.h"
#include "checkers/phrases.h"
#include "checkers/printable.h"
#include "checkers/story.h"
#include "checkers/timeline.h"
#include "reports/check_report.h"

namespace hilsa {
namespace {

using Kind = TimelineEntry::Kind;
using Step = ShownTimeline::Step;

// Where each statement begins and ends among all of them. Those that are answered are numbered in
// the order of their answers; a statement begins at the first of them that was answered after it
// had been sent.
void place(std::vector<Step>& steps) {
  const auto answered_at = [](const Step& step) {
    return step.at.value_or(0) + step.took.value_or(0);
  };
  const bool timed = std::all_of(steps.begin(), steps.end(), [](const Step& s) { return s.at; });
  if (!timed) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i].sent = steps[i].answered = static_cast<int>(i);
    }
    return;
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [&](const Step& a, const Step& b) { return answered_at(a) < answered_at(b); });
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].answered = static_cast<int>(i);
  for (Step& step : steps) {
    step.sent = step.answered;
    for (int before = step.answered - 1; before >= 0; --before) {
      const Step& other = steps[static_cast<std::size_t>(before)];
      if (answered_at(other) <= *step.at) break;
      step.sent = before;
      // Somebody else's whole statement fits in between: this one cannot just have been slow to
      // start.
      if (other.lane != step.lane && *other.at >= *step.at) step.waited = true;
    }
    if (!step.waited) step.sent = step.answered;
  }
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return a.sent != b.sent ? a.sent < b.sent : a.answered < b.answered;
  });
}

std::string about(const History& history, TxnIndex txn) {
  const std::int32_t client = history.txn_client[txn];
  if (client == 0 && history.form == Form::stamped) return "set-up";
  return client < 0 ? "" : fmt::format("client {}", client);
}

ShownTimeline timeline_of(const History& history, const Phrases& phrases,
                          const std::vector<TxnIndex>& transactions,
                          const std::vector<OpIndex>& shown) {
  ShownTimeline timeline;
  std::map<TxnIndex, int> lanes;
  for (const TxnIndex txn : transactions) {
    lanes[txn] = static_cast<int>(timeline.lanes.size());
    timeline.lanes.push_back({.name = phrases.txn(txn),
                              .about = about(history, txn),
                              .failed = history.txn_flags[txn].outcome == AttemptOutcome::aborted});
  }
  for (const TimelineEntry& entry : timeline_entries(history, phrases, transactions, shown)) {
    const int lane = lanes.at(entry.txn);
    if (entry.kind == Kind::begin) continue;
    if (entry.kind == Kind::end) {
      timeline.lanes[static_cast<std::size_t>(lane)].end = entry.result;
    }
    Step step{.lane = lane,
              .what = entry.what,
              .answer = entry.result,
              .failed = entry.kind == Kind::failed_statement,
              .at = entry.at,
              .took = entry.took};
    // Two of one lane never overlap, whatever the clock says.
    if (entry.kind == Kind::left_out && !timeline.steps.empty()) step.at = timeline.steps.back().at;
    timeline.steps.push_back(std::move(step));
  }
  place(timeline.steps);
  return timeline;
}

std::vector<ShownEdge> edges_of(const History& history, const Phrases& phrases,
                                const Evidence& evidence,
                                const std::vector<TxnIndex>& transactions) {
  std::vector<ShownEdge> edges;
  const auto lane_of = [&](TxnIndex txn) {
    const auto found = std::find(transactions.begin(), transactions.end(), txn);
    return static_cast<int>(found - transactions.begin());
  };
  for (const EvidenceEdge& edge : in_telling_order(evidence.cycle)) {
    ShownEdge shown{.from = lane_of(edge.from),
                    .to = lane_of(edge.to),
                    .kind = std::string(name_of(edge.kind)),
                    .about = {},
                    .inferred = edge.inferred};
    if (edge.object < history.objects()) shown.about = phrases.object(edge.object);
    edges.push_back(std::move(shown));
  }
  return edges;
}

}  // namespace

int ShownTimeline::places() const {
  int last = -1;
  for (const Step& step : steps) last = std::max(last, step.answered);
  return last + 1;
}

ShownAnomaly to_shown(const History& history, const Anomaly& anomaly, const Evidence& evidence) {
  std::vector<TxnIndex> transactions;
  for (const TxnIndex txn : evidence.transactions) {
    if (txn < history.transactions()) transactions.push_back(txn);
  }
  std::vector<OpIndex> mentioned = evidence.operations;
  for (const EvidenceEdge& edge : evidence.cycle) {
    mentioned.push_back(edge.from_op);
    mentioned.push_back(edge.to_op);
  }
  std::erase(mentioned, kNone);
  const std::vector<OpIndex> steps = operations_to_show(history, transactions, mentioned);
  mentioned.insert(mentioned.end(), steps.begin(), steps.end());
  const Phrases phrases(history, mentioned);
  ShownAnomaly shown{.anomaly = class_name(anomaly.anomaly, anomaly.needs),
                     .name = common_name(anomaly.anomaly, anomaly.needs),
                     .meaning = std::string(meaning_of(anomaly.anomaly, anomaly.needs)),
                     .count = anomaly.count,
                     .sentences = tell(history, phrases, anomaly, evidence),
                     .cycle = edges_of(history, phrases, evidence, transactions),
                     .text = explain(history, anomaly, evidence)};
  if (transactions.size() <= kLanesMax) {
    shown.timeline = timeline_of(history, phrases, transactions, steps);
  } else {
    for (const TxnIndex txn : transactions) {
      shown.timeline.lanes.push_back({.name = phrases.txn(txn), .about = about(history, txn)});
    }
  }
  return shown;
}

std::vector<ShownAnomaly> shown_anomalies(const History& history, const Verdict& verdict) {
  std::vector<ShownAnomaly> shown;
  for (const Anomaly* const anomaly : in_telling_order(verdict)) {
    shown.push_back(to_shown(history, *anomaly, anomaly->evidence.at(0)));
  }
  return shown;
}

}  // namespace hilsa
