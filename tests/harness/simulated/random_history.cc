#include "tests/harness/simulated/random_history.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "harness/history/client_schedule.h"
#include "harness/history/history_builder.h"
#include "harness/history/rng.h"
#include "harness/simulated/engine.h"
#include "workloads/table/transaction.h"

namespace hilsa::tests {
namespace {

using simulated::Connection;
using simulated::Engine;

constexpr int kTablesMax = 3;

const std::array<Table, kTablesMax> kTables = {
    Table{.name = "a", .columns = {{"id"}, {"value"}, {"kind"}}},
    Table{.name = "b", .columns = {{"id"}, {"value"}, {"kind"}}},
    Table{.name = "c", .columns = {{"id"}, {"value"}, {"kind"}}}};

struct Statements {
  explicit Statements(const Table& table)
      : read(read_row(table, {"value", "kind"})),
        read_locked(read_row(table, {"value", "kind"}, Lock::update)),
        of_kind(read_rows(table, {"value", "kind"}, {equal("kind", param(0))})),
        at_least_value(read_rows(table, {"value"}, {at_least("value", param(0))})),
        set_value(update_row(table, {set("value", param(1))})),
        add_value(update_row(table, {add("value", param(1))})),
        set_kind(update_row(table, {set("kind", param(1))})),
        move_kind(update_rows(table, {set("kind", param(1))}, {equal("kind", param(0))})),
        insert(insert_row(table)),
        erase(erase_row(table)),
        insert_if_fewer(insert_row_if_fewer(table, {equal("kind", param(2))}, param(3))) {}
  Statement read, read_locked, of_kind, at_least_value, set_value, add_value, set_kind, move_kind,
      insert, erase, insert_if_fewer;
};

const Statements& statements_of(std::size_t table) {
  static const std::array<Statements, kTablesMax> all = {
      Statements(kTables[0]), Statements(kTables[1]), Statements(kTables[2])};
  return all[table];
}

// A clock that the loop below moves by hand.
class HandClock final : public ClientSchedule {
 public:
  Nanoseconds now_ns() const override { return now; }
  void give_way() override {}
  void pause(Nanoseconds) override {}
  bool wait_until(Nanoseconds) override { return false; }
  int self() const override { return 0; }
  void wake(int) override {}
  void expect(int) override {}
  Nanoseconds now = 1;

 protected:
  void enter(int) override {}
  void leave() override {}
};

// Gives a Transaction the answer that the engine gave before, so that it records as always.
class AnsweredSession final : public Session {
 public:
  explicit AnsweredSession(HandClock& clock) : clock_(clock) {}
  using Session::execute;
  Expected<Result> execute(const Statement&, std::span<const Value>) override {
    clock_.now = end_ns;
    return std::move(answer);
  }
  bool usable() const override { return true; }
  void interrupt() noexcept override {}

  Expected<Result> answer;
  Nanoseconds end_ns = 0;

 private:
  HandClock& clock_;
};

struct Client {
  explicit Client(HandClock& clock) : session(clock) {}

  Connection connection;
  AnsweredSession session;
  Attempt attempt;
  std::unique_ptr<Transaction> txn;  // null between attempts
  int statements_left = 0;
  // The statement under way, if any.
  const Statement* statement = nullptr;
  std::vector<Value> parameters;
  Nanoseconds begin_ns = 0;
};

class Run {
 public:
  explicit Run(const RandomRun& plan)
      : plan_(plan),
        rng_(Rng::for_stream(plan.seed, 1, 0)),
        engine_({plan.level, plan.bug, true}),
        next_key_(plan.rows + 1) {
    engine_.seed(rng_.next());
    for (int i = 0; i < plan.tables; ++i) tables_.push_back(&kTables[static_cast<std::size_t>(i)]);
    std::vector<RecordedTable> recorded;
    for (const Table* const table : tables_) {
      recorded.push_back({std::string(table->name), "id", {"id", "value", "kind"}});
    }
    builder_.header().tables = recorded;
    builder_.use_tables(recorded);
    setting_ = {.product = Product::simulated, .tables = &tables_};
  }

