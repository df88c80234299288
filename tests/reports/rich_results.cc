#include "tests/reports/rich_results.h"

#include <array>
#include <stdexcept>
#include <string>

#include "reports/shown_anomaly.h"
#include "tests/checkers/told_cases.h"
#include "tests/reports/hostile_origin.h"

namespace hilsa::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ShownAnomaly shown_case(std::string_view name, std::int64_t count = 1) {
  for (const ToldCase& known : told_cases()) {
    if (known.name != name) continue;
    const Told told = known.make();
    ShownAnomaly shown = to_shown(told.history, told.anomaly, told.anomaly.evidence.at(0));
    shown.count = count;
    return shown;
  }
  throw std::logic_error("no such case");
}

void add_anomaly(HistoryCheck& check, ShownAnomaly shown) {
  check.anomalies.push_back({shown.anomaly, shown.name, shown.count});
  if (check.story.empty()) check.story = shown.text;
  check.shown.push_back(std::move(shown));
}

Origin an_origin(const std::string& subcommand, const std::string& command) {
  return {.subcommand = subcommand,
          .command = command,
          .started_at = "2026-03-01T12:30:00Z",
          .took_s = 12.345678901,
          .settings = {{"deadlock_timeout", "1s", "how long a wait lasts before it is looked into"},
                       {"fsync", "on", ""}}};
}

ReportRow a_row(const std::string& strategy, const std::string& promised,
                const std::string& measured, std::int64_t done) {
  ReportRow row{.strategy = strategy,
                .isolation = "read committed",
                .promised = promised,
                .measured = measured,
                .trials = 10,
                .trials_violated = measured == "unsafe" ? 4 : 0,
                .running = milliseconds(2345)};
  for (std::int64_t i = 0; i < done; ++i) {
    row.tally.add(TaskEnd::done);
    row.tally.latency.record(1'000'000 + i * i * 317);
    row.series.add_done(i * 7'000'000, 1'000'000 + i * 1000);
  }
  row.series.add_aborted(13'000'000);
  row.tally.add(TaskEnd::refused);
  row.tally.attempts = done + 17;
  row.tally.committed = done + 1;
  row.tally.retries = 16;
  row.measures = {{"sold", "sold_min", "sold_max", 1, 7},
                  {"left", "left_min", "left_max", std::nullopt, std::nullopt}};
  for (int i = 0; i < 6; ++i) {
    row.rounds.push_back({.running = milliseconds(400 + i),
                          .done = done / 6,
                          .attempts = done / 6 + i,
                          .p99 = 7'654'321});
  }
  return row;
}

RunReport a_run(const std::string& workload) {
  return {.origin = an_origin("compare", "hilsa compare " + workload +
                                             " --db 'postgres://u:***@h/d' --duration 2s --seed 7"),
          .workload = workload,
          .product = "postgresql",
          .product_title = "PostgreSQL",
          .version = "15.18",
          .url = "postgres://u:***@h/d",
          .seed = 18446744073709551615U,
          .clients = 20,
          .pool = 20,
          .think = milliseconds(5),
          .sustained = true};
}

