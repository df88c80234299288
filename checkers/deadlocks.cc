#include "checkers/deadlocks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace hilsa {
namespace {

enum class LockMode { none, shared, exclusive };

bool conflict(LockMode one, LockMode other) {
  return one != LockMode::none && other != LockMode::none &&
         (one == LockMode::exclusive || other == LockMode::exclusive);
}

// Plain reads take locks: InnoDB's at serializable, and two-phase locking.
bool plain_reads_lock(const HistoryHeader& header) {
  const bool is_innodb = header.product == "mysql" || header.product == "mariadb";
  return (is_innodb && header.isolation == "serializable") ||
         header.url.find("sim:serializable-2pl") != std::string::npos;
}

class DeadlockSearch {
 public:
  explicit DeadlockSearch(const History& history);

  // The circle of the victim, or the victim alone.
  Deadlock circle_of(TxnIndex victim);
  Deadlock told(TxnIndex victim, const DeadlockReport& report);

 private:
  // A statement at work: its operations [first, last), or that which failed.
  struct Statement {
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    std::uint32_t statement = kNone;
    OpIndex first = 0;
    OpIndex last = 0;
    ObjectIndex failed_row = kNone;
  };
  struct Lock {
    TxnIndex txn;
    OpIndex op;
    Nanoseconds taken;  // it was there by then
  };

  bool has_sql(std::uint32_t statement, std::string_view words) const;
  LockMode mode_of(OpIndex op) const;
  LockMode mode_of(const Statement& waiting) const;
  // The statements of the transaction that ran within the victim's wait. There may be several: the
  // victim's client hears of its end later than the others profit from it.
  std::vector<Statement> at_work(TxnIndex txn, const Failure& victims) const;
  std::optional<DeadlockMember> waiting_session(std::int64_t session, const Failure& victims) const;
  std::vector<ObjectIndex> rows_wanted(const Statement& waiting) const;
  // What the transaction had locked of the row by then, in a way that the other one cannot share.
  std::optional<Lock> lock_on(ObjectIndex row, TxnIndex txn, LockMode wanted, Nanoseconds by) const;
  // Those whose end the statement waited for, who had the lock first before others.
  std::vector<std::pair<Lock, ObjectIndex>> holders(TxnIndex txn, const Statement& waiting) const;
  template <typename F>
  void for_each_at(Nanoseconds from, Nanoseconds to, F see) const;
  bool leads_back(TxnIndex txn, const Statement& waiting, std::vector<DeadlockMember>& circle);
  static DeadlockMember member(TxnIndex txn, const Statement& waiting) {
    return {.txn = txn, .statement = waiting.statement, .begin = waiting.begin, .end = waiting.end};
  }
  Statement statement_of(const Failure& failure) const {
    return {.begin = failure.begin,
            .end = failure.end,
            .statement = failure.statement,
            .failed_row = failure.object};
  }

  const History& history_;
  bool plain_reads_lock_;
  std::vector<std::vector<TxnIndex>> by_client_;  // in the order of their begins
  // Of the circle at hand:
  TxnIndex victim_ = kNone;
  Statement failed_;
  std::set<TxnIndex> visited_;
};

DeadlockSearch::DeadlockSearch(const History& history)
    : history_(history), plain_reads_lock_(plain_reads_lock(history.header)) {
  if (!history.has_times()) return;
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    if (history.txn_client[txn] < 0) continue;
    const auto client = static_cast<std::size_t>(history.txn_client[txn]);
    if (client >= by_client_.size()) by_client_.resize(client + 1);
    by_client_[client].push_back(txn);
  }
}

// A client's attempts follow each other, so their ends ascend as their begins do.
template <typename F>
void DeadlockSearch::for_each_at(Nanoseconds from, Nanoseconds to, F see) const {
  for (const std::vector<TxnIndex>& attempts : by_client_) {
    auto at = std::lower_bound(
        attempts.begin(), attempts.end(), from,
        [&](TxnIndex txn, Nanoseconds time) { return history_.txn_end[txn] < time; });
    for (; at != attempts.end() && history_.txn_begin[*at] <= to; ++at) see(*at);
  }
}

bool DeadlockSearch::has_sql(std::uint32_t statement, std::string_view words) const {
  return statement != kNone && history_.statements[statement].find(words) != std::string::npos;
}

