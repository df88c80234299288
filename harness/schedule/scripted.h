// Runs scenarios: transactions whose statements come in a given order, as far as the database lets
// them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.h"
#include "harness/run/client_threads.h"
#include "harness/run/trial.h"
#include "harness/run/workspace.h"
#include "harness/schedule/controlled_database.h"
#include "harness/schedule/scenarios.h"
#include "harness/schedule/turnstile.h"

namespace hilsa {

struct ScriptedRun {
  std::vector<TakenStep> steps;
  History history;
  std::vector<std::optional<Error>> errors;  // by client: what its transaction failed with
  bool blocked = false;                      // somebody waited for a lock
  bool aborted() const;
};

class ScriptedRunner {
 public:
  // Makes the workspace. Throws UsageError or DatabaseUnusable. The database and the watch outlive
  // this; one thread uses it.
  ScriptedRunner(Database& database, BlockWatch& watch);
  ~ScriptedRunner();

  // All of its transactions at this level; none: at the database's own.
  ScriptedRun run(const Scenario& scenario, std::optional<Isolation> isolation);

 private:
  static constexpr int kClients = 3;

  void run_client(const Scenario& scenario, std::optional<Isolation> isolation, int client,
                  std::int64_t first, Attempt& attempt);
  void set_up(std::int64_t first, Attempt& attempt);

  ControlledDatabase database_;
  Turnstile turnstile_;
  std::vector<const Table*> tables_;
  FinalRows final_rows_{tables_};
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Session> control_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::unique_ptr<ClientThreads> threads_;
  std::int64_t runs_ = 0;
};

}  // namespace hilsa
