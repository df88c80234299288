#include <limits>

#include "reports/report_from_json.h"

namespace hilsa {
namespace {

constexpr std::int64_t kClientsMax = 64;  // a picture has a column for each

void check_clients(const JsonField& json, const std::optional<ShownSchedule>& schedule,
                   int clients) {
  if (!schedule) return;
  for (const ExploredStep& step : schedule->steps) {
    if (step.client > clients) json.fail("a schedule of more clients than there are");
  }
}

}  // namespace

// Found by the templates of json_field.h for their arguments' sake, so in this namespace.
static void read(const JsonField& json, ExploredStep& to) {
  to.client = static_cast<int>(json["client"].whole(1, kClientsMax));
  json.get("sql", to.sql);
  json.get("answer", to.answer);
  json.get_if("waited", to.waited);
  json.get_if("failed", to.failed);
  json.get("answered_after", to.answered_after);
}

static void read(const JsonField& json, ShownSchedule& to) {
  json.get("steps", to.steps);
  json.get("ends", to.ends);
  json.get("what", to.what);
  json.get("switches", to.switches);
  json.get_if("story", to.story);
  json.get("script", to.script);
  json.get_if("anomaly", to.anomaly);
}

static void read(const JsonField& json, ExploreRow& to) {
  json.get("strategy", to.strategy);
  json.get("isolation", to.isolation);
  json.get("promised", to.promised);
  json.get("measured", to.measured);
  json.get("running_ns", to.running);
  json.get("run", to.run);
  json.get("sampled", to.sampled);
  json.get("schedules", to.schedules);
  json.get("covered", to.covered);
  json.get("exhaustive", to.exhaustive);
  to.complete_switches =
      static_cast<int>(json["complete_switches"].whole(-1, std::numeric_limits<int>::max()));
  json.get("violating", to.violating);
  json.get("deadlocks", to.deadlocks);
  json.get("refused_by_database", to.refused_by_database);
  json.get("waiting", to.waiting);
  json.get("outcomes", to.outcomes);
  json.get("violations", to.violations);
  json.get("anomalies", to.anomalies);
  json.get_if("shortest", to.shortest);
  json.get_if("shortest_deadlock", to.shortest_deadlock);
  // The report shows it.
  if (to.violates() && !to.shortest) json.fail("it violates, but no schedule shows how");
}

void read(const JsonField& json, ExploreReport& to) {
  json.get("origin", to.origin);
  json.get("workload", to.workload);
  json.get("product", to.product);
  json.get("product_title", to.product_title);
  json.get("version", to.version);
  json.get("url", to.url);
  to.seed = json["seed"].seed();
  to.clients = static_cast<int>(json["clients"].whole(1, kClientsMax));
  json.get("max_attempts", to.max_attempts);
  json.get("waiting_seen_by", to.seen_by);
  json.get("interrupted", to.interrupted);
  json.get("rows", to.rows);
  json.get("left_out", to.left_out);
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    check_clients(json["rows"].at(i), to.rows[i].shortest, to.clients);
    check_clients(json["rows"].at(i), to.rows[i].shortest_deadlock, to.clients);
  }
}

}  // namespace hilsa
