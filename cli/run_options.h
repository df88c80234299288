// The options that several commands share, and what they mean together.
#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/connect.h"
#include "harness/run/experiment.h"

namespace hilsa {

// --db, --connect-timeout, --statement-timeout
void add_database_options(Options& options);
OpenDatabase connect_from(const Parsed& parsed, const std::stop_token& stop);
// For whoever follows every step: ConnectOptions::watched.
OpenDatabase connect_watched_from(const Parsed& parsed, const std::stop_token& stop);

// Every --isolation, each once. Throws UsageError.
std::vector<Isolation> isolations_from(const Parsed& parsed);

// Clients of a sustained run, unless told otherwise.
inline constexpr int kClientsWhenSustained = 8;

// --clients, --trials, --duration … and the workload's own.
void add_load_options(Options& options, const Workload* workload);

// A plan without rows. Throws UsageError for what is out of range or contradicts itself.
// `rounds` is how many trials a sustained run is cut into unless --trials says otherwise.
ExperimentPlan plan_from(const Parsed& parsed, const Workload& workload, int rounds);

// --format: what goes to standard output.
enum class Format { text, json, github };
Format format_from(const Parsed& parsed);
// Of commands that know no other than text and json.
bool wants_json(const Parsed& parsed);

void print_options(const Options& options);

}  // namespace hilsa
