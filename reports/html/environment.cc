#include "reports/html/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/html/figures.h"
#include "reports/html/row_cells.h"

namespace hilsa {
namespace {

constexpr std::size_t kSettingsMax = 100;

class Facts {
 public:
  void add(const char* name, std::string value) {
    if (!value.empty()) facts_.emplace_back(name, std::move(value));
  }
  void write(HtmlWriter& html) const {
    const auto list = html.open("dl", {{"class", "facts"}});
    for (const auto& [name, value] : facts_) {
      html.element("dt", name);
      html.element("dd", value);
    }
  }

 private:
  std::vector<std::pair<const char*, std::string>> facts_;
};

void write_settings(HtmlWriter& html, const Origin& origin) {
  HtmlTable table("the database's settings, as far as they matter for races");
  for (const char* const title : {"setting", "value", "what it means"}) table.add_column(title);
  for (std::size_t i = 0; i < std::min(origin.settings.size(), kSettingsMax); ++i) {
    const Origin::Setting& setting = origin.settings[i];
    table.add_row({short_cell(setting.name), short_cell(setting.value),
                   shortened(setting.meaning, 2 * kCellTextMax)});
  }
  table.write(html);
  if (origin.settings.size() > kSettingsMax) {
    html.element("p", {{"class", "more"}},
                 fmt::format("and {} more settings", origin.settings.size() - kSettingsMax));
  }
}

void write_command(HtmlWriter& html, const Origin& origin) {
  if (origin.command.empty()) return;
  html.element("p", "This repeats it:");
  const auto command = html.open("pre");
  html.lines(origin.command);
}

std::string duration(double seconds) {
  if (seconds <= 0) return "";
  return seconds < 60
             ? fmt::format("{:.1f} s", seconds)
             : fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
}

void add_origin(Facts& facts, const Origin& origin) {
  facts.add("started (UTC)", origin.started_at);
  facts.add("took", duration(origin.took_s));
  facts.add("hilsa", HILSA_VERSION);
}

template <typename Report>
void add_database(Facts& facts, const Report& report) {
  facts.add("workload", report.workload);
  facts.add("database", report.product_title + " " + report.version);
  facts.add("address", report.url);
  facts.add("seed", fmt::format("{}", report.seed));
  facts.add("clients", fmt::format("{}", report.clients));
}

}  // namespace

void write_environment(HtmlWriter& html, const RunReport& report, const ReportSection& section) {
  html.element("h3", {{"id", section.id + "-environment"}}, "Environment");
  write_command(html, report.origin);
  Facts facts;
  add_database(facts, report);
  facts.add("connections", fmt::format("{}", report.pool));
  facts.add("think time", milliseconds_of(report.think.count()) + " ms");
  facts.add("kind", report.sustained ? "clients went on for a time, or for a number of tasks"
                                     : "trials, each from the start");
  add_origin(facts, report.origin);
  facts.write(html);
  if (!report.origin.settings.empty()) write_settings(html, report.origin);
}

void write_environment(HtmlWriter& html, const ExploreReport& report,
                       const ReportSection& section) {
  html.element("h3", {{"id", section.id + "-environment"}}, "Environment");
  write_command(html, report.origin);
  Facts facts;
  add_database(facts, report);
  facts.add("attempts of a task", fmt::format("at most {}", report.max_attempts));
  add_origin(facts, report.origin);
  facts.write(html);
  if (!report.origin.settings.empty()) write_settings(html, report.origin);
}

}  // namespace hilsa
