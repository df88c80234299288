#include "reports/check_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilsa {
namespace {

// The enumeration goes from what is wrong by itself to what takes the most transactions.
int rank_of(const Anomaly& anomaly) {
  // Built on what was rolled back: next to reading such.
  if (anomaly.anomaly == AnomalyClass::dirty_update) {
    return 2 * static_cast<int>(AnomalyClass::g1a) + 1;
  }
  return 2 * static_cast<int>(anomaly.anomaly);
}

std::vector<TxnIndex> sorted(std::vector<TxnIndex> transactions) {
  std::sort(transactions.begin(), transactions.end());
  return transactions;
}

}  // namespace

std::vector<const Anomaly*> in_telling_order(const Verdict& verdict) {
  std::vector<const Anomaly*> anomalies;
  for (const Anomaly& anomaly : verdict.anomalies) anomalies.push_back(&anomaly);
  std::stable_sort(anomalies.begin(), anomalies.end(), [](const Anomaly* a, const Anomaly* b) {
    if (a->needs != b->needs) return a->needs < b->needs;
    return rank_of(*a) < rank_of(*b);
  });
  return anomalies;
}

int told_before(const std::vector<const Anomaly*>& anomalies, std::size_t anomaly,
                const Evidence& evidence) {
  const std::vector<TxnIndex> transactions = sorted(evidence.transactions);
  for (std::size_t i = 0; i < anomaly; ++i) {
    for (const Evidence& told : anomalies[i]->evidence) {
      if (sorted(told.transactions) == transactions) return static_cast<int>(i);
    }
  }
  return -1;
}

std::string called(const Anomaly& anomaly) {
  return fmt::format("{} ({})", common_name(anomaly.anomaly, anomaly.needs),
                     class_name(anomaly.anomaly, anomaly.needs));
}

std::vector<std::string> level_names(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const LevelForm& level : verdict.levels) names.push_back(name_of(level));
  return names;
}

std::vector<LevelResult> weakest_failing(const Verdict& verdict) {
  std::vector<LevelResult> weakest;
  for (const LevelResult& result : verdict.results) {
    if (result.validity != Validity::invalid) continue;
    const bool has_weaker = std::any_of(
        verdict.results.begin(), verdict.results.end(), [&result](const LevelResult& other) {
          return other.validity == Validity::invalid && other.level != result.level &&
                 implies(result.level, other.level);
        });
    if (!has_weaker) weakest.push_back(result);
  }
  return weakest;
}

}  // namespace hilsa
