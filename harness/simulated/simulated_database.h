// `sim:`: a database in memory behind the ordinary Database and Session, at a chosen isolation
// level, with a chosen bug. By default its clients take turns by the seed (SeededSchedule): one
// seed, one history.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "harness/database/database.h"
#include "harness/simulated/engine.h"
#include "harness/simulated/seeded_schedule.h"

namespace hilsa {

struct SimulatedOptions {
  simulated::Level level = simulated::Level::serializable_ssi;
  simulated::Bug bug = simulated::Bug::none;
  bool free_schedule = false;  // clients run as the machine lets them
  bool keep_log = false;       // see simulated::Truth
};

class SimulatedDatabase final : public Database {
 public:
  SimulatedDatabase(std::string shown_url, const SimulatedOptions& options,
                    const ConnectOptions& connect = {});
  ~SimulatedDatabase() override;

  Expected<std::unique_ptr<Session>> open_session() override;
  Expected<std::unique_ptr<BlockWatch>> watch_blocking() override;
  void seed(std::uint64_t seed) override;
  ClientSchedule* schedule() override { return schedule_.get(); }
  std::vector<Setting> settings() override;

  // While no client runs.
  simulated::Truth truth() const { return engine_.truth(); }
  const simulated::Store& store() const { return engine_.store(); }

 private:
  friend class SimulatedSession;
  friend class SimulatedWatch;

  SimulatedOptions options_;
  ConnectOptions connect_;
  std::unique_ptr<simulated::SeededSchedule> schedule_;  // null: free
  std::mutex mutex_;                                     // of all below
  simulated::Engine engine_;
  std::vector<simulated::Connection*> sessions_;  // by number, from 1; null: closed
};

}  // namespace hilsa
