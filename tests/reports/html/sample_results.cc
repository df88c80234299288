#include "tests/reports/html/sample_results.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/checkers/told_cases.h"
#include "tests/reports/hostile_origin.h"

namespace hilsa::tests {
namespace {

constexpr Nanoseconds kMs = 1'000'000;

ShownAnomaly told(std::string_view name) {
  for (const ToldCase& known : told_cases()) {
    if (known.name != name) continue;
    const Told one = known.make();
    return to_shown(one.history, one.anomaly, one.anomaly.evidence.at(0));
  }
  throw std::logic_error("no such case");
}

ReportRow a_row(const std::string& strategy, const std::string& isolation,
                const std::string& promised, const std::string& measured, int done) {
  ReportRow row{.strategy = strategy,
                .isolation = isolation,
                .promised = promised,
                .measured = measured,
                .trials = 20,
                .trials_violated = measured == "unsafe" ? 17 : 0,
                .running = std::chrono::milliseconds(900)};
  for (int i = 0; i < done; ++i) {
    row.tally.add(TaskEnd::done);
    row.tally.latency.record((1 + i % 7) * kMs + i * 10'000);
  }
  row.tally.ends[static_cast<std::size_t>(TaskEnd::refused)] = 180;
  row.tally.attempts = done + 40;
  row.tally.committed = done;
  row.measures = {{"sold of 10", "sold_min", "sold_max", 10, measured == "unsafe" ? 17 : 10}};
  row.check.levels = {"strict serializable"};
  return row;
}

Origin origin(const std::string& subcommand, const std::string& command) {
  return {.subcommand = subcommand,
          .command = command,
          .started_at = "2026-03-01T12:30:05Z",
          .took_s = 12.4,
          .settings = {{"default_transaction_isolation", "read committed",
                        "the level of a transaction that asks for none"},
                       {"deadlock_timeout", "1s", "how long a wait is before it is looked into"},
                       {"lock_timeout", "0", "waits for locks have no end"}}};
}

RunReport a_run(const std::string& workload) {
  return {.origin = origin("compare", "hilsa compare " + workload +
                                          " --db 'postgres://app:***@db.example:5432/shop' --seed "
                                          "7 --clients 20 --trials 20"),
          .workload = workload,
          .product = "postgresql",
          .product_title = "PostgreSQL",
          .version = "15.18",
          .url = "postgres://app:***@db.example:5432/shop",
          .seed = 7,
          .clients = 20,
          .pool = 20};
}

ShownTimeline a_wait() {
  ShownTimeline timeline;
  timeline.lanes = {{.name = "T12", .about = "client 3", .end = "committed"},
                    {.name = "T15", .about = "client 8", .end = "committed"}};
  const auto step = [&](int lane, const char* what, const char* answer, int sent, int answered,
                        double at_ms, double took_ms) {
    timeline.steps.push_back({.lane = lane,
                              .what = what,
                              .answer = answer,
                              .waited = sent < answered,
                              .sent = sent,
                              .answered = answered,
                              .at = static_cast<Nanoseconds>(at_ms * 1e6),
                              .took = static_cast<Nanoseconds>(took_ms * 1e6)});
  };
  step(0, "SELECT id, stock FROM products WHERE id = 1", "products/1 version 3: stock 5", 0, 0, 0,
       0.4);
  step(1, "SELECT id, stock FROM products WHERE id = 1", "products/1 version 3: stock 5", 1, 1, 0.3,
       0.5);
  step(0, "UPDATE products SET stock = 4 WHERE id = 1", "1 row, now version 4", 2, 2, 1.1, 0.3);
  step(1, "UPDATE products SET stock = 4 WHERE id = 1", "1 row, now version 5", 3, 5, 1.3, 2.9);
  step(0, "INSERT INTO orders (product, quantity) VALUES (1, 1)", "1 row", 3, 3, 1.6, 0.3);
  step(0, "COMMIT", "committed", 4, 4, 2.1, 1.8);
  step(1, "COMMIT", "committed", 6, 6, 4.4, 0.9);
  return timeline;
}

ShownAnomaly lost_update() {
  return {.anomaly = "P4",
          .name = "lost update",
          .meaning = "a transaction overwrote a change that it had not seen",
          .count = 41,
          .sentences = {"T12 read version 3 of products/1 (stock 5)",
                        "T15 read version 3 of products/1 (stock 5) as well",
                        "T12 wrote version 4 (stock 4) and committed",
                        "T15 then wrote version 5 (stock 4), as if T12 had not been there",
                        "one of the two purchases was sold twice: T12's update is lost"},
          .cycle = {{.from = 1, .to = 0, .kind = "rw", .about = "products/1"},
                    {.from = 0, .to = 1, .kind = "ww", .about = "products/1"}},
          .timeline = a_wait()};
}

ReportSet of(Report report) {
  ReportSet result;
  result.reports.push_back(std::move(report));
  return result;
}

TimeSeries series_of(int phase, double per_s) {
  TimeSeries series;
  for (int ms = 0; ms < 9'700; ms += 2) {
    const double wave = 1 + 0.25 * std::sin(ms / 900.0 + phase);
    const auto at = static_cast<Nanoseconds>(ms) * kMs;
    const auto latency = static_cast<Nanoseconds>(2e6 * wave * (ms % 97 == 0 ? 9 : 1));
    const int times = static_cast<int>(per_s * wave / 500);
    for (int i = 0; i < times; ++i) series.add_done(at, latency);
    if (ms % (26 + 30 * phase) == 0) series.add_aborted(at);
  }
  return series;
}

ShownSchedule a_schedule() {
  ShownSchedule schedule;
  schedule.steps = {
      {1, "BEGIN", "ok", false, false, 1},
      {1, "SELECT stock FROM products WHERE id = 1", "stock 1", false, false, 2},
      {2, "BEGIN", "ok", false, false, 3},
      {2, "SELECT stock FROM products WHERE id = 1", "stock 1", false, false, 4},
      {2, "UPDATE products SET stock = 0 WHERE id = 1", "1 row", false, false, 5},
      {1, "UPDATE products SET stock = 0 WHERE id = 1", "1 row", true, false, 7},
      {2, "COMMIT", "ok", false, false, 7},
      {1, "COMMIT", "ok", false, false, 8},
  };
  schedule.ends = {"done", "done"};
  schedule.what = "oversold: 2 sold of 1";
  schedule.switches = 3;
  schedule.script = "-- session 1\nBEGIN;\nSELECT stock FROM products WHERE id = 1;\n";
  schedule.anomaly = lost_update();
  return schedule;
}

ShownSchedule a_deadlock() {
  ShownSchedule schedule;
  schedule.steps = {
      {1, "UPDATE accounts SET balance = balance - 1 WHERE id = 1", "1 row", false, false, 1},
      {2, "UPDATE accounts SET balance = balance - 1 WHERE id = 2", "1 row", false, false, 2},
      {1, "UPDATE accounts SET balance = balance + 1 WHERE id = 2", "1 row", true, false, 4},
      {2, "UPDATE accounts SET balance = balance + 1 WHERE id = 1",
       "deadlock (40P01): deadlock detected", false, true, 4},
      {1, "COMMIT", "ok", false, false, 5},
  };
  schedule.ends = {"done", "gave_up (deadlock)"};
  schedule.what = "a deadlock";
  schedule.switches = 3;
  return schedule;
}

}  // namespace

ReportSet failing_comparison() {
  RunReport report = a_run("oversell");
  report.rows = {a_row("read-then-write", "read committed", "unsafe", "unsafe", 340),
                 a_row("optimistic", "read committed", "safe", "unsafe", 290),
                 a_row("atomic", "read committed", "safe", "safe", 200),
                 a_row("for-update", "read committed", "safe", "safe", 200),
                 a_row("serializable", "serializable", "safe", "unknown", 0)};
  for (std::size_t i = 0; i < 2; ++i) {
    ReportRow& row = report.rows[i];
    row.violations = {{"oversold", 17}};
    row.first_violation = "trial 1: oversold: 17 sold of 10";
    row.check.anomalies = {{"P4", "lost update", 41}, {"G-single", "read skew", 12}};
    row.check.levels = {"strict read committed"};
    row.check.shown = {lost_update(), told("g-single-read-skew")};
  }
  report.rows[4].why_unknown = "no task was done";
  report.rows[4].tally.errors[static_cast<std::size_t>(ErrorKind::serialization_failure)] = 71;
  report.rows[4].tally.error_texts[static_cast<std::size_t>(ErrorKind::serialization_failure)] =
      "serialization failure (40001): could not serialize access due to concurrent update";
  report.left_out = {{"returning", "UPDATE … RETURNING"}};
  return of(report);
}

ReportSet write_skew() {
  RunReport report = a_run("doctors");
  report.rows = {a_row("check-then-leave", "repeatable read", "unsafe", "unsafe", 90)};
  report.rows[0].check.anomalies = {{"G2-item", "write skew", 3}, {"G2", "phantom", 2}};
  report.rows[0].check.shown = {told("g2-item-write-skew"), told("g2-phantom"),
                                told("g-nonadjacent-long-fork")};
  report.rows[0].check.levels = {"strict snapshot isolation"};
  return of(report);
}

ReportSet deadlocked() {
  RunReport report = a_run("transfer");
  report.rows = {a_row("two-updates", "read committed", "safe", "safe", 300)};
  DeadlockSummary& deadlocks = report.rows[0].check.deadlocks;
  deadlocks.count = 2;
  deadlocks.victims_waited.record(1'003 * kMs);
  deadlocks.survivors_waited.record(7 * kMs);
  deadlocks.example = DeadlockSummary::Example{
      .waits = {{"T7", 1, 4711, "UPDATE accounts SET balance = balance + 5 WHERE id = 2",
                 "accounts/2", true, 1'003 * kMs},
                {"T6", 2, 4712, "UPDATE accounts SET balance = balance + 3 WHERE id = 1",
                 "accounts/1", true, 7 * kMs}},
      .server =
          "Process 4711 waits for ShareLock on transaction 991; blocked by process 4712. "
          "Process 4712 waits for ShareLock on transaction 990; blocked by process 4711."};
  return of(report);
}

ReportSet explored() {
  ExploreReport report{.origin = origin("explore", "hilsa explore oversell --seed 7"),
                       .workload = "oversell",
                       .product = "postgresql",
                       .product_title = "PostgreSQL",
                       .version = "15.18",
                       .url = "temp:postgres",
                       .seed = 7,
                       .seen_by = "pg_blocking_pids()"};
  ExploreRow broken{.strategy = "read-then-write",
                    .isolation = "read committed",
                    .promised = "safe",
                    .measured = "unsafe",
                    .run = 34,
                    .schedules = 70,
                    .covered = 70,
                    .exhaustive = true,
                    .violating = 52,
                    .deadlocks = 4,
                    .waiting = 30};
  broken.outcomes = {{"done, done", 52}, {"done, refused", 18}};
  broken.violations = {{"oversold", 52}};
  broken.anomalies = {{"P4", 52}};
  broken.shortest = a_schedule();
  broken.shortest_deadlock = a_deadlock();
  ExploreRow fine{.strategy = "atomic",
                  .isolation = "read committed",
                  .promised = "safe",
                  .measured = "unknown",
                  .run = 500,
                  .sampled = 100,
                  .schedules = 12870,
                  .covered = 800,
                  .complete_switches = 2};
  report.rows = {fine, broken};
  return of(report);
}

ReportSet sustained() {
  RunReport report = a_run("jobs");
  report.sustained = true;
  const char* const names[] = {"skip-locked", "for-update", "serializable"};
  for (int i = 0; i < 3; ++i) {
    ReportRow row = a_row(names[i], "read committed", "safe", "safe", 3000 / (i + 1));
    row.trials = 1;
    row.running = std::chrono::milliseconds(9'700);
    row.series = series_of(i, 2500.0 / (i + 1));
    report.rows.push_back(std::move(row));
  }
  report.faults = {{"connection cut", 3'000 * kMs, 4'200 * kMs}};
  return of(report);
}

ReportSet eight_lanes() {
  RunReport report = a_run("register");
  report.rows = {a_row("read-then-write", "snapshot", "safe", "unsafe", 80)};
  ShownAnomaly anomaly{.anomaly = "G2-item",
                       .name = "write skew",
                       .meaning = "each read what another overwrote",
                       .count = 1};
  for (int lane = 0; lane < 8; ++lane) {
    anomaly.timeline.lanes.push_back({.name = "T" + std::to_string(lane + 101),
                                      .about = "client " + std::to_string(lane + 1),
                                      .end = lane == 3 ? "rolled back: deadlock" : "committed",
                                      .failed = lane == 3});
    anomaly.cycle.push_back({lane, (lane + 1) % 8, lane == 5 ? "predicate rw" : "rw",
                             "register/" + std::to_string(lane), lane == 2});
  }
  for (int i = 0; i < 24; ++i) {
    anomaly.timeline.steps.push_back(
        {.lane = i % 8,
         .what = i < 8    ? "SELECT id, value FROM register WHERE id = " + std::to_string(i)
                 : i < 16 ? "UPDATE register SET value = value + 1 WHERE id = " + std::to_string(i)
                          : "COMMIT",
         .answer = i < 16 ? "1 row, version " + std::to_string(i) : "committed",
         .failed = i == 19,
         .waited = i == 12,
         .sent = i,
         .answered = i == 12 ? 15 : i});
  }
  report.rows[0].check.shown = {anomaly};
  report.rows[0].check.anomalies = {{"G2-item", "write skew", 1}};
  return of(report);
}

ReportSet hostile() {
  const std::string& text = kHostile;
  RunReport report = a_run(text);
  report.origin = hostile_origin(text);
  report.product_title = report.version = report.url = report.broken_off = text;
  ReportRow row = a_row(text, text, text, text, 20);
  row.why_unknown = row.untested = row.first_violation = row.remark = text;
  row.violations = {{text, 1}};
  row.tally.errors.fill(1);
  row.tally.error_texts.fill(text);
  row.measures[0].title = text;
  row.series = series_of(1, 600);
  row.check.anomalies = {{text, text, 1}};
  row.check.levels = {text};
  row.check.not_checked = row.check.promised_level = text;
  ShownAnomaly anomaly = lost_update();
  anomaly.anomaly = anomaly.name = anomaly.meaning = text;
  for (std::string& sentence : anomaly.sentences) sentence = text;
  for (ShownEdge& edge : anomaly.cycle) edge.kind = edge.about = text;
  for (auto& lane : anomaly.timeline.lanes) lane.name = lane.about = lane.end = text;
  for (auto& step : anomaly.timeline.steps) step.what = step.answer = text;
  ShownAnomaly nowhere = anomaly;
  nowhere.cycle = {{-1, 7, text, text, true}};
  nowhere.timeline.steps[0].lane = 99;
  nowhere.timeline.steps[1].sent = -5;
  nowhere.timeline.steps[2].answered = 2'000'000'000;
  row.check.shown = {anomaly, nowhere};
  row.check.deadlocks = std::get<RunReport>(deadlocked().reports[0]).rows[0].check.deadlocks;
  auto& example = *row.check.deadlocks.example;
  example.server = example.why_no_words = text;
  for (auto& wait : example.waits) wait.transaction = wait.statement = wait.row = text;
  report.rows = {row};
  report.sustained = true;
  report.faults = {{text, kMs, 900 * kMs}};
  report.left_out = {{text, text}};
  report.minimized = RunReport::Minimized{3, "", text, text, text};
  ReportSet result = of(report);
  ExploreReport exploration = std::get<ExploreReport>(explored().reports[0]);
  exploration.seen_by = text;
  ShownSchedule& schedule = *exploration.rows[1].shortest;
  schedule.what = schedule.script = schedule.story = text;
  for (ExploredStep& step : schedule.steps) step.sql = step.answer = text;
  for (std::string& end : schedule.ends) end = text;
  schedule.anomaly.reset();
  result.reports.emplace_back(exploration);
  result.demands = {{text, text, text, Demand::Status::broken, text}};
  return result;
}

ReportSet demanded() {
  ReportSet result;
  for (const ReportSet& one : {failing_comparison(), deadlocked(), explored()}) {
    result.reports.push_back(one.reports[0]);
  }
  result.demands = {
      {"shop", "atomic at read committed on postgresql", "must be safe", Demand::Status::kept,
       "safe in 20 trials"},
      {"shop", "optimistic at read committed on postgresql", "must be safe", Demand::Status::broken,
       "17 of 20 trials violated: oversold: 17 sold of 10"},
      {"shop", "for-update at read committed on postgresql", "throughput relative to atomic",
       Demand::Status::unknown,
       "0.71 of atomic's, 0.95 in the baseline, but 4 rounds are too few to be sure"}};
  return result;
}

ReportSet huge(const std::string& text, int rows) {
  ShownAnomaly anomaly = lost_update();
  anomaly.count = 10'000;
  anomaly.sentences.resize(40, text);
  anomaly.timeline.lanes.resize(8, {.name = text, .about = text, .end = text});
  anomaly.timeline.steps.resize(70, anomaly.timeline.steps[0]);
  for (auto& step : anomaly.timeline.steps) step.what = step.answer = text;
  ShownAnomaly further = lost_update();
  further.timeline = {};
  ReportRow row = a_row(text, text, "safe", "unsafe", 3);
  row.first_violation = row.remark = text;
  row.series = series_of(0, 500);
  row.check.deadlocks = std::get<RunReport>(deadlocked().reports[0]).rows[0].check.deadlocks;
  // More than a few of a row are never drawn, so the others need no steps.
  row.check.shown.assign(3, anomaly);
  row.check.shown.resize(100, further);
  row.check.anomalies.assign(100, {text, text, 10'000});
  RunReport report = a_run("oversell");
  report.sustained = true;
  report.rows.assign(static_cast<std::size_t>(rows), row);
  return of(report);
}

std::vector<std::pair<std::string, ReportSet>> samples() {
  return {{"comparison", failing_comparison()},
          {"write-skew", write_skew()},
          {"deadlock", deadlocked()},
          {"explored", explored()},
          {"sustained", sustained()},
          {"eight-lanes", eight_lanes()},
          {"hostile", hostile()},
          {"demands", demanded()},
          {"nothing", ReportSet{}}};
}

}  // namespace hilsa::tests
