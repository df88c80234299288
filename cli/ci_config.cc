#include "cli/ci_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "cli/ci_rules.h"
#include "cli/find_workload.h"
#include "cli/nearest.h"
#include "cli/run_options.h"
#include "cli/yaml_node.h"
#include "harness/database/url.h"
#include "harness/database/usage_error.h"

namespace hilsa {
namespace {

using Entry = YamlNode::Entry;
using Words = std::vector<std::string>;

const Words kTopKeys = {"databases", "suites", "baseline"};
const Words kSuiteKeys = {"name",      "workload", "database", "databases", "strategies",
                          "isolation", "must",     "cost",     "rounds"};
// Options of `hilsa compare` that a suite may set, and any of its workload's.
const Words kLoadKeys = {"clients", "trials",    "duration", "tasks", "rate",
                         "pool",    "pool-wait", "think",    "seed",  "max-attempts"};

constexpr const char* kStart = "'hilsa ci --example' shows one to start from";

// What a suite's load is: read by the very rules of the command line, so that both always mean the
// same. A mistake is told at the key that the message is about.
class Load {
 public:
  explicit Load(const Workload& workload, const YamlNode& suite)
      : workload_(workload), suite_(suite) {
    add_load_options(options_, &workload);
  }

  Words keys() const {
    Words keys = kLoadKeys;
    for (const Option& option : workload_.options) keys.emplace_back(option.name);
    if (!workload_.clients_called.empty()) keys.emplace_back(workload_.clients_called);
    return keys;
  }

  void add(const Entry& entry) {
    entries_.push_back(entry);
    const std::string option = entry.key == "rounds" ? "trials" : entry.key;
    const std::string value = entry.value.text("'" + entry.key + "' takes one value");
    arguments_.push_back("--" + option + "=" + value);
  }

  ExperimentPlan plan() const {
    const bool sustained = find("duration") != nullptr || find("tasks") != nullptr;
    const Entry* const rounds = find("rounds");
    if (rounds != nullptr && !sustained) {
      rounds->at.fail("'rounds' divide a 'duration' or 'tasks'; without one there are 'trials'");
    }
    if (const Entry* const trials = find("trials"); trials != nullptr && sustained) {
      trials->at.fail("with 'duration' or 'tasks' there are 'rounds', not 'trials'");
    }
    try {
      return plan_from(parse_arguments(arguments_, options_, "", 0), workload_, kCiRounds);
    } catch (const UsageError& error) {
      fail(error.what());
    }
  }

 private:
  const Entry* find(const std::string& key) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.key == key; });
    return found == entries_.end() ? nullptr : &*found;
  }

  // `--clients takes …` becomes `'clients' takes …`, where clients stand.
  [[noreturn]] void fail(std::string message) const {
    const Entry* about = nullptr;
    for (const Entry& entry : entries_) {
      const std::string option = "--" + (entry.key == "rounds" ? "trials" : entry.key);
      const std::size_t at = message.find(option);
      if (at == std::string::npos) continue;
      message.replace(at, option.size(), "'" + entry.key + "'");
      about = &entry;
    }
    if (about != nullptr) about->value.fail(message);
    suite_.fail(message);
  }

  const Workload& workload_;
  const YamlNode& suite_;
  Options options_;
  Arguments arguments_;
  std::vector<Entry> entries_;
};

// Whatever a look-up by name throws, told at its place.
template <typename Find>
auto found_at(const YamlNode& node, Find find) {
  try {
    return find();
  } catch (const UsageError& error) {
    node.fail(error.what());
  }
}

class SuiteReader {
 public:
  SuiteReader(const YamlNode& node, const CiConfig& config)
      : node_(node),
        config_(config),
        entries_(node.entries("a suite is a map with a 'name' and a 'workload'")) {}

  CiSuite read() {
    CiSuite suite;
    suite.place = node_.place();
    suite.name = required("name").value.text("'name' takes the suite's name");
    if (suite.name.empty()) required("name").value.fail("a suite needs a name");
    const Entry& workload = required("workload");
    workload_ = &found_at(workload.value, [&]() -> const std::reference_wrapper<const Workload> {
                   return find_workload(workload.value.text("'workload' takes a name"));
                 }).get();
    read_databases(suite);
    read_load(suite);
    read_levels(suite);
    read_rules(suite);
    read_strategies(suite);
    check_costs(suite);
    return suite;
  }