LockMode DeadlockSearch::mode_of(OpIndex op) const {
  switch (history_.op_kind[op]) {
    case Op::write:
    case Op::insert:
    case Op::erase:
      return LockMode::exclusive;
    case Op::read:
    case Op::seen_row:
      break;
    default:
      return LockMode::none;
  }
  const std::uint32_t statement = history_.op_statement[op];
  if (has_sql(statement, "FOR UPDATE")) return LockMode::exclusive;
  if (has_sql(statement, "FOR SHARE") || has_sql(statement, "LOCK IN SHARE MODE")) {
    return LockMode::shared;
  }
  return plain_reads_lock_ ? LockMode::shared : LockMode::none;
}

// The strongest of what it takes.
LockMode DeadlockSearch::mode_of(const Statement& waiting) const {
  if (has_sql(waiting.statement, "SKIP LOCKED") || has_sql(waiting.statement, "NOWAIT")) {
    return LockMode::none;
  }
  LockMode mode = LockMode::none;
  for (OpIndex op = waiting.first; op < waiting.last; ++op) {
    mode = std::max(mode, mode_of(op));
  }
  if (waiting.first < waiting.last || waiting.failed_row == kNone) return mode;
  // One that failed has no operations: its SQL says it.
  const bool reads = has_sql(waiting.statement, "SELECT");
  if (!reads || has_sql(waiting.statement, "FOR UPDATE")) return LockMode::exclusive;
  return plain_reads_lock_ || has_sql(waiting.statement, "SHARE") ? LockMode::shared
                                                                  : LockMode::none;
}

std::vector<DeadlockSearch::Statement> DeadlockSearch::at_work(TxnIndex txn,
                                                               const Failure& victims) const {
  const auto within = [&](Nanoseconds begin, Nanoseconds end) {
    return begin < victims.end && end > victims.begin;
  };
  std::vector<Statement> found;
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
    const Nanoseconds begin = history_.op_begin[op];
    const Nanoseconds end = history_.op_end[op];
    if (!within(begin, end)) continue;
    if (!found.empty() && found.back().begin == begin && found.back().end == end) {
      found.back().last = op + 1;
    } else {
      found.push_back({.begin = begin,
                       .end = end,
                       .statement = history_.op_statement[op],
                       .first = op,
                       .last = op + 1});
    }
  }
  const Failure* const failure = history_.failure_of(txn);
  const bool has_failed = failure != nullptr && failure->has_times();
  if (has_failed && within(failure->begin, failure->end)) found.push_back(statement_of(*failure));
  return found;
}

std::vector<ObjectIndex> DeadlockSearch::rows_wanted(const Statement& waiting) const {
  std::vector<ObjectIndex> rows;
  if (waiting.failed_row != kNone) rows.push_back(waiting.failed_row);
  for (OpIndex op = waiting.first; op < waiting.last; ++op) {
    // Nobody else can have locked a row that was not there yet.
    const bool is_lock = history_.op_kind[op] != Op::insert && mode_of(op) != LockMode::none;
    if (is_lock) rows.push_back(history_.op_object[op]);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::optional<DeadlockSearch::Lock> DeadlockSearch::lock_on(ObjectIndex row, TxnIndex txn,
                                                            LockMode wanted, Nanoseconds by) const {
  if (!history_.txn_flags[txn].one_transaction) return std::nullopt;  // it let go at once
  for (OpIndex op = history_.first_op(txn); op < history_.end_op(txn); ++op) {
    if (history_.op_end[op] > by) break;
    if (history_.op_kind[op] == Op::predicate_read || history_.op_object[op] != row) continue;
    if (conflict(wanted, mode_of(op))) return Lock{txn, op, history_.op_end[op]};
  }
  return std::nullopt;
}

std::vector<std::pair<DeadlockSearch::Lock, ObjectIndex>> DeadlockSearch::holders(
    TxnIndex txn, const Statement& waiting) const {
  std::vector<std::pair<Lock, ObjectIndex>> found;
  const LockMode wanted = mode_of(waiting);
  if (wanted == LockMode::none) return found;
  const std::vector<ObjectIndex> rows = rows_wanted(waiting);
  for_each_at(waiting.begin, waiting.end, [&](TxnIndex other) {
    if (other == txn) return;
    for (const ObjectIndex row : rows) {
      // Locked while the statement was not through yet: so that waited for the other one's end.
      const auto lock = lock_on(row, other, wanted, waiting.end);
      if (lock) found.emplace_back(*lock, row);
    }
  });
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first.taken < b.first.taken; });
  return found;
}

