#include "harness/run/trial.h"

#include <array>
#include <ctime>
#include <limits>

#include "harness/database/usage_error.h"
#include "harness/run/attempts.h"

namespace hilsa {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

namespace {

constexpr int kRowsAtOnce = 5000;  // of final_rows()

std::optional<Error> try_to_set_up(Session& session, const Transaction::Setting& setting,
                                   const Workload& workload, const Trial& trial,
                                   std::atomic<AttemptId>& next_attempt, Recorder* recorder) {
  Attempt attempt{.id = next_attempt.fetch_add(1),
                  .client = 0,
                  .trial = trial.number,
                  .session = session.server_id(),
                  .begin_ns = now_ns()};
  Transaction txn(session, setting, attempt);
  try {
    txn.run(begin_at(std::nullopt));
    workload.set_up(txn, trial);
    txn.run(commit());
    attempt.outcome = AttemptOutcome::committed;
    attempt.reply = "set up";
  } catch (const AttemptFailed& failed) {
    attempt.error = failed.error;
    if (failed.error.kind == ErrorKind::commit_unknown) attempt.outcome = AttemptOutcome::unknown;
  }
  txn.settle(attempt.error.has_value());
  std::optional<Error> error = attempt.error;
  if (recorder != nullptr) recorder->record(std::move(attempt));
  return error;
}

// A row of final_rows(): key, the other columns, version, writer.
SeenRow final_row(const Table& table, const std::vector<Value>& values) {
  const std::size_t columns = table.columns.size();
  SeenRow seen{.key = std::get<std::int64_t>(values[0]),
               .version = std::get<std::int64_t>(values[columns]),
               .writer = std::get<std::int64_t>(values[columns + 1])};
  for (std::size_t c = 1; c < columns; ++c) {
    seen.values.push_back({table.columns[c].name, values[c]});
  }
  return seen;
}

}  // namespace

std::unique_ptr<Session> connect(Database& database) {
  auto session = database.open_session();
  if (session) return *std::move(session);
  throw DatabaseUnusable("cannot connect to " + database.shown_url() + ": " +
                         to_text(session.error()));
}

Isolation isolation_in_effect(const Traits& traits, std::optional<Isolation> asked) {
  return asked && traits.offers(*asked) ? *asked : traits.default_isolation;
}

void check_strategy(const Database& database, const Strategy& strategy) {
  if (!strategy.needs || database.traits().has(*strategy.needs)) return;
  throw UsageError("strategy '" + std::string(strategy.name) + "' is not available on " +
                   std::string(title_of(database.product())) + ": it needs " +
                   std::string(name_of(*strategy.needs)));
}

void check_level(const Database& database, Isolation asked) {
  const Traits& traits = database.traits();
  const std::string title(title_of(traits.product));
  if (traits.fixed_isolation && asked != traits.default_isolation) {
    throw UsageError("a " + title + " runs at the level in its URL, here " + database.shown_url() +
                     "; leave out --isolation");
  }
  if (!traits.offers(asked)) {
    throw UsageError(title + " has no isolation level '" + std::string(name_of(asked)) +
                     "'; it has " + names_of(traits.levels()));
  }
}

std::optional<Error> set_up_trial(Session& session, const Transaction::Setting& setting,
                                  const Workload& workload, const Trial& trial,
                                  std::atomic<AttemptId>& next_attempt, Recorder* recorder) {
  constexpr int kTries = 5;
  std::optional<Error> error;
  for (int i = 0; i < kTries; ++i) {
    error = try_to_set_up(session, setting, workload, trial, next_attempt, recorder);
    if (!error || !is_retryable(error->kind)) break;
  }
  return error;
}

Judgement judge_trial(Session& session, const Workload& workload, const Trial& trial,
                      const Tally& tally) {
  Judgement judgement{.measures = workload.measure(session, trial, tally)};
  for (const Invariant& invariant : workload.invariants) {
    if (auto broken = invariant.broken(judgement.measures)) {
      judgement.broken.emplace_back(&invariant, *std::move(broken));
    }
  }
  return judgement;
}

FinalRows::FinalRows(const std::vector<const Table*>& tables) : tables_(tables) {
  for (const Table* const table : tables) statements_.push_back(final_rows(*table, kRowsAtOnce));
}

std::optional<Error> FinalRows::write(Session& session, AttemptId first, AttemptId last,
                                      HistorySink& history) const {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    std::int64_t after = std::numeric_limits<std::int64_t>::min();
    while (true) {
      const std::array<Value, 3> parameters = {after, first, last};
      const auto result = session.execute(statements_[i], parameters);
      if (!result) return result.error();
      std::vector<SeenRow> rows;
      for (const auto& values : result->rows) rows.push_back(final_row(*tables_[i], values));
      if (!rows.empty()) history.write_final(static_cast<int>(i), rows);
      if (rows.size() < kRowsAtOnce) break;
      after = rows.back().key;
    }
  }
  return std::nullopt;
}

HistoryHeader header_of(const Workload& workload, const Strategy& strategy, Isolation isolation,
                        const Database& database, int clients, std::uint64_t seed) {
  const Traits& traits = database.traits();
  HistoryHeader header{.workload = std::string(workload.name),
                       .strategy = std::string(strategy.name),
                       .isolation = std::string(name_of(isolation)),
                       .product = std::string(name_of(traits.product)),
                       .version = traits.version,
                       .url = database.shown_url(),
                       .clients = clients,
                       .seed = seed,
                       .started_at = utc_now()};
  for (const Table* const table : workload.tables) {
    RecordedTable recorded{std::string(table->name), std::string(table->key()), {}};
    for (const Column& column : table->columns) recorded.columns.emplace_back(column.name);
    header.tables.push_back(std::move(recorded));
  }
  return header;
}

}  // namespace hilsa