  RandomHistory run() {
    const ClientSchedule::Observer time(&clock_);
    set_up();
    for (int i = 0; i < plan_.clients; ++i) clients_.push_back(std::make_unique<Client>(clock_));
    while (step()) {
    }
    add_final_rows();
    RandomHistory result{builder_.finish(), engine_.truth(), {}, {}};
    result.anomalies = anomalies_of(result.truth, engine_.store());
    result.seen_by_clients =
        anomalies_of(result.truth, engine_.store(), simulated::Eyes::of_clients);
    return result;
  }

 private:
  void pass_time() { clock_.now += 1 + static_cast<Nanoseconds>(rng_.below(1000)); }

  void set_up() {
    Client client(clock_);
    begin_attempt(client, 0);
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      for (std::int64_t key = 1; key <= plan_.rows; ++key) {
        choose_insert(client, table, key);
        run_statement(client);
      }
    }
    client.statements_left = 0;
    end_attempt(client, true);
  }

  // One step of one client; false when all is done.
  bool step() {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      const Client& client = *clients_[i];
      if (!client.connection.waits() && (client.txn || started_ < plan_.transactions)) {
        ready.push_back(i);
      }
    }
    if (ready.empty()) return false;
    const std::size_t chosen = ready[rng_.below(ready.size())];
    Client& client = *clients_[chosen];
    pass_time();
    if (!client.txn) {
      ++started_;
      begin_attempt(client, static_cast<int>(chosen) + 1);
    } else if (client.statement != nullptr) {
      run_statement(client);
    } else if (client.statements_left > 0) {
      choose_statement(client);
      run_statement(client);
    } else {
      constexpr std::uint64_t kRollbackOnceIn = 10;
      end_attempt(client, rng_.below(kRollbackOnceIn) != 0);
    }
    engine_.take_woken();
    return true;
  }

  void begin_attempt(Client& client, int number) {
    client.attempt = {.id = ++last_attempt_, .client = number, .begin_ns = clock_.now};
    client.txn = std::make_unique<Transaction>(client.session, setting_, client.attempt);
    client.statements_left =
        1 + static_cast<int>(rng_.below(static_cast<std::uint64_t>(plan_.statements_max)));
    engine_.step(client.connection, begin_at(std::nullopt), {});
  }

  void end_attempt(Client& client, bool commits) {
    const auto answer = engine_.step(client.connection, commits ? commit() : rollback(), {});
    if (answer->has_value()) {
      client.attempt.outcome = commits ? AttemptOutcome::committed : AttemptOutcome::aborted;
      client.attempt.reply = commits ? "done" : "changed its mind";
    } else {
      client.attempt.error = answer->error();
    }
    close_attempt(client);
  }

  void close_attempt(Client& client) {
    pass_time();
    client.attempt.end_ns = clock_.now;
    builder_.add(client.attempt);
    client.txn = nullptr;
  }

  void choose_insert(Client& client, std::size_t table, std::int64_t key) {
    choose(client, statements_of(table).insert, {key, some_value(), some_value()});
  }

  void choose(Client& client, const Statement& statement, std::vector<Value> parameters) {
    client.statement = &statement;
    client.parameters = std::move(parameters);
    client.begin_ns = clock_.now;
  }

