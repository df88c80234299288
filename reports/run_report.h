// What `run` and `compare` found, as plain data, and its renderings. Knows no database and no
// clients.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/history/measurement.h"
#include "harness/history/time_series.h"
#include "reports/colour.h"
#include "reports/deadlock_summary.h"
#include "reports/origin.h"
#include "reports/shown_anomaly.h"

namespace hilsa {

// What the checker found in a row's history.
struct HistoryCheck {
  // In the order in which to tell them: the most specific first.
  struct Count {
    std::string anomaly;  // its class: `P4`
    std::string name;     // as people call it: `lost update`
    std::int64_t count = 0;
  };
  std::vector<Count> anomalies;
  std::vector<std::string> levels;  // the strongest that hold
  std::string not_checked;          // why; empty: it was checked
  std::string promised_level;       // what the database promises; empty: nothing to this strategy
  bool breaks_promise = false;      // the history proves that it does not keep that
  std::string story;                // the first anomaly, explained; empty: none, or not asked for
  std::vector<ShownAnomaly> shown;  // one of each class
  // Whose transactions that anomaly's cycle is made of, each once, the tool's own set-up left out.
  struct Culprit {
    int client = 0;
    int trial = 0;
    std::int64_t task = 0;  // of the client's in that trial, from 0
    friend bool operator==(const Culprit&, const Culprit&) = default;
  };
  std::vector<Culprit> culprits;
  DeadlockSummary deadlocks;
};

struct ReportRow {
  std::string strategy;
  std::string
      isolation;  // in words; for a strategy without transactions: what each statement runs at
  std::string promised;  // safe, unsafe
  std::string measured;  // safe, unsafe, unknown
  std::string why_unknown;
  std::string untested;  // what no trial put to the test; empty: nothing
  int trials = 0;
  int trials_violated = 0;
  std::map<std::string, int> violations;  // invariant → trials
  std::string first_violation;
  Tally tally;
  std::chrono::nanoseconds running{0};
  std::vector<Round> rounds;  // of a sustained run, in their order
  TimeSeries series;          // over its running time, trial after trial
  // A workload's own figures over the trials.
  struct Measure {
    std::string title;
    std::string lowest_name;
    std::string highest_name;
    // Nothing when no trial was finished.
    std::optional<std::int64_t> lowest;
    std::optional<std::int64_t> highest;
  };
  std::vector<Measure> measures;
  std::string history_file;  // empty: not recorded
  bool history_incomplete = false;
  HistoryCheck check;
  std::string remark;  // what the workload has to say about the figures; may be empty

  // Tasks done per second of running time; 0 when nothing ran. Refusals are not counted: a shop
  // that is sold out refuses very fast.
  double throughput_per_s() const;
  bool as_promised() const { return measured == promised; }
  // An invariant broke although the history is serializable: no isolation level would have helped.
  bool no_level_helps() const;
};

// While a fault was injected; on the time axis of the rows' series.
struct FaultWindow {
  std::string name;
  Nanoseconds from = 0;
  Nanoseconds to = 0;
};

struct RunReport {
  Origin origin;
  std::string workload;
  std::string product;        // as in JSON: `postgresql`
  std::string product_title;  // as in sentences: `PostgreSQL`
  std::string version;
  std::string url;  // redacted
  std::uint64_t seed = 0;
  int clients = 0;
  int pool = 0;
  std::chrono::nanoseconds think{0};
  bool default_database = false;  // nobody asked for this one
  bool sustained = false;         // clients went on for a time, or for a number of tasks
  bool interrupted = false;
  std::string broken_off;  // why the run could not go on; empty: it could
  std::vector<ReportRow> rows;
  std::vector<FaultWindow> faults;  // in their order
  // What came of looking for a schedule of a few transactions that breaks as the run did.
  struct Minimized {
    std::int64_t schedules = 0;  // run until one did
    std::string why_not;         // empty: one did, and the rest is about it
    std::string what;            // is wrong
    std::string picture;
    std::string script;
  };
  std::optional<Minimized> minimized;
  // Strategies left out because the product lacks what they need: name and what is missing.
  std::vector<std::pair<std::string, std::string>> left_out;
};

// One line: the fastest strategy that promised to be safe, stayed so and gave up on (almost)
// nothing; what the other safe ones reach of its speed.
std::string advice_for(const RunReport& report);

// For a terminal; ends with a newline. Columns are aligned by display width of plain ASCII.
std::string to_text_report(const RunReport& report, Colour colour = Colour::none);

// DESIGN §8's object for `run` and `compare`, indented; ends with a newline.
std::string to_json_report(const RunReport& report);

}  // namespace hilsa
