// `matrix`: what each isolation level of a database lets through.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "checkers/checker.h"
#include "checkers/explain.h"
#include "checkers/printable.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/default_database.h"
#include "cli/nearest.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/schedule_script.h"
#include "cli/watch.h"
#include "harness/database/usage_error.h"
#include "harness/run/trial.h"
#include "harness/schedule/scripted.h"
#include "reports/check_report.h"
#include "reports/matrix_report.h"

namespace hilsa {
namespace {

namespace po = boost::program_options;

using Classes = std::vector<AnomalyClass>;

// What a checker calls what a cell is about.
Classes classes_of(Phenomenon cell) {
  switch (cell) {
    case Phenomenon::g0:
      return {AnomalyClass::g0};
    case Phenomenon::g1a:
      return {AnomalyClass::g1a};
    case Phenomenon::g1b:
      return {AnomalyClass::g1b};
    case Phenomenon::g1c:
      return {AnomalyClass::g1c};
    case Phenomenon::otv:
      return {AnomalyClass::otv};
    case Phenomenon::pmp:
      return {AnomalyClass::pmp};
    case Phenomenon::p4:
      return {AnomalyClass::p4};
    case Phenomenon::g_single:
      return {AnomalyClass::g_single, AnomalyClass::fractured_read,
              AnomalyClass::non_repeatable_read};
    case Phenomenon::g2_item:
      return {AnomalyClass::g2_item};
    case Phenomenon::g2:
      break;
  }
  return {AnomalyClass::g2};
}

// Of the anomalies that the history proves, the one that the cell is about; null: it does not
// occur.
const Anomaly* find(const Verdict& verdict, Phenomenon cell) {
  const Classes wanted = classes_of(cell);
  const auto found =
      std::find_if(verdict.anomalies.begin(), verdict.anomalies.end(), [&](const Anomaly& anomaly) {
        return anomaly.needs == Needs::data &&
               std::find(wanted.begin(), wanted.end(), anomaly.anomaly) != wanted.end();
      });
  return found == verdict.anomalies.end() ? nullptr : &*found;
}

// What occurs, by level; `!` marks what occurs only where the victim writes. Everything else is
// prevented. From Hermitage's results for PostgreSQL and MySQL; with innodb_snapshot_isolation
// MariaDB's repeatable read refuses to write what has changed, as PostgreSQL's does.
struct Documented {
  Isolation isolation;
  std::vector<std::string_view> occurs;
};
std::vector<Documented> documented_of(const Traits& traits) {
  const std::vector<std::string_view> committed = {"PMP", "P4", "G-single", "G2-item", "G2"};
  const std::vector<std::string_view> snapshot = {"G2-item", "G2"};
  switch (traits.product) {
    case Product::postgresql:
      return {{Isolation::read_committed, committed},
              {Isolation::repeatable_read, snapshot},
              {Isolation::serializable, {}}};
    case Product::mysql:
    case Product::mariadb:
      return {{Isolation::read_uncommitted,
               {"G1a", "G1b", "G1c", "OTV", "PMP", "P4", "G-single", "G2-item", "G2"}},
              {Isolation::read_committed, committed},
              {Isolation::repeatable_read,
               traits.innodb_snapshot_isolation
                   ? snapshot
                   : std::vector<std::string_view>{"PMP!", "P4", "G-single!", "G2-item", "G2"}},
              {Isolation::serializable, {}}};
    case Product::sqlite:
      if (traits.shared_cache) break;  // nobody has published it
      return {{Isolation::serializable, {}}};
    case Product::simulated:
      break;
  }
  return {};
}

MatrixCell::State documented_state(const Documented& row, std::string_view anomaly) {
  for (const std::string_view occurs : row.occurs) {
    if (occurs == anomaly) return MatrixCell::State::occurs;
    if (occurs.substr(0, occurs.size() - 1) == anomaly && occurs.ends_with('!')) {
      return MatrixCell::State::writes_only;
    }
  }
  return MatrixCell::State::prevented;
}

void compare_with_documented(const Traits& traits, Isolation level, MatrixReport& report,
                             MatrixRow& row) {
  for (const Documented& documented : documented_of(traits)) {
    if (documented.isolation != level) continue;
    report.has_documented = true;
    for (MatrixCell& cell : row.cells) {
      const MatrixCell::State state = documented_state(documented, cell.anomaly);
      if (state != cell.state) cell.documented = name_of(state);
    }
  }
}

MatrixCell measure(ScriptedRunner& runner, Phenomenon which, std::optional<Isolation> level) {
  MatrixCell cell{.anomaly = std::string(name_of(which))};
  bool when_reading = false;
  bool when_writing = false;
  bool has_reading_victims = false;
  for (const Scenario& scenario : all_scenarios()) {
    if (scenario.phenomenon != which) continue;
    const ScriptedRun run = runner.run(scenario, level);
    has_reading_victims = has_reading_victims || !scenario.victim_writes;
    if (find(check(run.history, {}), which) != nullptr) {
      (scenario.victim_writes ? when_writing : when_reading) = true;
      continue;
    }
    cell.aborted = cell.aborted || run.aborted();
    cell.blocked = cell.blocked || run.blocked;
  }
  if (when_reading || (when_writing && !has_reading_victims)) {
    cell.state = MatrixCell::State::occurs;
  } else if (when_writing) {
    cell.state = MatrixCell::State::writes_only;
  }
  // Fekete's reader is a variant of write skew: what lets that through is not about writing.
  if (which == Phenomenon::g2_item && when_writing) cell.state = MatrixCell::State::occurs;
  return cell;
}

std::optional<Phenomenon> cell_named(const std::string& name) {
  for (std::size_t i = 0; i < kPhenomenonCount; ++i) {
    const auto cell = static_cast<Phenomenon>(i);
    if (name == name_of(cell) || name == common_name_of(cell)) return cell;
  }
  return std::nullopt;
}

std::vector<std::optional<Isolation>> levels_to_run(const Parsed& parsed,
                                                    const Database& database) {
  const std::vector<Isolation> asked = isolations_from(parsed);
  try {
    for (const Isolation level : asked) check_level(database, level);
  } catch (const UsageError& error) {
    explain_default_database(parsed, error);
  }
  if (database.traits().fixed_isolation) return {std::nullopt};
  if (!asked.empty()) return {asked.begin(), asked.end()};
  const auto levels = database.traits().levels();
  return {levels.begin(), levels.end()};
}

void explain_scenario(const Scenario& scenario, const ScriptedRun& run, Product product,
                      std::string_view level) {
  fmt::print("{} ({}) at {}: {}\n\n", name_of(scenario.phenomenon),
             common_name_of(scenario.phenomenon), level, scenario.name);
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const TakenStep& step = run.steps[i];
    const std::vector<std::string> texts = sql_of(step.call, product);
    fmt::print("  T{}: {}\n", step.client, fmt::join(texts, "; "));
    fmt::print("      {}{}\n", step.waited ? "waits, then: " : "", printable(answer_of(step)));
  }
  const Verdict verdict = check(run.history, {});
  if (const Anomaly* const anomaly = find(verdict, scenario.phenomenon)) {
    fmt::print("\nit occurs:\n\n{}\n", explain(run.history, *anomaly, anomaly->evidence.at(0)));
  } else {
    fmt::print("\nit is prevented{}\n\n", run.aborted() ? ": a transaction was refused"
                                          : run.blocked ? ": a transaction had to wait"
                                                        : "");
  }
}

void explain_cell(ScriptedRunner& runner, Phenomenon cell, const Database& database,
                  const std::vector<std::optional<Isolation>>& levels) {
  const Traits& traits = database.traits();
  for (const auto& level : levels) {
    for (const Scenario& scenario : all_scenarios()) {
      if (scenario.phenomenon != cell) continue;
      explain_scenario(scenario, runner.run(scenario, level), traits.product,
                       name_of(level.value_or(traits.default_isolation)));
    }
  }
}

MatrixReport measure_all(ScriptedRunner& runner, const Database& database, ProgressLine& line,
                         const std::vector<std::optional<Isolation>>& levels,
                         const std::stop_token& stop) {
  const Traits& traits = database.traits();
  MatrixReport report{.product = std::string(name_of(traits.product)),
                      .product_title = std::string(title_of(traits.product)),
                      .version = traits.version,
                      .url = database.shown_url()};
  for (std::size_t i = 0; i < kPhenomenonCount; ++i) {
    const auto cell = static_cast<Phenomenon>(i);
    report.anomalies.emplace_back(name_of(cell), common_name_of(cell));
  }
  for (const auto& level : levels) {
    const Isolation in_effect = level.value_or(traits.default_isolation);
    MatrixRow row{.isolation = std::string(name_of(in_effect)),
                  .is_default = in_effect == traits.default_isolation};
    for (std::size_t i = 0; i < kPhenomenonCount; ++i) {
      if (stop.stop_requested()) throw Interrupted();
      const auto cell = static_cast<Phenomenon>(i);
      line.show([&] { return fmt::format("matrix: {} at {}", name_of(cell), row.isolation); });
      row.cells.push_back(measure(runner, cell, level));
    }
    compare_with_documented(traits, in_effect, report, row);
    report.rows.push_back(std::move(row));
  }
  return report;
}

std::string matrix_format_from(const Parsed& parsed) {
  const auto& format = parsed["format"].as<std::string>();
  if (format != "text" && format != "json" && format != "markdown") {
    throw UsageError("--format is text, json or markdown, not " + shown(format));
  }
  return format;
}

bool differs(const MatrixReport& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), [](const MatrixRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(),
                       [](const MatrixCell& cell) { return !cell.documented.empty(); });
  });
}

}  // namespace

