// The parts that both kinds of reports have.
#include <limits>

#include "reports/report_from_json.h"

namespace hilsa {
namespace {

constexpr std::int64_t kAnyMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kAnyMax = std::numeric_limits<std::int64_t>::max();

std::size_t last_of(std::size_t count) { return count == 0 ? 0 : count - 1; }

// What reports draw is there.
void check(const JsonField& json, const ShownTimeline& timeline) {
  const std::size_t lanes = timeline.lanes.size();
  const std::size_t places = 2 * timeline.steps.size();
  for (std::size_t i = 0; i < timeline.steps.size(); ++i) {
    const ShownTimeline::Step& step = timeline.steps[i];
    if (static_cast<std::size_t>(step.lane) >= lanes) {
      json["steps"].at(i).fail("of a lane that is not there");
    }
    if (step.answered < step.sent || static_cast<std::size_t>(step.answered) > places) {
      json["steps"].at(i).fail("answered before it was sent, or beyond the last place");
    }
  }
}

}  // namespace

// Found by the templates of json_field.h for their arguments' sake, so in this namespace.
static void read(const JsonField& json, Origin::Setting& to) {
  json.get("name", to.name);
  json.get("value", to.value);
  json.get("meaning", to.meaning);
}

static void read(const JsonField& json, ShownTimeline::Lane& to) {
  json.get("name", to.name);
  json.get("about", to.about);
  json.get("end", to.end);
  json.get("failed", to.failed);
}

static void read(const JsonField& json, ShownTimeline::Step& to) {
  json.get("lane", to.lane);
  json.get("what", to.what);
  json.get("answer", to.answer);
  json.get_if("failed", to.failed);
  json.get_if("waited", to.waited);
  json.get("sent", to.sent);
  json.get("answered", to.answered);
  if (json.has("at_ns")) to.at = json["at_ns"].whole(-kWholeMax, kWholeMax);
  if (json.has("took_ns")) to.took = json["took_ns"].whole(-kWholeMax, kWholeMax);
}

static void read(const JsonField& json, ShownEdge& to) {
  json.get("from", to.from);
  json.get("to", to.to);
  json.get("kind", to.kind);
  json.get("about", to.about);
  json.get("inferred", to.inferred);
}

static void read(const JsonField& json, DeadlockSummary::Wait& to) {
  json.get("transaction", to.transaction);
  to.client = static_cast<int>(json["client"].whole(-1, std::numeric_limits<int>::max()));
  if (json.has("session")) to.session = json["session"].whole(kAnyMin, kAnyMax);
  json.get_if("statement", to.statement);
  json.get_if("row", to.row);
  json.get("next_had_locked_it", to.next_had_locked_it);
  to.waited = json["waited_ns"].whole(-kWholeMax, kWholeMax);
}

static void read(const JsonField& json, DeadlockSummary::Example& to) {
  json.get("waits", to.waits);
  if (to.waits.empty()) json.fail("a deadlock of nobody");
  json.get_if("server", to.server);
  json.get_if("why_no_server_account", to.why_no_words);
}

static void read(const JsonField& json, TimeSeries::Interval& to) {
  constexpr std::int64_t kStepMax = 255;  // of a quarter of a power of two, 64 bits
  json.get("done", to.done);
  json.get("others", to.others);
  json.get("aborted", to.aborted);
  const JsonField latencies = json["latencies"];
  for (std::size_t i = 0; i < latencies.length(); ++i) {
    const JsonField pair = latencies.at(i);
    if (pair.length() != 2) pair.fail("not a pair of a step and how often");
    const auto step = static_cast<std::size_t>(pair.at(0).whole(0, kStepMax));
    if (step >= to.latencies.size()) to.latencies.resize(step + 1);
    to.latencies[step] =
        static_cast<std::uint32_t>(pair.at(1).whole(1, std::numeric_limits<std::uint32_t>::max()));
  }
}

void read(const JsonField& json, std::chrono::nanoseconds& to) {
  to = std::chrono::nanoseconds(json.whole(0, kWholeMax));
}

void read(const JsonField& json, std::vector<std::pair<std::string, std::string>>& to) {
  to.clear();
  for (std::size_t i = 0; i < json.length(); ++i) {
    const JsonField one = json.at(i);
    to.emplace_back(one["strategy"].text(), one["needs"].text());
  }
}

void read(const JsonField& json, Origin& to) {
  json.get("subcommand", to.subcommand);
  json.get("command", to.command);
  json.get_if("suite", to.suite);
  json.get_if("database", to.database);
  json.get("started_at", to.started_at);
  json.get("took_s", to.took_s);
  json.get("settings", to.settings);
}

void read(const JsonField& json, ShownAnomaly& to) {
  json.get("class", to.anomaly);
  json.get("name", to.name);
  json.get("meaning", to.meaning);
  json.get("count", to.count);
  json.get("sentences", to.sentences);
  json.get("edges", to.cycle);
  json.get("lanes", to.timeline.lanes);
  json.get("steps", to.timeline.steps);
  json.get("text", to.text);
  check(json, to.timeline);
  for (std::size_t i = 0; i < to.cycle.size(); ++i) {
    const auto last = static_cast<int>(last_of(to.timeline.lanes.size()));
    if (to.timeline.lanes.empty() || to.cycle[i].from > last || to.cycle[i].to > last) {
      json["edges"].at(i).fail("of a lane that is not there");
    }
  }
}

void read(const JsonField& json, DeadlockSummary& to) {
  json.get("count", to.count);
  json.get("victims_waited_ns", to.victims_waited);
  json.get("survivors_waited_ns", to.survivors_waited);
  json.get_if("example", to.example);
}

void read(const JsonField& json, Histogram& to) {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < json.length(); ++i) {
    const JsonField pair = json.at(i);
    if (pair.length() != 2) pair.fail("not a pair of nanoseconds and how often");
    const std::int64_t times = pair.at(1).whole(1, kWholeMax);
    all += times;
    if (all > kWholeMax) pair.fail("more than can be counted");
    to.record(pair.at(0).whole(0, kWholeMax), static_cast<std::uint64_t>(times));
  }
}

void read(const JsonField& json, TimeSeries& to) {
  const std::int64_t width = json["width_ns"].whole(1, kWholeMax);
  if (json["intervals"].length() > TimeSeries::kIntervalsMax) {
    json["intervals"].fail("more intervals than there can be");
  }
  std::vector<TimeSeries::Interval> intervals;
  json.get("intervals", intervals);
  to = TimeSeries(width, std::move(intervals));
}

}  // namespace hilsa
