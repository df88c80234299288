// JUnit's XML as GitHub, GitLab and Jenkins take it: a suite for each report, in it a case for each
// strategy at a level of a product; a suite for each of `hilsa ci`'s, in it a case for each demand.
// Where something was demanded, only that can fail.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "checkers/printable.h"
#include "reports/lines.h"
#include "reports/report_set.h"
#include "reports/told_result.h"

namespace hilsa {
namespace {

using Standing = ToldRow::Standing;

// Servers refuse files of 30 MB and more.
constexpr std::size_t kTextBytesMax = std::size_t{64} << 10;
constexpr std::size_t kAllTextBytesMax = std::size_t{8} << 20;
constexpr std::size_t kWidthMax = 300;  // of names and messages

std::string in_one_line(std::string_view text) { return elided(printable(text), kWidthMax); }

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

// `Read Committed (default)` → `read-committed-default`: a dot would begin a package.
std::string part_of_name(std::string_view text) {
  std::string part;
  for (const char c : elided(printable(text), 80)) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || is_upper;
    if (is_kept) {
      part += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!part.empty() && part.back() != '-') {
      part += '-';
    }
  }
  while (!part.empty() && part.back() == '-') part.pop_back();
  return part.empty() ? "unnamed" : part;
}

// `2026-03-01T12:30:00Z` → `2026-03-01T12:30:00`, which is taken for UTC; empty: it is none.
std::string timestamp(std::string_view utc) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (utc.size() < kForm.size()) return "";
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = utc[i] >= '0' && utc[i] <= '9';
    if (kForm[i] == 'd' ? !is_digit : utc[i] != kForm[i]) return "";
  }
  return std::string(utc.substr(0, kForm.size()));
}

std::string seconds(double value) { return fmt::format("{:.3f}", value); }

class JunitWriter {
 public:
  explicit JunitWriter(const ReportSet& result) : result_(result), told_(told(result)) {}

  std::string write() {
    root_ = document_.append_child("testsuites");
    set(root_, "name", "hilsa");
    for (const ToldReport& report : told_.reports) add_report(report);
    add_demands();
    count_all();
    std::ostringstream out;
    document_.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
    return out.str();
  }

 private:
  void add_report(const ToldReport& report) {
    pugi::xml_node suite = begin_suite(report.title, report.origin.took_s);
    const std::string started_at = timestamp(report.origin.started_at);
    if (!started_at.empty()) set(suite, "timestamp", started_at);
    add_properties(suite, report);
    const std::string package = part_of_name(report.workload) + "." + part_of_name(report.product);
    for (const ToldRow& row : report.rows) add_row(suite, package, report, row);
    for (const auto& [strategy, missing] : report.left_out) {
      pugi::xml_node node = begin_case(suite, package, strategy, about(report), 0);
      set(node.append_child("skipped"), "message",
          in_one_line(report.product_title + " has no " + missing));
    }
    const auto cut_short = [&](const char* type, const std::string& message,
                               const std::string& text) {
      pugi::xml_node node = begin_case(suite, package, "the run", about(report), 0);
      fail(node, "error", type, message, text);
    };
    if (!report.broken_off.empty()) {
      cut_short("broken-off", "broken off: " + report.broken_off, report.broken_off);
    }
    const std::string interrupted(kInterrupted);
    if (report.interrupted) cut_short("interrupted", interrupted, interrupted);
  }

  void add_properties(pugi::xml_node suite, const ToldReport& report) {
    pugi::xml_node properties = suite.append_child("properties");
    const auto add = [&](const char* name, const std::string& value) {
      pugi::xml_node property = properties.append_child("property");
      set(property, "name", name);
      set(property, "value", elided(printable(value), 1000));
    };
    add("hilsa.version", HILSA_VERSION);
    add("product", report.product);
    add("version", report.version);
    add("url", report.url);
    add("seed", report.seed);
    add("command", report.origin.command);
    std::set<std::string> levels;
    for (const ToldRow& row : report.rows) levels.insert(row.isolation);
    add("isolation", fmt::format("{}", fmt::join(levels, ", ")));
  }

  void add_row(pugi::xml_node suite, const std::string& package, const ToldReport& report,
               const ToldRow& row) {
    pugi::xml_node node = begin_case(suite, package + "." + part_of_name(row.isolation),
                                     row.strategy, about(report), row.running_s);
    const std::string text = text_of(row, report);
    if (!result_.demands.empty() || row.standing == Standing::as_promised) {
      add_text(node.append_child("system-out"), row.why + "\n" + text);
    } else if (row.standing == Standing::broken) {
      fail(node, "failure", "promise-broken", row.why, text);
    } else {
      fail(node, "error", "unknown", row.why, text);
    }
  }

  void add_demands() {
    std::vector<std::string> suites;
    for (const Demand& demand : result_.demands) {
      if (std::find(suites.begin(), suites.end(), demand.suite) == suites.end()) {
        suites.push_back(demand.suite);
      }
    }
    for (const std::string& name : suites) {
      pugi::xml_node suite = begin_suite("ci: " + name, 0);
      for (const Demand& demand : result_.demands) {
        if (demand.suite == name) add_demand(suite, demand);
      }
    }
  }

