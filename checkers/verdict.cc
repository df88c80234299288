// Names of what a verdict holds: anomalies and edges. Those of levels are in levels.cc.
#include "checkers/verdict.h"

namespace hilsa {
namespace {

struct AnomalyName {
  std::string_view spelling;
  std::string_view common;
  // What people say when the order that it breaks is real time; empty: the common name and that.
  std::string_view realtime = {};
  std::string_view session = {};
};

// In the order of AnomalyClass.
constexpr std::array<AnomalyName, kAnomalyClassCount> kNames = {{
    {"internal", "internal inconsistency"},
    {"lost-write", "lost write"},
    {"duplicate-write", "duplicate write"},
    {"garbage-read", "garbage read"},
    {"incompatible-order", "incompatible order"},
    {"G0", "dirty write", "write out of real-time order", "write out of session order"},
    {"G1a", "aborted read"},
    {"G1b", "intermediate read"},
    {"G1c", "circular information flow", "read from the future", "read from the session's future"},
    {"OTV", "observed transaction vanishes"},
    {"fractured-read", "fractured read"},
    {"non-repeatable-read", "non-repeatable read"},
    {"PMP", "predicate-many-preceders"},
    {"P4", "lost update"},
    {"G-single", "read skew", "stale read", "stale read in one session"},
    {"G-nonadjacent", "long fork", "stale reads", "stale reads in one session"},
    {"G2-item", "write skew"},
    {"G2", "phantom"},
    {"dirty-update", "dirty update"},
}};

const AnomalyName& names_of(AnomalyClass anomaly) {
  return kNames[static_cast<std::size_t>(anomaly)];
}

}  // namespace

std::string_view name_of(Validity validity) {
  switch (validity) {
    case Validity::valid:
      return "valid";
    case Validity::invalid:
      return "invalid";
    case Validity::unknown:
      break;
  }
  return "unknown";
}

std::string class_name(AnomalyClass anomaly, Needs needs) {
  std::string name(names_of(anomaly).spelling);
  if (needs == Needs::session) name += "-session";
  if (needs == Needs::realtime) name += "-realtime";
  return name;
}

std::string common_name(AnomalyClass anomaly, Needs needs) {
  const AnomalyName& names = names_of(anomaly);
  std::string common(names.common);
  switch (needs) {
    case Needs::session:
      return names.session.empty() ? common + " against session order" : std::string(names.session);
    case Needs::realtime:
      return names.realtime.empty() ? common + " against real time" : std::string(names.realtime);
    case Needs::data:
      break;
  }
  return common;
}

std::string_view name_of(EdgeKind kind) {
  constexpr std::array<std::string_view, kEdgeKindCount> kKinds = {
      "ww", "wr", "predicate wr", "rw", "predicate rw", "session", "realtime"};
  return kKinds[static_cast<std::size_t>(kind)];
}

}  // namespace hilsa