DeadlockSummary a_deadlock() {
  DeadlockSummary deadlocks;
  deadlocks.count = 2;
  deadlocks.victims_waited.record(1'003'000'123);
  deadlocks.victims_waited.record(1'011'000'000);
  deadlocks.survivors_waited.record(7'000'000);
  deadlocks.example = DeadlockSummary::Example{
      .waits = {{.transaction = "T7",
                 .client = 1,
                 .session = 4711,
                 .statement = "UPDATE products SET stock = stock - 1 WHERE id = 2",
                 .row = "products/2",
                 .next_had_locked_it = true,
                 .waited = 1'003'000'123},
                {.transaction = "T6", .client = 2, .waited = 7'000'000}},
      .server = "Process 4711 waits for ShareLock on transaction 815; blocked by process 4712."};
  return deadlocks;
}

RunReport failing_run() {
  RunReport report = a_run("oversell");
  report.rows = {a_row("decrement", "unsafe", "unsafe", 400),
                 a_row("atomic", "safe", "unsafe", 200), a_row("for-update", "safe", "safe", 100)};
  for (ReportRow* const row : {&report.rows[0], &report.rows[1]}) {
    row->violations = {{"oversold", 4}, {"stock below 0", 1}};
    row->first_violation = "trial 1: oversold: 7 sold of 1";
    add_anomaly(row->check, shown_case("p4-lost-update", 9));
    add_anomaly(row->check, shown_case("g2-item-write-skew", 2));
    row->check.levels = {"strict read atomic", "consistent view"};
    row->check.culprits = {{1, 0, 3}, {2, 0, 5}};
  }
  report.rows[1].check.promised_level = "repeatable read";
  report.rows[1].check.breaks_promise = true;
  report.rows[1].history_file = "history-atomic.jsonl";
  ReportRow& locking = report.rows[2];
  locking.check.deadlocks = a_deadlock();
  locking.check.levels = {"strict serializable"};
  locking.untested = "luck";
  locking.remark = "one in 100 was late";
  locking.history_incomplete = true;
  locking.tally.conflicts = 3;
  locking.tally.add(Error{ErrorKind::deadlock, "40P01", 0, "deadlock detected; DETAIL: …"});
  report.left_out = {{"advisory-lock", "advisory locks"}};
  report.minimized = RunReport::Minimized{.schedules = 12,
                                          .what = "oversold: 2 sold of 1",
                                          .picture = "client 1   client 2\n",
                                          .script = "-- hilsa schedule\nSELECT 1;\n"};
  return report;
}

ShownSchedule a_schedule() {
  ShownSchedule schedule{.what = "oversold: 2 sold of 1", .switches = 2};
  schedule.steps = {{.client = 1,
                     .sql = "SELECT stock FROM products WHERE id = 1",
                     .answer = "stock 1",
                     .answered_after = 1},
                    {.client = 2,
                     .sql = "SELECT stock FROM products WHERE id = 1",
                     .answer = "stock 1",
                     .answered_after = 2},
                    {.client = 1,
                     .sql = "UPDATE products SET stock = 0 WHERE id = 1",
                     .answer = "1 row",
                     .answered_after = 3},
                    {.client = 2,
                     .sql = "UPDATE products SET stock = 0 WHERE id = 1",
                     .answer = "1 row",
                     .waited = true,
                     .answered_after = 5},
                    {.client = 1, .sql = "COMMIT", .answer = "done", .answered_after = 5},
                    {.client = 2,
                     .sql = "COMMIT",
                     .answer = "failed: deadlock",
                     .failed = true,
                     .answered_after = 6}};
  schedule.ends = {"done", "gave up (deadlock)"};
  schedule.anomaly = shown_case("p4-lost-update");
  schedule.story = schedule.anomaly->text;
  schedule.script = "-- hilsa schedule\nBEGIN;\n\tSELECT 1;\nCOMMIT;\n";
  return schedule;
}

}  // namespace

ReportSet failing_compare() { return {.reports = {failing_run()}}; }

ReportSet write_skew() {
  RunReport report = a_run("doctors");
  report.rows = {a_row("count-then-leave", "unsafe", "unsafe", 40)};
  report.rows[0].violations = {{"nobody on call", 4}};
  report.rows[0].first_violation = "trial 2: nobody on call in shift 1";
  add_anomaly(report.rows[0].check, shown_case("g2-phantom"));
  add_anomaly(report.rows[0].check, shown_case("g2-item-write-skew"));
  return {.reports = {report}};
}

ReportSet broken_off() {
  RunReport report = a_run("wallet");
  report.rows = {a_row("atomic", "safe", "safe", 30), a_row("optimistic", "safe", "unknown", 0)};
  report.rows[1].why_unknown = "nothing was done";
  report.rows[1].check.not_checked = "the run broke off";
  report.broken_off = "the server is gone";
  report.minimized =
      RunReport::Minimized{.schedules = 3, .why_not = "no schedule of two breaks it"};
  report.default_database = true;
  report.sustained = false;
  return {.reports = {report}};
}

ReportSet interrupted() {
  RunReport report = a_run("wallet");
  report.rows = {a_row("atomic", "safe", "safe", 30)};
  report.interrupted = true;
  return {.reports = {report}};
}

ReportSet explored() {
  ExploreReport report{.origin = an_origin("explore", "hilsa explore oversell --seed 7"),
                       .workload = "oversell",
                       .product = "mariadb",
                       .product_title = "MariaDB",
                       .version = "10.11.6",
                       .url = "mariadb://u:***@h/d",
                       .seed = 7,
                       .clients = 2,
                       .max_attempts = 1,
                       .seen_by = "the server's list of lock waits"};
  ExploreRow violating{.strategy = "read-then-write",
                       .isolation = "repeatable read",
                       .promised = "unsafe",
                       .measured = "unsafe",
                       .running = milliseconds(812),
                       .run = 35,
                       .schedules = 70,
                       .covered = 70,
                       .exhaustive = true,
                       .violating = 34,
                       .waiting = 12,
                       .outcomes = {{"done", 104}, {"refused", 36}},
                       .violations = {{"oversold", 34}},
                       .anomalies = {{"P4", 34}},
                       .shortest = a_schedule()};
  ExploreRow broken = violating;
  broken.strategy = "atomic";
  broken.promised = "safe";
  broken.exhaustive = false;
  broken.schedules = 1.2345678e17;
  broken.covered = 1234.56789;
  broken.sampled = 5;
  broken.complete_switches = 2;
  broken.deadlocks = 0.25;
  broken.shortest_deadlock = a_schedule();
  broken.shortest_deadlock->what = "deadlock";
  broken.shortest_deadlock->anomaly.reset();
  broken.shortest_deadlock->story.clear();
  ExploreRow unknown{.strategy = "for-update",
                     .isolation = "repeatable read",
                     .promised = "safe",
                     .measured = "unknown",
                     .run = 1,
                     .schedules = 70};
  report.rows = {violating, broken, unknown};
  report.left_out = {{"skip-locked", "SKIP LOCKED"}};
  return {.reports = {report}};
}

ReportSet demanded() {
  RunReport again = failing_run();
  again.origin.suite = "again";
  again.origin.database = "postgresql (standby)";
  again.version = "16.4";
  return {.reports = {failing_run(), again, explored().reports[0]},
          .demands = {{"checkout", "for-update at read committed on postgresql", "must be safe",
                       Demand::Status::kept, "10 trials, none violated"},
                      {"checkout", "atomic at read committed on postgresql", "must be safe",
                       Demand::Status::broken, "4 of 10 trials violated oversold"},
                      {"checkout", "for-update at read committed on postgresql",
                       "throughput relative to atomic", Demand::Status::broken,
                       "0.50, 31 % below the baseline's 0.72 (at least 25 %, 99 % sure)"},
                      {"payment", "serializable on mariadb", "p99 relative to atomic",
                       Demand::Status::unknown, "only 3 rounds of at least 5"}}};
}

ReportSet hostile() {
  const std::string text(kHostile);
  RunReport report = failing_run();
  report.workload = report.product_title = report.version = report.url = text;
  report.origin = hostile_origin(text);
  for (ReportRow& row : report.rows) {
    row.strategy = row.isolation = row.first_violation = row.remark = row.untested = text;
    row.violations = {{text, 3}};
    row.measures = {{text, text + "1", text + "2", 1, 2}};
    row.tally.error_texts[0] = text;
    row.tally.errors[0] = 1;
    row.check.levels = {text};
    row.check.story = text;
    ShownAnomaly anomaly = shown_case("hostile-text");
    anomaly.name = anomaly.meaning = text;
    anomaly.sentences = {text};
    anomaly.text =
        text + "\n```\n~~~\n</details>\n<script>\n" + anomaly.text + std::string(1, '\0');
    anomaly.timeline.lanes[0].name = text;
    row.check.shown = {anomaly};
    row.check.anomalies = {{text, text, 2}};
    row.check.promised_level = text;
  }
  report.broken_off = text;
  report.left_out = {{text, text}};
  report.minimized->picture = report.minimized->script = report.minimized->what = text;
  ExploreReport schedules = std::get<ExploreReport>(explored().reports[0]);
  schedules.workload = schedules.seen_by = text;
  schedules.rows[1].strategy = text;
  schedules.rows[1].shortest->what = schedules.rows[1].shortest->story = text;
  schedules.rows[1].shortest->steps[0].sql = text;
  schedules.rows[1].violations = {{text, 3}};
  return {.reports = {report, schedules}};
}

ReportSet huge() {
  RunReport report = a_run("oversell");
  for (int i = 0; i < 12; ++i) {
    ReportRow row = a_row("strategy-" + std::to_string(i), "safe", "unsafe", 0);
    row.running = seconds(600);
    for (std::int64_t task = 0; task < 83'334; ++task) {
      const Nanoseconds latency = 100'000 + task * 7919 % 250'000'000;
      row.tally.add(TaskEnd::done);
      row.tally.latency.record(latency);
      row.series.add_done(task * 7'199'000, latency);
    }
    for (int round = 0; round < 1500; ++round) {
      row.rounds.push_back({milliseconds(400), 55 + round, 80, 249'999'999 - round});
    }
    for (const ToldCase& known : told_cases()) add_anomaly(row.check, shown_case(known.name, 833));
    row.check.deadlocks = a_deadlock();
    report.rows.push_back(row);
  }
  return {.reports = {report}};
}

ReportSet empty() { return {}; }

std::span<const RichResult> rich_results() {
  static constexpr std::array kAll = {RichResult{"failing-compare", failing_compare},
                                      RichResult{"write-skew", write_skew},
                                      RichResult{"broken-off", broken_off},
                                      RichResult{"explored", explored},
                                      RichResult{"demanded", demanded},
                                      RichResult{"hostile", hostile},
                                      RichResult{"huge", huge},
                                      RichResult{"empty", empty}};
  return kAll;
}

}  // namespace hilsa::tests