  void add_demand(pugi::xml_node suite, const Demand& demand) {
    pugi::xml_node node = begin_case(suite, "ci." + part_of_name(demand.suite),
                                     demand.row + ": " + demand.what, "", 0);
    const std::string why = demand.what + ": " + demand.finding;
    if (demand.status == Demand::Status::kept) {
      add_text(node.append_child("system-out"), why);
    } else if (demand.status == Demand::Status::unknown) {
      fail(node, "error", "unknown", why, why);
    } else {
      const ToldRow* const row = row_of(demand, told_.reports);
      fail(node, "failure", "demand-broken", why,
           why + "\n" + (row == nullptr ? "" : text_of(*row)));
    }
  }

  // What there is to know about a row, and how to see it again.
  static std::string text_of(const ToldRow& row, const ToldReport& report) {
    return fmt::format("{} on {}\n{}\nto repeat it: {}\n", row.name(), report.title, text_of(row),
                       report.origin.command);
  }

  static std::string text_of(const ToldRow& row) {
    std::string text;
    for (const std::string& note : row.notes) text += printable(note) + "\n";
    for (const ToldEvidence& evidence : row.evidence) {
      text += "\n" + printable(evidence.title) + "\n" + evidence.text;
      if (!text.ends_with('\n')) text += '\n';
    }
    return text;
  }

  // What tells two runs of the same apart.
  static std::string about(const ToldReport& report) {
    return report.version + ", seed " + report.seed;
  }

  pugi::xml_node begin_suite(const std::string& name, double took_s) {
    pugi::xml_node suite = root_.append_child("testsuite");
    set(suite, "name", in_one_line(name));
    for (const char* const count : {"tests", "failures", "errors", "skipped"}) {
      suite.append_attribute(count);
    }
    set(suite, "time", seconds(took_s));
    return suite;
  }

  pugi::xml_node begin_case(pugi::xml_node suite, const std::string& classname,
                            const std::string& name, const std::string& about, double time_s) {
    pugi::xml_node node = suite.append_child("testcase");
    set(node, "classname", classname);
    set(node, "name", unique(classname, in_one_line(name), about));
    set(node, "time", seconds(time_s));
    return node;
  }

  // GitLab keeps the first of those with one name.
  std::string unique(const std::string& classname, const std::string& name,
                     const std::string& about) {
    std::string tried = name;
    for (int copy = 1; !names_.emplace(classname, tried).second; ++copy) {
      const std::string more = copy > 1 || about.empty() ? fmt::format("#{}", copy + 1) : about;
      tried = fmt::format("{} ({})", name, in_one_line(more));
    }
    return tried;
  }

  void fail(pugi::xml_node node, const char* element, const char* type, const std::string& message,
            const std::string& text) {
    pugi::xml_node child = node.append_child(element);
    set(child, "type", type);
    set(child, "message", in_one_line(message));
    add_text(child, text);
  }

  void add_text(pugi::xml_node node, const std::string& text) {
    std::string shown = shortened_at_line(visible_lines(text), kTextBytesMax);
    text_bytes_ += shown.size();
    if (text_bytes_ > kAllTextBytesMax) {
      shown = fmt::format(
          "({} bytes are left out here, for the file must not grow too large; the "
          "run's report.html has them)\n",
          shown.size());
    }
    node.append_child(pugi::node_pcdata).set_value(shown.c_str());
  }

  void count_all() {
    const auto number = [](pugi::xml_node suite, const char* element) {
      const auto cases = suite.children("testcase");
      return std::count_if(cases.begin(), cases.end(), [&](pugi::xml_node one) {
        return *element == '\0' || one.child(element);
      });
    };
    constexpr std::array<std::pair<const char*, const char*>, 4> kCounts = {
        {{"tests", ""}, {"failures", "failure"}, {"errors", "error"}, {"skipped", "skipped"}}};
    for (const auto& [attribute, element] : kCounts) {
      std::ptrdiff_t all = 0;
      for (pugi::xml_node suite : root_.children("testsuite")) {
        const std::ptrdiff_t count = number(suite, element);
        suite.attribute(attribute).set_value(static_cast<long long>(count));
        all += count;
      }
      // The schema knows no such attribute there.
      if (attribute == std::string_view("skipped")) continue;
      root_.append_attribute(attribute).set_value(static_cast<long long>(all));
    }
    double took_s = 0;
    for (const ToldReport& report : told_.reports) took_s += report.origin.took_s;
    set(root_, "time", seconds(took_s));
  }

  const ReportSet& result_;
  const ToldResult told_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::set<std::pair<std::string, std::string>> names_;
  std::size_t text_bytes_ = 0;
};

}  // namespace

std::string to_junit_report(const ReportSet& result) { return JunitWriter(result).write(); }

}  // namespace hilsa