ExitStatus matrix_command(const Arguments& arguments, const std::stop_token& stop) {
  Options options("options", 100, 60);
  auto add = options.add_options();
  add("help,h", "show this help");
  add("isolation", po::value<std::vector<std::string>>(),
      "only this isolation level; may be repeated (default: all that the product offers)");
  add("explain", po::value<std::string>(),
      "show the scenarios of one anomaly (G0, G1a, … G2) with what every statement returned");
  add_database_options(options);
  add_watch_options(options);
  add("format", po::value<std::string>()->default_value("text"), "text, json or markdown");
  add("quiet", "no progress line");
  const Parsed parsed = parse_arguments(arguments, options, "", 0);
  if (parsed.count("help") != 0) {
    fmt::print(
        "usage: hilsa matrix [--db URL] [options]\n\nwhich anomalies each isolation level of this "
        "database lets through, by running scenarios of two\nor three transactions and checking "
        "their histories\n\n");
    print_options(options);
    return ExitStatus::as_promised;
  }
  const std::string format = matrix_format_from(parsed);
  std::optional<Phenomenon> explained;
  if (parsed.count("explain") != 0) {
    explained = cell_named(parsed["explain"].as<std::string>());
    if (!explained) {
      throw UsageError("unknown anomaly " + shown(parsed["explain"].as<std::string>()) +
                       "; there are G0, G1a, G1b, G1c, OTV, PMP, P4, G-single, G2-item and G2");
    }
  }
  const OpenDatabase open = connect_watched_from(parsed, stop);
  const auto levels = levels_to_run(parsed, *open.database);
  const std::unique_ptr<BlockWatch> watch = watch_of(parsed, *open.database);
  ScriptedRunner runner(*open.database, *watch);
  if (explained) {
    explain_cell(runner, *explained, *open.database, levels);
    return ExitStatus::as_promised;
  }
  ProgressLine line(parsed.count("quiet") != 0);
  MatrixReport report = measure_all(runner, *open.database, line, levels, stop);
  report.seen_by = watch->how();
  const std::string text = format == "json"       ? to_json_report(report)
                           : format == "markdown" ? to_markdown_report(report)
                                                  : to_text_report(report);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return differs(report) ? ExitStatus::violated : ExitStatus::as_promised;
}

}  // namespace hilsa
