#include "reports/deadlock_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkers/application_sql.h"
#include "checkers/deadlocks.h"
#include "checkers/printable.h"

namespace hilsa {
namespace {

constexpr std::size_t kWidthMax = 120;

using Example = DeadlockSummary::Example;

std::vector<DeadlockSummary::Wait> waits_of(const History& history, const Deadlock& deadlock) {
  std::vector<DeadlockSummary::Wait> waits;
  for (const DeadlockMember& member : deadlock.circle) {
    DeadlockSummary::Wait wait{.transaction = history.txn_name(member.txn),
                               .client = history.txn_client[member.txn],
                               .next_had_locked_it = member.lock != kNone,
                               .waited = member.waited()};
    if (!history.txn_session.empty()) wait.session = history.txn_session[member.txn];
    if (member.statement != kNone) {
      wait.statement = printable(application_sql(history.statements[member.statement]));
    }
    if (member.row != kNone) wait.row = printable(history.object_name(member.row));
    waits.push_back(std::move(wait));
  }
  return waits;
}

// The server's words, but for what this tool adds to statements to stamp rows.
std::string words_of(const DeadlockReport& report) {
  constexpr std::string_view kStamp = ", _writer = ";
  constexpr std::string_view kStampEnd = ", _version = _version + 1";
  std::string words = report.words;
  for (const DeadlockReport::Wait& wait : report.waits) {
    if (wait.statement.empty()) continue;
    std::string sql = application_sql(wait.statement);
    const auto from = sql.find(kStamp);
    const auto to = sql.find(kStampEnd, std::min(from, sql.size()));
    if (to != std::string::npos) sql.erase(from, to + kStampEnd.size() - from);
    const auto at = words.find(wait.statement);
    if (at != std::string::npos) words.replace(at, wait.statement.size(), sql);
  }
  return printable(words);
}

TxnIndex victim_of(const Deadlock& deadlock) { return deadlock.circle[0].txn; }

// The one that the server has told of when it was asked: the last one with that victim by then.
const Deadlock* told_last(const History& history, const Deadlocks& deadlocks,
                          const DeadlockReport& report, Nanoseconds asked_ns) {
  const auto victim = std::find_if(report.waits.begin(), report.waits.end(),
                                   [](const auto& wait) { return wait.is_victim; });
  if (victim == report.waits.end() || history.txn_session.empty()) return nullptr;
  const Deadlock* last = nullptr;
  Nanoseconds last_end = 0;
  for (const Deadlock& deadlock : deadlocks.found) {
    const Nanoseconds end = deadlock.circle[0].end;
    const bool is_it = history.txn_session[victim_of(deadlock)] == victim->session;
    if (!is_it || end > asked_ns || (last != nullptr && end < last_end)) continue;
    last = &deadlock;
    last_end = end;
  }
  return last;
}

std::optional<Example> by_the_servers_account(const History& history, const Deadlocks& deadlocks,
                                              const DeadlockWords& words) {
  const auto report = innodb_deadlock(words.section);
  if (!report) return std::nullopt;
  const Deadlock* const found = told_last(history, deadlocks, *report, words.asked_ns);
  if (found == nullptr) return std::nullopt;
  const Deadlock told = deadlock_told(history, victim_of(*found), *report);
  return Example{.waits = waits_of(history, told), .server = words_of(*report)};
}

// The first that is whole, and of those one of as few as possible.
Example by_the_victims_words(const History& history, const Deadlocks& deadlocks) {
  const Deadlock* best = &deadlocks.found[0];
  for (const Deadlock& deadlock : deadlocks.found) {
    if (!deadlock.is_whole()) continue;
    if (!best->is_whole() || deadlock.circle.size() < best->circle.size()) best = &deadlock;
  }
  const auto report = deadlock_in_error(history.reply_of(victim_of(*best)));
  if (!report) return {.waits = waits_of(history, *best)};
  const Deadlock told = deadlock_told(history, victim_of(*best), *report);
  return {.waits = waits_of(history, told), .server = words_of(*report)};
}

std::string milliseconds(Nanoseconds value) {
  const double number = static_cast<double>(value) / 1e6;
  return fmt::format("{:.{}f}", number, number < 10 ? 2 : number < 100 ? 1 : 0);
}

std::string spread(const Histogram& waited) {
  return fmt::format("{} ms (median; longest {})", milliseconds(waited.percentile(50)),
                     milliseconds(waited.max()));
}

void add_wrapped(std::string& text, const std::string& line, std::size_t indent) {
  for (const std::string& part : wrapped(line, kWidthMax - indent, 2)) {
    text += std::string(indent, ' ') + part + "\n";
  }
}

}  // namespace

DeadlockSummary summarize_deadlocks(const History& history, const DeadlockWords* words) {
  Deadlocks deadlocks = find_deadlocks(history);
  DeadlockSummary summary;
  summary.count = static_cast<std::int64_t>(deadlocks.found.size());
  if (deadlocks.found.empty()) return summary;
  if (words != nullptr && !words->section.empty()) {
    summary.example = by_the_servers_account(history, deadlocks, *words);
  }
  if (!summary.example) {
    summary.example = by_the_victims_words(history, deadlocks);
    if (words != nullptr) summary.example->why_no_words = printable(words->why_none);
  }
  summary.victims_waited = std::move(deadlocks.victims_waited);
  summary.survivors_waited = std::move(deadlocks.survivors_waited);
  return summary;
}

std::string deadlocks_in_short(const DeadlockSummary& summary) {
  if (summary.count == 0) return "";
  std::string text =
      fmt::format("{} {}", summary.count, summary.count == 1 ? "deadlock" : "deadlocks");
  if (summary.victims_waited.count() > 0) {
    text += "; victims waited " + spread(summary.victims_waited);
  }
  if (summary.survivors_waited.count() > 0) {
    text += ", survivors " + spread(summary.survivors_waited);
  }
  return text;
}

std::string explain_deadlock(const DeadlockSummary& summary) {
  if (!summary.example) return "";
  const Example& example = *summary.example;
  const std::size_t count = example.waits.size();
  std::string text;
  if (count == 1) {
    add_wrapped(text, "deadlock: " + example.waits[0].transaction + " was rolled back", 0);
  } else {
    std::string circle = "deadlock: ";
    for (std::size_t i = 0; i < count; ++i) {
      circle += example.waits[i].transaction + " waited for " +
                example.waits[(i + 1) % count].transaction + ", ";
    }
    circle += "until the database rolled " + example.waits[0].transaction + " back";
    add_wrapped(text, circle, 0);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const DeadlockSummary::Wait& wait = example.waits[i];
    std::string line = fmt::format("{} (client {}", wait.transaction, wait.client);
    if (wait.session != 0) line += fmt::format(", session {}", wait.session);
    line +=
        fmt::format("{}) waited {} ms", i == 0 ? ", the victim" : "", milliseconds(wait.waited));
    if (!wait.row.empty()) line += " for " + wait.row;
    const std::string& next = example.waits[(i + 1) % count].transaction;
    if (count > 1)
      line += wait.next_had_locked_it ? ", which " + next + " had locked" : " behind " + next;
    if (!wait.statement.empty()) line += ", in: " + wait.statement;
    add_wrapped(text, line, 2);
  }
  if (!example.server.empty()) add_wrapped(text, "the server: " + example.server, 2);
  if (!example.why_no_words.empty()) {
    add_wrapped(text, "the server's own account is missing: " + example.why_no_words, 2);
  }
  return text;
}

}  // namespace hilsa
