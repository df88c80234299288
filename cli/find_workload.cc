#include "cli/find_workload.h"

#include <vector>

#include "cli/nearest.h"
#include "harness/database/usage_error.h"

namespace hilsa {

const Workload& find_workload(const std::string& name) {
  std::vector<std::string> known;
  for (const Workload* const workload : all_workloads()) {
    if (workload->name == name) return *workload;
    known.emplace_back(workload->name);
  }
  const bool is_url = shown(name) != "'" + name + "'";
  throw UsageError("unknown workload " + shown(name) + did_you_mean(name, known) +
                   (is_url ? "; a database is given with --db" : " ('hilsa list' shows all)"));
}

const Strategy& find_strategy(const Workload& workload, const std::string& name) {
  std::vector<std::string> known;
  for (const Strategy& strategy : workload.strategies) {
    if (strategy.name == name) return strategy;
    known.emplace_back(strategy.name);
  }
  throw UsageError("unknown strategy " + shown(name) + did_you_mean(name, known) +
                   " ('hilsa list " + std::string(workload.name) + "' shows all)");
}

}  // namespace hilsa
