#include "harness/simulated/simulated_database.h"

#include <atomic>
#include <condition_variable>

namespace hilsa {

using simulated::Engine;

// Runs statements step by step, and waits between steps: by the schedule, if its thread is a client
// of that, or else for real.
class SimulatedSession final : public Session, public simulated::Connection {
 public:
  SimulatedSession(SimulatedDatabase& database, std::int64_t number)
      : Connection(number), database_(database) {}

  ~SimulatedSession() override {
    const std::lock_guard lock(database_.mutex_);
    database_.sessions_[static_cast<std::size_t>(number() - 1)] = nullptr;
    database_.engine_.close(*this);
    wake_others();
  }
  SimulatedSession(const SimulatedSession&) = delete;
  SimulatedSession& operator=(const SimulatedSession&) = delete;

  using Session::execute;

  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters) override {
    // Others may act while the statement is on its way, and while its answer is.
    ClientSchedule* const schedule = ClientSchedule::of_this_thread();
    if (schedule != nullptr) schedule->give_way();
    Expected<Result> result = run(statement, parameters, schedule);
    if (schedule != nullptr) schedule->give_way();
    return result;
  }

  bool usable() const override { return true; }
  std::int64_t server_id() const override { return number(); }

  void interrupt() noexcept override {
    interrupted_ = true;
    const std::lock_guard lock(database_.mutex_);
    woken_.notify_all();
  }

 private:
  static constexpr std::int64_t kMs = 1'000'000;

  static Error interrupted_error() {
    return {ErrorKind::interrupted, "", 0, "stopped by the user"};
  }

  Expected<Result> run(const Statement& statement, std::span<const Value> parameters,
                       ClientSchedule* schedule) {
    if (interrupted_ && statement.kind() != StatementKind::rollback) {
      return tl::unexpected(interrupted_error());
    }
    std::unique_lock lock(database_.mutex_);
    const Nanoseconds deadline_ns = now_ns() + database_.connect_.statement_timeout.count() * kMs;
    while (true) {
      Engine::Answer answer = database_.engine_.step(*this, statement, parameters);
      wake_others();
      if (answer) return *std::move(answer);
      const bool in_time = wait(lock, schedule, deadline_ns);
      if (in_time && !interrupted_) continue;
      database_.engine_.give_up(*this);
      wake_others();
      if (interrupted_) return tl::unexpected(interrupted_error());
      return tl::unexpected(Error{ErrorKind::statement_timeout, "57014", 0,
                                  "the statement waited for a lock until its time was up"});
    }
  }

  // False when the time is up.
  bool wait(std::unique_lock<std::mutex>& lock, ClientSchedule* schedule, Nanoseconds deadline_ns) {
    if (schedule == nullptr) {
      const std::chrono::nanoseconds left(deadline_ns - now_ns());
      return woken_.wait_for(lock, left, [this] { return !waits() || interrupted_; });
    }
    waits_by_ = schedule;
    client_ = schedule->self();
    lock.unlock();
    const bool in_time = schedule->wait_until(deadline_ns);
    lock.lock();
    waits_by_ = nullptr;
    return in_time;
  }

  // Those whom the last step has let go on. mutex_ held.
  void wake_others() {
    for (simulated::Connection* const connection : database_.engine_.take_woken()) {
      auto& session = static_cast<SimulatedSession&>(*connection);  // nobody else connects
      if (session.waits_by_ != nullptr) {
        session.waits_by_->wake(session.client_);
      } else {
        session.woken_.notify_all();
      }
    }
  }

  SimulatedDatabase& database_;
  ClientSchedule* waits_by_ = nullptr;  // mutex_ of the database
  int client_ = 0;                      // likewise
  std::condition_variable woken_;
  std::atomic<bool> interrupted_{false};
};

SimulatedDatabase::SimulatedDatabase(std::string shown_url, const SimulatedOptions& options,
                                     const ConnectOptions& connect)
    : Database(std::move(shown_url)),
      options_(options),
      connect_(connect),
      engine_({options.level, options.bug, options.keep_log}) {
  if (!options.free_schedule) schedule_ = std::make_unique<simulated::SeededSchedule>();
  traits_.product = Product::simulated;
  traits_.version = HILSA_VERSION;  // this tool has it built in
  traits_.default_isolation = isolation_of(options.level);
  traits_.fixed_isolation = true;
}

SimulatedDatabase::~SimulatedDatabase() = default;

Expected<std::unique_ptr<Session>> SimulatedDatabase::open_session() {
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<std::int64_t>(sessions_.size()) + 1;
  auto session = std::make_unique<SimulatedSession>(*this, number);
  sessions_.push_back(session.get());
  return std::unique_ptr<Session>(std::move(session));
}

// It knows who waits.
class SimulatedWatch final : public BlockWatch {
 public:
  explicit SimulatedWatch(SimulatedDatabase& database) : database_(database) {}
  Expected<bool> is_blocked(std::int64_t session) override {
    const std::lock_guard lock(database_.mutex_);
    const simulated::Connection* const connection =
        database_.sessions_.at(static_cast<std::size_t>(session - 1));
    return connection != nullptr && connection->waits();
  }
  std::string how() const override { return "it knows"; }

 private:
  SimulatedDatabase& database_;
};

Expected<std::unique_ptr<BlockWatch>> SimulatedDatabase::watch_blocking() {
  return std::make_unique<SimulatedWatch>(*this);
}

void SimulatedDatabase::seed(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  engine_.seed(Rng::for_stream(seed, 0, 1).next());
  if (schedule_) schedule_->seed(Rng::for_stream(seed, 0, 2).next());
}

std::vector<Setting> SimulatedDatabase::settings() {
  const bool sound = options_.bug == simulated::Bug::none;
  std::vector<Setting> settings;
  const auto add = [&](std::string_view name, std::string_view value, std::string_view meaning) {
    settings.push_back({std::string(name), std::string(value), std::string(meaning)});
  };
  add("level", name_of(options_.level),
      "of a plain BEGIN; strategies that ask for a level of their own get that");
  add("bug", name_of(options_.bug), sound ? "" : "acts now and then, by the seed");
  if (options_.free_schedule) {
    add("schedule", "free", "clients run as the machine lets them");
  } else {
    add("schedule", "seeded",
        "one client at a time, and pauses take no real time: one seed, one history");
  }
  add("max connections", "no limit but memory", "");
  add("prepared transactions", "none", "no two-phase commit");
  return settings;
}

}  // namespace hilsa
