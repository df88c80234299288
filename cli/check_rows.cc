#include "cli/check_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkers/checker.h"
#include "checkers/printable.h"
#include "reports/check_report.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;

Validity validity_of(const Verdict& verdict, const LevelForm& level) {
  const auto found = std::find_if(verdict.results.begin(), verdict.results.end(),
                                  [&](const LevelResult& one) { return one.level == level; });
  return found == verdict.results.end() ? Validity::unknown : found->validity;
}

// What a history that decides says about a strategy.
void decide(RowResult& result, const Verdict& verdict, Validity promised) {
  switch (promised) {
    case Validity::invalid:
      result.history_says = Measured::unsafe;
      return;
    case Validity::valid:
      // A green that means nothing is none.
      result.history_says =
          verdict.validity == Validity::unknown ? Measured::unknown : Measured::safe;
      break;
    case Validity::unknown:
      result.history_says = Measured::unknown;
      break;
  }
  if (result.history_says != Measured::unknown) return;
  result.why_history_unknown =
      verdict.reason.empty() ? "the checker could not decide it" : printable(verdict.reason);
}

std::vector<HistoryCheck::Culprit> culprits_of(const History& history, const Evidence& evidence) {
  std::vector<HistoryCheck::Culprit> culprits;
  for (const TxnIndex txn : evidence.transactions) {
    if (history.txn_client[txn] <= 0 || history.txn_task.empty()) continue;
    const History::TaskNumber& task = history.txn_task[txn];
    const HistoryCheck::Culprit culprit{history.txn_client[txn], task.trial, task.task};
    const bool known = std::find(culprits.begin(), culprits.end(), culprit) != culprits.end();
    if (!known) culprits.push_back(culprit);
  }
  return culprits;
}

HistoryCheck to_check(const History& history, const Verdict& verdict, bool with_story) {
  HistoryCheck checked;
  const std::vector<const Anomaly*> anomalies = in_telling_order(verdict);
  for (const Anomaly* const anomaly : anomalies) {
    checked.anomalies.push_back({class_name(anomaly->anomaly, anomaly->needs),
                                 common_name(anomaly->anomaly, anomaly->needs), anomaly->count});
  }
  checked.levels = level_names(verdict);
  checked.shown = shown_anomalies(history, verdict);
  if (with_story && !anomalies.empty()) {
    checked.culprits = culprits_of(history, anomalies[0]->evidence.at(0));
    checked.story = checked.shown.at(0).text;
  }
  return checked;
}

HistoryCheck check_row(RowResult& result, const Traits& traits, bool with_story) {
  // The level that the product promises to transactions; a strategy without any gets no promise.
  const std::string_view promised = traits.promised_level(result.isolation);
  const auto level = level_named(promised);
  const Verdict verdict = check(*result.history, {});
  HistoryCheck checked = to_check(*result.history, verdict, with_story);
  const Validity kept = level ? validity_of(verdict, *level) : Validity::unknown;
  if (result.plan.strategy->one_transaction) {
    checked.promised_level = promised;
    checked.breaks_promise = kept == Validity::invalid;
  }
  if (result.history_decides) decide(result, verdict, kept);
  std::optional<DeadlockWords> words;
  if (result.deadlock) {
    words = {result.deadlock->words, result.deadlock->why_none, result.deadlock->asked_ns};
  }
  checked.deadlocks = summarize_deadlocks(*result.history, words ? &*words : nullptr);
  return checked;
}

}  // namespace

void add_check_options(Options& options) {
  auto add = options.add_options();
  add("no-check", "do not look for anomalies in what was recorded");
  add("check-at-most", po::value<std::string>(),
      "attempts, of all rows together, that are kept in memory to be checked, some 300 bytes each "
      "(default 2000000); rows with more than their share are not checked");
}

CheckWishes check_wishes_from(const Parsed& parsed) {
  constexpr std::int64_t kHighest = 1'000'000'000;
  CheckWishes wishes{.wanted = parsed.count("no-check") == 0};
  if (parsed.count("check-at-most") == 0) return wishes;
  wishes.attempts_max =
      parse_whole("check-at-most", parsed["check-at-most"].as<std::string>(), 1, kHighest);
  return wishes;
}

std::int64_t collected_attempts_max(const CheckWishes& wishes, std::size_t rows) {
  if (!wishes.wanted || rows == 0) return 0;
  return std::max<std::int64_t>(1, wishes.attempts_max / static_cast<std::int64_t>(rows));
}

std::vector<HistoryCheck> check_rows(const CheckWishes& wishes, std::vector<RowResult>& results,
                                     const Traits& traits, bool interrupted, ProgressLine& line) {
  // Several stories would bury the table.
  const bool with_story = results.size() == 1;
  std::vector<HistoryCheck> checks;
  for (RowResult& result : results) {
    HistoryCheck& checked = checks.emplace_back();
    if (!wishes.wanted) {
      checked.not_checked = "--no-check";
    } else if (interrupted) {
      checked.not_checked = "the run was stopped";
    } else if (!result.history) {
      checked.not_checked = fmt::format(
          "more than {} attempts, which is a row's share of --check-at-most; --out DIR and 'hilsa "
          "check' check any number",
          collected_attempts_max(wishes, results.size()));
    } else {
      line.show([&] {
        return fmt::format("checking what {} did: {} attempts", result.plan.strategy->name,
                           result.history->transactions());
      });
      checked = check_row(result, traits, with_story);
    }
    result.history.reset();
  }
  return checks;
}

}  // namespace hilsa
