#include "harness/run/attempts.h"

#include <algorithm>

#include "workloads/table/pause.h"

namespace hilsa {

bool is_retryable(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::serialization_failure:
    case ErrorKind::deadlock:
    case ErrorKind::lock_timeout:
    case ErrorKind::busy:
    case ErrorKind::connection_lost:
      return true;
    case ErrorKind::unique_violation:
    case ErrorKind::check_violation:
    case ErrorKind::foreign_key_violation:
    case ErrorKind::commit_unknown:
    case ErrorKind::pool_timeout:
    case ErrorKind::statement_timeout:
    case ErrorKind::interrupted:
    case ErrorKind::other:
      break;
  }
  return false;
}

void Overlap::enter() {
  const int now = now_.fetch_add(1, std::memory_order_relaxed) + 1;
  int most = most_.load(std::memory_order_relaxed);
  while (now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void TaskRunner::run(const Task& task, Nanoseconds wished_ns) {
  Part part{.body = context_.strategy.body};
  if (run_part(task, part) == Step::cut_short) return;
  if (part.end == TaskEnd::done && context_.strategy.afterwards != nullptr) {
    pause_for(context_.transaction.think, context_.stop);
    Task rest = task;
    rest.answer = part.answer.value_or(Answer{});
    part = {.body = context_.strategy.afterwards, .answer = part.answer};
    if (run_part(rest, part) == Step::cut_short) return;
  }
  ++tasks_;
  tally_.add(part.end);
  if (part.answer && part.end == TaskEnd::done) tally_.acknowledged.push_back(*part.answer);
  if (part.answer && part.end == TaskEnd::refused) tally_.refused.push_back(*part.answer);
  if (part.answer && part.end == TaskEnd::unknown) tally_.in_doubt.push_back(*part.answer);
  const Nanoseconds latency = now_ns() - wished_ns;
  const bool answered = part.end == TaskEnd::done || part.end == TaskEnd::refused;
  if (answered) tally_.latency.record(latency);
  if (meter_ != nullptr) meter_->add_task(part.end, latency);
}

TaskRunner::Step TaskRunner::run_part(const Task& task, Part& part) {
  for (int try_number = 1; try_number <= context_.retry.max_attempts; ++try_number) {
    const Step step = attempt(task, try_number, part);
    if (step != Step::again) return step;
    if (try_number < context_.retry.max_attempts) pause_before_retry(try_number);
  }
  return Step::ended;
}

TaskRunner::Step TaskRunner::attempt(const Task& task, int try_number, Part& part) {
  TaskEnd& end = part.end;
  auto lease = context_.pool.acquire(context_.pool_wait, context_.stop);
  if (!lease) {
    if (lease.error().kind == ErrorKind::interrupted) return Step::cut_short;
    tally_.add(lease.error());
    end = end_after(lease.error());
    return is_retryable(lease.error().kind) ? Step::again : Step::ended;
  }
  Attempt attempt{.id = context_.next_attempt.fetch_add(1, std::memory_order_relaxed),
                  .client = client_,
                  .trial = context_.trial.number,
                  .task = tasks_,
                  .try_number = try_number,
                  .one_transaction = context_.strategy.one_transaction,
                  .session = lease->session().server_id()};
  ++tally_.attempts;
  if (try_number > 1) ++tally_.retries;
  Transaction txn(lease->session(), context_.transaction, attempt);
  TaskResult result;
  context_.overlap.enter();
  run_body(part.body, task, txn, attempt, result);
  context_.overlap.leave();
  if (txn.crashed()) lease->cut();
  if (attempt.outcome == AttemptOutcome::committed) ++tally_.committed;
  // A refusal that had nothing to undo is no failure.
  const bool failed = attempt.error || result.kind == TaskResult::Kind::conflict;
  if (failed && meter_ != nullptr) meter_->add_aborted_attempt();
  if (result.answer) part.answer = result.answer;

  Step step = Step::ended;
  if (attempt.error) {
    const Error& error = *attempt.error;
    tally_.add(error);
    end = txn.crashed() ? TaskEnd::failed : end_after(error);
    // What statements outside a transaction have done stays done; repeating would do it twice.
    const bool half_done = !context_.strategy.one_transaction && txn.wrote();
    if (half_done && end == TaskEnd::gave_up) end = TaskEnd::failed;
    if (end == TaskEnd::gave_up) step = Step::again;
    if (error.kind == ErrorKind::interrupted) step = Step::cut_short;
  } else if (result.kind == TaskResult::Kind::conflict) {
    ++tally_.conflicts;
    const bool half_done = !context_.strategy.one_transaction && txn.wrote();
    end = half_done ? TaskEnd::failed : TaskEnd::gave_up;
    step = half_done ? Step::ended : Step::again;
  } else {
    end = result.kind == TaskResult::Kind::done ? TaskEnd::done : TaskEnd::refused;
  }
  // What an earlier attempt said before its COMMIT failed was about something else.
  if (end == TaskEnd::refused) part.answer = attempt.error ? std::nullopt : result.answer;
  finish(std::move(attempt));
  return step;
}

TaskEnd TaskRunner::end_after(const Error& error) const {
  if (context_.strategy.refused_by == error.kind) return TaskEnd::refused;
  if (context_.strategy.conflict_by == error.kind) return TaskEnd::gave_up;
  if (error.kind == ErrorKind::commit_unknown) return TaskEnd::unknown;
  return is_retryable(error.kind) ? TaskEnd::gave_up : TaskEnd::failed;
}

void TaskRunner::run_body(Body body, const Task& task, Transaction& txn, Attempt& attempt,
                          TaskResult& result) const {
  const bool one_transaction = context_.strategy.one_transaction;
  bool roll_back = false;
  attempt.begin_ns = now_ns();
  try {
    if (one_transaction) txn.run(begin_at(context_.isolation));
    result = body(txn, task);
    attempt.reply = result.reply;
    roll_back = one_transaction && result.kind != TaskResult::Kind::done &&
                (result.kind == TaskResult::Kind::conflict || txn.wrote());
    if (one_transaction && !roll_back) txn.run(commit());
    attempt.outcome = roll_back ? AttemptOutcome::aborted : AttemptOutcome::committed;
  } catch (AttemptFailed& failed) {
    roll_back = one_transaction;
    if (failed.error.kind == ErrorKind::commit_unknown) {
      attempt.outcome = AttemptOutcome::unknown;
    } else {
      // Statements outside a transaction have committed one by one.
      const bool half_done = !one_transaction && txn.wrote();
      attempt.outcome = half_done ? AttemptOutcome::committed : AttemptOutcome::aborted;
    }
    attempt.error = std::move(failed.error);
    attempt.reply.clear();  // whatever the body had said before COMMIT failed
  }
  txn.settle(roll_back);
}

void TaskRunner::pause_before_retry(int try_number) {
  constexpr int kDoublingsMax = 10;
  const auto unit = std::chrono::nanoseconds(context_.retry.backoff_unit).count();
  const auto longest = unit << std::min(try_number - 1, kDoublingsMax);
  if (longest == 0) return;
  const auto length = rng_.below(static_cast<std::uint64_t>(longest));
  pause_for(std::chrono::nanoseconds(length), context_.stop);
}

void TaskRunner::finish(Attempt&& attempt) {
  if (context_.recorder != nullptr) context_.recorder->record(std::move(attempt));
}

}  // namespace hilsa
