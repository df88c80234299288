// One client's way with one task: attempts, each a whole transaction, repeated while that may help.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "harness/history/measurement.h"
#include "harness/history/recorder.h"
#include "harness/run/client_meter.h"
#include "harness/run/pool.h"
#include "workloads/table/workload.h"

namespace hilsa {

// Whether another attempt at the same task may end better (the whole transaction, never a part).
bool is_retryable(ErrorKind kind);

// How many attempts run at this moment, and the most that ever did: without two at once, nothing
// could have raced.
class Overlap {
 public:
  void enter();
  void leave() { now_.fetch_sub(1, std::memory_order_relaxed); }
  int most() const { return most_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
};

struct RetryPolicy {
  int max_attempts = 4;  // at least 1
  std::chrono::milliseconds backoff_unit{
      20};  // the first pause is random up to this, then it doubles
};

// All that the clients of one trial share. Everything referred to outlives the trial.
struct TrialContext {
  const Strategy& strategy;
  std::optional<Isolation> isolation;  // none: the database's default, by a plain BEGIN
  const Trial& trial;
  Transaction::Setting transaction;
  RetryPolicy retry;
  std::chrono::nanoseconds pool_wait;
  Pool& pool;
  Recorder* recorder;  // may be null: nothing is recorded
  std::atomic<AttemptId>& next_attempt;
  Overlap& overlap;
  std::stop_token stop;
};

class TaskRunner {
 public:
  // For one client in one trial; one thread. The tally counts what happens, and so does the meter,
  // if there is one.
  TaskRunner(const TrialContext& context, int client, Rng& rng, Tally& tally,
             ClientMeter* meter = nullptr)
      : context_(context), client_(client), rng_(rng), tally_(tally), meter_(meter) {}

  // `wished_ns`: when the task was wanted (its latency counts from there).
  void run(const Task& task, Nanoseconds wished_ns);

 private:
  using Body = TaskResult (*)(Transaction& txn, const Task& task);
  // cut_short: the user stopped the run in mid-task; such a task counts as nothing.
  enum class Step { ended, again, cut_short };
  struct Part {  // of a task: one transaction
    Body body;
    TaskEnd end = TaskEnd::gave_up;  // on Step::again: when no further attempt is allowed
    std::optional<Answer> answer{};
  };
  // Tries it as often as allowed.
  Step run_part(const Task& task, Part& part);
  Step attempt(const Task& task, int try_number, Part& part);
  TaskEnd end_after(const Error& error) const;
  void run_body(Body body, const Task& task, Transaction& txn, Attempt& attempt,
                TaskResult& result) const;
  void pause_before_retry(int try_number);
  void finish(Attempt&& attempt);

  const TrialContext& context_;
  int client_;
  Rng& rng_;
  Tally& tally_;
  ClientMeter* meter_;
  std::int64_t tasks_ = 0;
};

}  // namespace hilsa
