// The parts of a suite in `hilsa.yaml` that say what must be and what it may cost.
#pragma once

#include <optional>

#include "cli/yaml_node.h"
#include "reports/demands.h"

namespace hilsa {

// `must`: safe, unsafe, a level, or a list of them. Replaces what the rules say.
void read_must(const YamlNode& node, RowRules& rules);

// A suite's `cost`. Where its `reference` stands, if it names one.
std::optional<YamlNode> read_suite_cost(const YamlNode& node, RowRules& rules);

// What is said of one strategy: `must` and `cost`; limits replace the suite's one by one, and
// `cost: none` drops them all.
void read_strategy_rules(const YamlNode& node, RowRules& rules);

}  // namespace hilsa