// Depth first. Of several that had a row one after the other, the first one is tried first: with
// the victim still there, the later ones did not have it yet.
bool DeadlockSearch::leads_back(TxnIndex txn, const Statement& waiting,
                                std::vector<DeadlockMember>& circle) {
  circle.push_back(member(txn, waiting));
  const std::size_t place = circle.size() - 1;
  for (const auto& [lock, row] : holders(txn, waiting)) {
    circle[place].row = row;
    circle[place].lock = lock.op;
    if (lock.txn == victim_) {
      if (lock.taken <= failed_.begin) return true;
      continue;
    }
    if (visited_.count(lock.txn) != 0) continue;
    visited_.insert(lock.txn);
    for (const Statement& next : at_work(lock.txn, *history_.failure_of(victim_))) {
      if (lock.taken <= next.begin && leads_back(lock.txn, next, circle)) return true;
    }
  }
  circle.pop_back();
  return false;
}

Deadlock DeadlockSearch::circle_of(TxnIndex victim) {
  const Failure& failure = *history_.failure_of(victim);
  Deadlock deadlock;
  victim_ = victim;
  failed_ = statement_of(failure);
  visited_ = {victim};
  if (!by_client_.empty() && failure.has_times() && leads_back(victim, failed_, deadlock.circle)) {
    return deadlock;
  }
  deadlock.circle = {member(victim, failed_)};
  deadlock.circle[0].row = failure.object;
  return deadlock;
}

// Of its statements the one that shared most of the victim's wait.
std::optional<DeadlockMember> DeadlockSearch::waiting_session(std::int64_t session,
                                                              const Failure& victims) const {
  std::optional<DeadlockMember> found;
  Nanoseconds longest = 0;
  for_each_at(victims.begin, victims.end, [&](TxnIndex txn) {
    if (history_.txn_session[txn] != session) return;
    for (const Statement& one : at_work(txn, victims)) {
      const Nanoseconds shared =
          std::min(one.end, victims.end) - std::max(one.begin, victims.begin);
      if (shared <= longest) continue;
      longest = shared;
      found = member(txn, one);
      const std::vector<ObjectIndex> rows = rows_wanted(one);
      if (rows.size() == 1) found->row = rows[0];
    }
  });
  return found;
}

Deadlock DeadlockSearch::told(TxnIndex victim, const DeadlockReport& report) {
  Deadlock known = circle_of(victim);
  const Failure& failure = *history_.failure_of(victim);
  const bool may_match = !history_.txn_session.empty() && !by_client_.empty();
  if (!may_match || !failure.has_times()) return known;
  Deadlock deadlock;
  bool is_known = known.circle.size() == report.waits.size();
  std::int64_t session = history_.txn_session[victim];
  for (std::size_t i = 0; i < report.waits.size(); ++i) {
    const auto wait = std::find_if(report.waits.begin(), report.waits.end(),
                                   [&](const auto& one) { return one.session == session; });
    if (wait == report.waits.end()) return known;
    is_known = is_known && history_.txn_session[known.circle[i].txn] == session;
    const std::optional<DeadlockMember> found =
        i == 0 ? known.circle[0] : waiting_session(session, failure);
    if (!found) return known;
    deadlock.circle.push_back(*found);
    session = wait->blocked_by;
  }
  const bool is_closed = session == history_.txn_session[victim];
  if (is_known || !is_closed || deadlock.circle.size() < 2) return known;
  deadlock.circle[0].lock = kNone;  // may be another one's
  return deadlock;
}

}  // namespace

Deadlocks find_deadlocks(const History& history) {
  Deadlocks deadlocks;
  if (history.form != Form::stamped || history.failed.empty()) return deadlocks;
  DeadlockSearch search(history);
  std::set<TxnIndex> victims;
  for (const auto& [txn, failure] : history.failed) {
    if (failure.kind == ErrorKind::deadlock) victims.insert(txn);
  }
  std::set<std::pair<TxnIndex, Nanoseconds>> survived;  // a statement may survive several
  for (const TxnIndex victim : victims) {
    deadlocks.found.push_back(search.circle_of(victim));
    const std::vector<DeadlockMember>& circle = deadlocks.found.back().circle;
    if (history.failure_of(victim)->has_times()) {
      deadlocks.victims_waited.record(circle[0].waited());
    }
    for (std::size_t i = 1; i < circle.size(); ++i) {
      // Who falls victim with the very same statement is none.
      const Failure* const failure = history.failure_of(circle[i].txn);
      const bool falls_later = failure != nullptr && failure->begin == circle[i].begin;
      if (falls_later || !survived.emplace(circle[i].txn, circle[i].begin).second) continue;
      deadlocks.survivors_waited.record(circle[i].waited());
    }
  }
  return deadlocks;
}

Deadlock deadlock_told(const History& history, TxnIndex victim, const DeadlockReport& report) {
  return DeadlockSearch(history).told(victim, report);
}

}  // namespace hilsa
