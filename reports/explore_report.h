// What `explore` found, as plain data, and its renderings.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/colour.h"
#include "reports/origin.h"
#include "reports/shown_anomaly.h"

namespace hilsa {

// A statement of a schedule.
struct ExploredStep {
  int client = 0;
  std::string sql;      // as the application would have written it, with its values
  std::string answer;   // `stock 1`, `1 row`, `deadlock (40P01): …`
  bool waited = false;  // for a lock: others went on meanwhile
  bool failed = false;
  int answered_after = 0;  // how many steps had been taken when the answer came, this one included
};

struct ShownSchedule {
  std::vector<ExploredStep> steps;
  std::vector<std::string> ends;  // by client: `done`, `gave up (deadlock)`
  std::string what;               // what is wrong: `oversold: 2 sold of 1`
  int switches = 0;
  std::string story;   // the anomaly in its history, in words; empty: none was found
  std::string script;  // SQL to run it by hand
  // The same anomaly; its lanes are transactions, not clients.
  std::optional<ShownAnomaly> anomaly;
};

struct ExploreRow {
  std::string strategy;
  std::string isolation;
  std::string promised;  // safe, unsafe
  // safe: no schedule violates, and all were covered. unknown: none of those run does.
  std::string measured;
  std::chrono::nanoseconds running{0};
  std::int64_t run = 0;
  std::int64_t sampled = 0;
  double schedules = 0;  // that there are; an estimate unless exhaustive
  double covered = 0;    // run, or the same as one that was run but for swaps that go unnoticed
  bool exhaustive = false;
  int complete_switches = -1;
  double violating = 0;
  double deadlocks = 0;
  double refused_by_database = 0;
  double waiting = 0;
  std::map<std::string, double> outcomes;
  std::map<std::string, double> violations;
  std::map<std::string, double> anomalies;
  std::optional<ShownSchedule> shortest;  // that violates, or else shows an anomaly
  std::optional<ShownSchedule> shortest_deadlock;
  bool violates() const { return violating > 0; }
};

struct ExploreReport {
  Origin origin;
  std::string workload;
  std::string product;
  std::string product_title;
  std::string version;
  std::string url;  // redacted
  std::uint64_t seed = 0;
  int clients = 2;
  int max_attempts = 1;
  std::string seen_by;  // how it was seen who waits
  bool interrupted = false;
  std::vector<ExploreRow> rows;
  std::vector<std::pair<std::string, std::string>> left_out;  // strategy, what is missing
};

// A schedule as a picture: a column for each client, time goes down.
std::string to_picture(const ShownSchedule& schedule, int clients);

// For a terminal; ends with a newline.
std::string to_text_report(const ExploreReport& report, Colour colour = Colour::none);
// DESIGN §8's object for `explore`, indented; ends with a newline.
std::string to_json_report(const ExploreReport& report);

}  // namespace hilsa