 private:
  const Entry* find(const std::string& key) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.key == key; });
    return found == entries_.end() ? nullptr : &*found;
  }
  const Entry& required(const std::string& key) const {
    const Entry* const entry = find(key);
    if (entry == nullptr) node_.fail("the suite has no '" + key + "'");
    return *entry;
  }

  void read_databases(CiSuite& suite) const {
    const Entry* const one = find("database");
    const Entry* const several = find("databases");
    if (one != nullptr && several != nullptr) {
      one->at.fail("'database' and 'databases' mean the same; give one of them");
    }
    const Entry* const named = one != nullptr ? one : several;
    if (named == nullptr) node_.fail("the suite has no 'database'");
    Words known;
    for (const auto& [name, address] : config_.databases) known.push_back(name);
    for (const YamlNode& item : named->value.items("a database's name, or a list of them")) {
      const std::string name = item.text("a database's name");
      if (!config_.databases.contains(name)) {
        item.fail("no database called " + shown(name) + did_you_mean(name, known) +
                  " (they are named under 'databases')");
      }
      if (std::find(suite.databases.begin(), suite.databases.end(), name) !=
          suite.databases.end()) {
        item.fail(shown(name) + " is there twice");
      }
      suite.databases.push_back(name);
    }
    if (suite.databases.empty()) named->value.fail("there should be at least one database");
  }

  void read_load(CiSuite& suite) const {
    Load load(*workload_, node_);
    Words known = kSuiteKeys;
    for (const std::string& key : load.keys()) known.push_back(key);
    const Words own = load.keys();
    for (const Entry& entry : entries_) {
      const bool is_load = std::find(own.begin(), own.end(), entry.key) != own.end();
      if (is_load || entry.key == "rounds") {
        load.add(entry);
      } else if (std::find(kSuiteKeys.begin(), kSuiteKeys.end(), entry.key) == kSuiteKeys.end()) {
        entry.fail_as_unknown(known);
      }
    }
    suite.plan = load.plan();
  }

  void read_levels(CiSuite& suite) const {
    const Entry* const entry = find("isolation");
    if (entry == nullptr) return;
    for (const YamlNode& item : entry->value.items("an isolation level, or a list of them")) {
      const std::string name = item.text("an isolation level");
      const auto level = isolation_named(name);
      if (!level) {
        const Words known = {"read uncommitted", "read committed", "repeatable read",
                             "serializable"};
        item.fail("unknown isolation level " + shown(name) + did_you_mean(name, known) +
                  " (there are read uncommitted, read committed, repeatable read and "
                  "serializable)");
      }
      if (std::find(suite.levels.begin(), suite.levels.end(), *level) == suite.levels.end()) {
        suite.levels.push_back(*level);
      }
    }
  }

  const Strategy& strategy_at(const YamlNode& node, const std::string& name) const {
    return found_at(node,
                    [&]() -> const std::reference_wrapper<const Strategy> {
                      return find_strategy(*workload_, name);
                    })
        .get();
  }

  void read_rules(CiSuite& suite) const {
    if (const Entry* const must = find("must")) read_must(must->value, suite.rules);
    const Entry* const cost = find("cost");
    if (cost == nullptr) return;
    if (const auto reference = read_suite_cost(cost->value, suite.rules)) {
      const std::string name = reference->text("'reference' takes a strategy's name");
      suite.reference = &strategy_at(*reference, name);
    }
  }

  void read_strategies(CiSuite& suite) const {
    const Entry* const entry = find("strategies");
    if (entry == nullptr) return;
    for (const YamlNode& item : entry->value.items("a list of strategies")) {
      CiSuite::Row row{.rules = suite.rules};
      if (item.is_map()) {
        const auto named = item.entries("a strategy's name");
        if (named.size() != 1) item.fail("one strategy, like 'atomic: {must: safe}'");
        row.strategy = &strategy_at(named[0].at, named[0].key);
        read_strategy_rules(named[0].value, row.rules);
      } else {
        row.strategy = &strategy_at(item, item.text("a strategy's name"));
      }
      const bool is_known =
          std::any_of(suite.rows.begin(), suite.rows.end(),
                      [&](const CiSuite::Row& other) { return other.strategy == row.strategy; });
      if (is_known) item.fail(shown(row.strategy->name) + " is there twice");
      suite.rows.push_back(std::move(row));
    }
    if (suite.rows.empty()) entry->value.fail("there should be at least one strategy");
  }

  const YamlNode& cost_place() const {
    const Entry* const cost = find("cost");
    return cost != nullptr ? cost->at : node_;
  }

  void check_costs(const CiSuite& suite) const {
    std::vector<const RowRules*> all = {&suite.rules};
    for (const CiSuite::Row& row : suite.rows) all.push_back(&row.rules);
    std::size_t needed = 0;
    bool needs_reference = false;
    for (const RowRules* const rules : all) {
      if (!rules->weighs_cost()) continue;
      needed = std::max(needed, kRoundsMin);
      if (!rules->limits.empty()) {
        needed = std::max(needed, rounds_needed_for_limit(rules->confidence));
      }
      if (rules->regression) {
        needed = std::max(needed, rounds_needed_for_regression(rules->regression->confidence));
      }
      needs_reference =
          needs_reference || rules->regression ||
          std::any_of(rules->limits.begin(), rules->limits.end(),
                      [](const CostLimit& limit) { return limit.figure != Figure::attempts; });
    }
    if (needed == 0) return;
    if (!suite.plan.sustained()) {
      cost_place().fail("a cost is measured over time: the suite needs a 'duration' or 'tasks'");
    }
    if (needs_reference && suite.reference == nullptr) {
      cost_place().fail("costs are relative to a strategy of the same run: 'reference' names it");
    }
    if (suite.plan.trials < static_cast<int>(needed)) {
      const Entry* const rounds = find("rounds");
      (rounds != nullptr ? rounds->value : node_)
          .fail(fmt::format("that confidence takes at least {} rounds, not {}", needed,
                            suite.plan.trials));
    }
    const bool alone = suite.rows.size() == 1 && suite.rows[0].strategy == suite.reference;
    if (needs_reference && alone) {
      cost_place().fail("nothing is compared with the reference: 'strategies' lists no other");
    }
  }

  const YamlNode& node_;
  const CiConfig& config_;
  std::vector<Entry> entries_;
  const Workload* workload_ = nullptr;
};

