#include <array>
#include <limits>

#include "reports/report_from_json.h"

namespace hilsa {
namespace {

constexpr std::int64_t kAnyMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kAnyMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

// Found by the templates of json_field.h for their arguments' sake, so in this namespace.
static void read(const JsonField& json, HistoryCheck::Count& to) {
  json.get("class", to.anomaly);
  json.get("name", to.name);
  json.get("count", to.count);
}

static void read(const JsonField& json, HistoryCheck::Culprit& to) {
  to.client = static_cast<int>(json["client"].whole(-1, std::numeric_limits<int>::max()));
  to.trial = static_cast<int>(json["trial"].whole(-1, std::numeric_limits<int>::max()));
  to.task = json["task"].whole(-1, kWholeMax);
}

static void read(const JsonField& json, HistoryCheck& to) {
  json.get("found", to.anomalies);
  json.get("levels", to.levels);
  json.get_if("not_checked", to.not_checked);
  json.get_if("promised_level", to.promised_level);
  json.get_if("breaks_promised_level", to.breaks_promise);
  json.get_if("story", to.story);
  json.get("shown", to.shown);
  json.get("culprits", to.culprits);
  json.get_if("deadlocks", to.deadlocks);
}

static void read(const JsonField& json, Round& to) {
  json.get("running_ns", to.running);
  json.get("done", to.done);
  json.get("attempts", to.attempts);
  json.get("p99_ns", to.p99);
}

static void read(const JsonField& json, ReportRow::Measure& to) {
  json.get("title", to.title);
  json.get("lowest_name", to.lowest_name);
  json.get("highest_name", to.highest_name);
  const auto get = [&](std::string_view name, std::optional<std::int64_t>& number) {
    const JsonField field = json[name];
    if (!field.is_null()) number = field.whole(kAnyMin, kAnyMax);
  };
  get("lowest", to.lowest);
  get("highest", to.highest);
}

static void read(const JsonField& json, Tally& to) {
  for (std::size_t i = 0; i < kTaskEndCount; ++i) {
    json["outcomes"].get(name_of(static_cast<TaskEnd>(i)), to.ends[i]);
  }
  for (std::size_t i = 0; i < kErrorKindCount; ++i) {
    const std::string_view kind = name_of(static_cast<ErrorKind>(i));
    json["errors"].get_if(kind, to.errors[i]);
    json["error_texts"].get_if(kind, to.error_texts[i]);
  }
  json.get("attempts", to.attempts);
  json.get("committed", to.committed);
  json.get("conflicts", to.conflicts);
  json.get("retries", to.retries);
  json.get("latency_ns", to.latency);
}

static void read(const JsonField& json, ReportRow& to) {
  json.get("strategy", to.strategy);
  json.get("isolation", to.isolation);
  json.get("promised", to.promised);
  json.get("measured", to.measured);
  json.get_if("why_unknown", to.why_unknown);
  json.get_if("untested", to.untested);
  json.get("trials", to.trials);
  json.get("trials_violated", to.trials_violated);
  json.get("violations", to.violations);
  json.get("first_violation", to.first_violation);
  read(json, to.tally);
  json.get("running_ns", to.running);
  json.get("rounds", to.rounds);
  json.get("series", to.series);
  json.get("figures", to.measures);
  json.get_if("history", to.history_file);
  json.get("history_incomplete", to.history_incomplete);
  json.get_if("remark", to.remark);
  read(json, to.check);
}

static void read(const JsonField& json, RunReport::Minimized& to) {
  json.get("schedules", to.schedules);
  if (json["reproduced"].truth()) {
    json.get("what", to.what);
    json.get("picture", to.picture);
    json.get("script", to.script);
    return;
  }
  json.get("why_not", to.why_not);
  if (to.why_not.empty()) json["why_not"].fail("empty");
}

void read(const JsonField& json, RunReport& to) {
  json.get("origin", to.origin);
  json.get("workload", to.workload);
  json.get("product", to.product);
  json.get("product_title", to.product_title);
  json.get("version", to.version);
  json.get("url", to.url);
  to.seed = json["seed"].seed();
  json.get("clients", to.clients);
  json.get("pool", to.pool);
  json.get("think_ns", to.think);
  json.get("default_database", to.default_database);
  json.get("sustained", to.sustained);
  json.get("interrupted", to.interrupted);
  json.get_if("broken_off", to.broken_off);
  json.get("rows", to.rows);
  json.get_if("minimized", to.minimized);
  json.get("left_out", to.left_out);
  // The columns of the table are the first row's.
  for (std::size_t i = 1; i < to.rows.size(); ++i) {
    if (to.rows[i].measures.size() != to.rows[0].measures.size()) {
      json["rows"].at(i)["figures"].fail("not as many as the first row has");
    }
  }
}

}  // namespace hilsa
