#include "reports/deadlock_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace hilsa {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(Nanoseconds value) {
  return std::round(static_cast<double>(value) / 1e3) / 1e3;
}

Json spread(const Histogram& waited) {
  if (waited.count() == 0) return nullptr;
  return {{"p50", milliseconds(waited.percentile(50))}, {"max", milliseconds(waited.max())}};
}

Json to_json(const DeadlockSummary::Example& example, Detail detail) {
  Json json = {{"waits", Json::array()}};
  const std::size_t count = example.waits.size();
  for (std::size_t i = 0; i < count; ++i) {
    const DeadlockSummary::Wait& wait = example.waits[i];
    Json one = {{"transaction", wait.transaction}, {"client", wait.client}, {"victim", i == 0}};
    if (wait.session != 0) one["session"] = wait.session;
    one["waited_ms"] = milliseconds(wait.waited);
    if (!wait.row.empty()) one["row"] = wait.row;
    if (count > 1) one["waits_for"] = example.waits[(i + 1) % count].transaction;
    if (!wait.statement.empty()) one["statement"] = wait.statement;
    if (detail == Detail::everything) {
      one["waited_ns"] = wait.waited;
      one["next_had_locked_it"] = wait.next_had_locked_it;
    }
    json["waits"].push_back(std::move(one));
  }
  if (!example.server.empty()) json["server"] = example.server;
  if (!example.why_no_words.empty()) json["why_no_server_account"] = example.why_no_words;
  return json;
}

}  // namespace

Json to_json(const DeadlockSummary& summary, Detail detail) {
  Json json = {{"count", summary.count},
               {"victims_waited_ms", spread(summary.victims_waited)},
               {"survivors_waited_ms", spread(summary.survivors_waited)}};
  if (detail == Detail::everything) {
    json["victims_waited_ns"] = to_json(summary.victims_waited);
    json["survivors_waited_ns"] = to_json(summary.survivors_waited);
  }
  if (summary.example) json["example"] = to_json(*summary.example, detail);
  return json;
}

}  // namespace hilsa