void read_databases(const YamlNode& node, CiConfig& config) {
  for (const Entry& entry : node.entries("databases are a map of names to URLs")) {
    const std::string url = entry.value.text("a database's URL, for example env:DATABASE_URL");
    if (entry.key.empty()) entry.at.fail("a database needs a name");
    config.databases[entry.key] = {url, entry.value.place()};
    if (url.starts_with("env:")) continue;  // looked up only if it is used
    const Url parsed = found_at(entry.value, [&] { return parse_url(url); });
    if (parsed.password.empty()) continue;
    config.notes.push_back(
        entry.value.place() +
        ": a password in a file that is committed; 'env:NAME' takes the URL from "
        "an environment variable");
  }
}

void read_suites(const YamlNode& node, CiConfig& config) {
  for (const YamlNode& item : node.items("a list of suites")) {
    CiSuite suite = SuiteReader(item, config).read();
    const bool is_known =
        std::any_of(config.suites.begin(), config.suites.end(),
                    [&](const CiSuite& other) { return other.name == suite.name; });
    if (is_known) item.fail("there are two suites called " + shown(suite.name));
    config.suites.push_back(std::move(suite));
  }
}

}  // namespace

bool CiSuite::wants_baseline() const {
  const auto wants = [](const RowRules& of) { return of.regression.has_value(); };
  if (rows.empty()) return wants(rules);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return row.strategy != reference && wants(row.rules); });
}

CiConfig load_ci_config(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw UsageError("there is no " + shown(path) + "; 'hilsa ci --example > " + kCiConfigFile +
                     "' makes one to start from");
  }
  const YamlNode top = YamlNode::load(path);
  if (top.is_empty()) throw UsageError(shown(path) + " is empty; " + kStart);
  const auto entries = top.entries("the configuration is a map with 'databases' and 'suites'");
  CiConfig config;
  const auto find = [&](const std::string& key) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const Entry& entry) { return entry.key == key; });
  };
  for (const Entry& entry : entries) {
    const bool is_known = std::find(kTopKeys.begin(), kTopKeys.end(), entry.key) != kTopKeys.end();
    if (!is_known) entry.fail_as_unknown(kTopKeys);
  }
  if (find("databases") == entries.end() || find("suites") == entries.end()) {
    top.fail(fmt::format("there should be 'databases' and 'suites'; {}", kStart));
  }
  read_databases(find("databases")->value, config);
  read_suites(find("suites")->value, config);
  if (config.suites.empty()) find("suites")->value.fail("there should be at least one suite");
  std::filesystem::path baseline = kCiBaselineFile;
  if (find("baseline") != entries.end()) {
    baseline = find("baseline")->value.text("'baseline' takes the name of a file");
    if (baseline.empty()) find("baseline")->value.fail("'baseline' takes the name of a file");
  }
  config.baseline_file = (std::filesystem::path(path).parent_path() / baseline).string();
  return config;
}

}  // namespace hilsa
