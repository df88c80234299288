#include "cli/ci_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "checkers/levels.h"
#include "cli/nearest.h"

namespace hilsa {
namespace {

using Entry = YamlNode::Entry;
using Words = std::vector<std::string>;

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::optional<double> number_in(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

// `99%`, as a share.
double share_at(const Entry& entry, double lowest, double highest) {
  const std::string text = entry.value.text("'" + entry.key + "' takes a percentage");
  const auto number =
      text.ends_with('%') ? number_in(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!number || *number < lowest || *number > highest) {
    entry.value.fail(fmt::format("'{}' takes a percentage from {}% to {}%, not {}", entry.key,
                                 lowest, highest, shown(text)));
  }
  return *number / 100;
}

constexpr double kSurest = 99.9999;
double confidence_at(const Entry& entry) { return share_at(entry, 80, kSurest); }

// `>= 0.8`
CostLimit limit_at(Figure figure, const Entry& entry) {
  const std::string sign = more_is_better(figure) ? ">=" : "<=";
  const std::string right = fmt::format("'{}' takes a limit like '{} {}'", entry.key, sign,
                                        figure == Figure::throughput ? "0.8"
                                        : figure == Figure::p99      ? "1.5"
                                                                     : "1.2");
  const std::string text = without_blanks(entry.value.text(right));
  const auto number = text.starts_with(sign) ? number_in(text.substr(2)) : std::nullopt;
  if (!number || *number <= 0) entry.value.fail(right + ", not " + shown(text));
  return {figure, *number};
}

void set_limit(RowRules& rules, const CostLimit& limit) {
  std::erase_if(rules.limits, [&](const CostLimit& old) { return old.figure == limit.figure; });
  rules.limits.push_back(limit);
}

void read_figures(const Entry& entry, RegressionRule& rule) {
  const Words known = {"throughput", "p99", "attempts"};
  rule.figures.clear();
  for (const YamlNode& item : entry.value.items("a list of figures")) {
    const std::string name = item.text("a figure: throughput, p99 or attempts");
    const auto figure = figure_named(name);
    if (!figure) {
      item.fail("unknown figure " + shown(name) + did_you_mean(name, known) +
                " (there are throughput, p99 and attempts)");
    }
    const bool is_new =
        std::find(rule.figures.begin(), rule.figures.end(), *figure) == rule.figures.end();
    if (is_new) rule.figures.push_back(*figure);
  }
  if (rule.figures.empty()) entry.value.fail("there should be at least one figure");
}

RegressionRule regression_at(const YamlNode& node) {
  RegressionRule rule;
  if (node.is_empty()) return rule;
  const Words known = {"tolerance", "confidence", "figures"};
  for (const Entry& entry :
       node.entries("'regression' takes a map, like {tolerance: 10%, confidence: 99%}")) {
    if (entry.key == "tolerance") {
      rule.tolerance = share_at(entry, 1, 90);
    } else if (entry.key == "confidence") {
      rule.confidence = confidence_at(entry);
    } else if (entry.key == "figures") {
      read_figures(entry, rule);
    } else {
      entry.fail_as_unknown(known);
    }
  }
  return rule;
}

// A key of `cost` that a suite and a strategy may both have; false: another one.
bool read_cost_entry(const Entry& entry, RowRules& rules) {
  if (const auto figure = figure_named(entry.key)) {
    set_limit(rules, limit_at(*figure, entry));
  } else if (entry.key == "confidence") {
    rules.confidence = confidence_at(entry);
  } else if (entry.key == "regression") {
    rules.regression = regression_at(entry.value);
  } else {
    return false;
  }
  return true;
}

constexpr const char* kCostForm =
    "'cost' takes a map, like {reference: for-update, throughput: '>= 0.8'}";
const Words kCostKeys = {"reference", "throughput", "p99", "attempts", "confidence", "regression"};

}  // namespace

void read_must(const YamlNode& node, RowRules& rules) {
  rules.must = Must::as_promised;
  rules.level.reset();
  constexpr const char* kForm = "'must' takes safe, unsafe, or an isolation level";
  for (const YamlNode& item : node.items(kForm)) {
    const std::string word = item.text(kForm);
    const auto level = level_named(word);
    if (word == "safe" || word == "unsafe") {
      if (rules.must != Must::as_promised) item.fail("safe or unsafe is said twice");
      rules.must = word == "safe" ? Must::safe : Must::unsafe;
    } else if (level) {
      if (rules.level) item.fail("one level is enough: a stronger one implies the weaker");
      rules.level = level;
    } else {
      Words known = {"safe", "unsafe"};
      for (const LevelForm& one : all_levels()) known.push_back(name_of(one));
      item.fail(std::string(kForm) + ", not " + shown(word) + did_you_mean(word, known));
    }
  }
}

std::optional<YamlNode> read_suite_cost(const YamlNode& node, RowRules& rules) {
  std::optional<YamlNode> reference;
  for (const Entry& entry : node.entries(kCostForm)) {
    if (entry.key == "reference") {
      reference.emplace(entry.value);
    } else if (!read_cost_entry(entry, rules)) {
      entry.fail_as_unknown(kCostKeys);
    }
  }
  return reference;
}

void read_strategy_rules(const YamlNode& node, RowRules& rules) {
  if (node.is_empty()) return;
  const Words known = {"must", "cost"};
  for (const Entry& entry : node.entries("a strategy takes 'must' and 'cost'")) {
    if (entry.key == "must") {
      read_must(entry.value, rules);
    } else if (entry.key != "cost") {
      entry.fail_as_unknown(known);
    } else if (!entry.value.is_map() && entry.value.text(kCostForm) == "none") {
      rules.limits.clear();
      rules.regression.reset();
    } else {
      for (const Entry& cost : entry.value.entries(kCostForm)) {
        if (cost.key == "reference") cost.at.fail("a suite has one 'reference', in its own 'cost'");
        if (!read_cost_entry(cost, rules)) cost.fail_as_unknown(kCostKeys);
      }
    }
  }
}

}  // namespace hilsa