  std::int64_t some_value() {
    return static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(plan_.values)));
  }

  void choose_statement(Client& client) {
    const std::size_t table = rng_.below(tables_.size());
    const Statements& all = statements_of(table);
    const std::int64_t key =
        1 + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(next_key_ - 1)));
    const std::int64_t value = some_value();
    constexpr std::array kWeights = {5, 1, 4, 2, 4, 3, 2, 1, 2, 1, 1};
    std::uint64_t draw = rng_.below(plan_.counted_inserts ? 26 : 25);
    std::size_t kind = 0;
    while (draw >= static_cast<std::uint64_t>(kWeights[kind])) {
      draw -= static_cast<std::uint64_t>(kWeights[kind++]);
    }
    switch (kind) {
      case 0:
        return choose(client, all.read, {key});
      case 1:
        return choose(client, all.read_locked, {key});
      case 2:
        return choose(client, all.of_kind, {value});
      case 3:
        return choose(client, all.at_least_value, {value});
      case 4:
        return choose(client, all.set_value, {key, value});
      case 5:
        return choose(client, all.add_value, {key, std::int64_t{1}});
      case 6:
        return choose(client, all.set_kind, {key, value});
      case 7:
        return choose(client, all.move_kind, {value, some_value()});
      case 8:
        return choose_insert(client, table, next_key_++);
      case 9:
        return choose(client, all.erase, {key});
      default:
        return choose(client, all.insert_if_fewer,
                      {next_key_++, some_value(), some_value(), 1 + some_value()});
    }
  }

  // Tries the client's statement; when it has ended, records it.
  void run_statement(Client& client) {
    const StatementKind kind = client.statement->kind();
    const bool stamps = kind == StatementKind::insert || kind == StatementKind::update ||
                        kind == StatementKind::erase || kind == StatementKind::insert_if_fewer;
    std::vector<Value> parameters = client.parameters;
    if (stamps) parameters.emplace_back(client.attempt.id);
    Engine::Answer answer = engine_.step(client.connection, *client.statement, parameters);
    if (!answer) return;
    pass_time();
    const Nanoseconds end_ns = clock_.now;
    client.session.answer = *std::move(answer);
    client.session.end_ns = end_ns;
    clock_.now = client.begin_ns;
    --client.statements_left;
    try {
      record(client);
    } catch (const AttemptFailed& failed) {
      clock_.now = end_ns;
      client.attempt.error = failed.error;
      engine_.step(client.connection, rollback(), {});
      close_attempt(client);
    }
    clock_.now = std::max(clock_.now, end_ns);
    client.statement = nullptr;
  }

  static void record(Client& client) {
    const Statement& statement = *client.statement;
    const std::vector<Value>& p = client.parameters;
    switch (statement.kind()) {
      case StatementKind::read_row:
        client.txn->find(statement, {p[0]});
        return;
      case StatementKind::read_rows:
        client.txn->select(statement, {p[0]});
        return;
      case StatementKind::update:
        client.txn->update(statement, {p[0], p[1]});
        return;
      case StatementKind::insert:
        client.txn->insert(statement, {p[0], p[1], p[2]});
        return;
      case StatementKind::insert_if_fewer:
        client.txn->insert_if_fewer(statement, {p[0], p[1], p[2], p[3]});
        return;
      default:
        client.txn->erase(statement, {p[0]});
    }
  }

  void add_final_rows() {
    builder_.note_final_state();
    for (simulated::TableNumber t = 0; t < engine_.store().tables(); ++t) {
      const simulated::StoredTable& table = engine_.store().table(t);
      const int number = table_number(tables_, table.shape);
      for (const auto& [key, row] : table.rows) {
        const simulated::RowVersion* const last = alive(row.newest_committed());
        if (last == nullptr) continue;
        builder_.add_final_row(static_cast<std::uint32_t>(number), builder_.scalars().integer(key),
                               last->number, last->writer);
      }
    }
  }

  RandomRun plan_;
  Rng rng_;
  Engine engine_;
  HandClock clock_;
  HistoryBuilder builder_;
  std::vector<const Table*> tables_;
  Transaction::Setting setting_;
  std::vector<std::unique_ptr<Client>> clients_;
  AttemptId last_attempt_ = 0;
  int started_ = 0;
  std::int64_t next_key_;
};

}  // namespace

RandomHistory random_history(const RandomRun& run) { return Run(run).run(); }

}  // namespace hilsa::tests
