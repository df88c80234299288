// The on-call rota: two doctors go home at the same moment, each sure that the other stays. The
// example of write skew in Cahill, Röhm, Fekete: Serializable Isolation for Snapshot Databases
// (SIGMOD 2008).
//
// A task is about one doctor: on call, she asks to leave, which she may as long as somebody stays;
// off call, she comes back. Each writes her own row only, so nobody overwrites anything.
#include "workloads/doctors.h"

#include <algorithm>
#include <array>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kDoctors{.name = "doctors",
                     .columns = {{"id"}, {"shift"}, {"on_call"}, {"revision"}},
                     .indexed = {"shift"}};
const Table kShifts{.name = "shifts", .columns = {{"id"}, {"on_call"}}};

const Value kYes = std::int64_t{1};
const Value kNo = std::int64_t{0};

const Conditions kOnCallIn = {equal("shift", param(0)), equal("on_call", kYes)};
const Statement kOnCall = read_rows(kDoctors, {}, kOnCallIn);
const Statement kOnCallForUpdate = read_rows(kDoctors, {}, kOnCallIn, Lock::update);
const Statement kReadRevision = read_row(kDoctors, {"revision"});
const Statement kLeave = update_row(kDoctors, {set("on_call", kNo)});
const Statement kComeBack = update_row(kDoctors, {set("on_call", kYes)});
const Statement kLeaveIfUnchanged =
    update_row(kDoctors, {set("on_call", kNo), add("revision", Value(std::int64_t{1}))},
               {equal("revision", param(1))});
const Statement kLeaveIfOnCall =
    update_row(kDoctors, {set("on_call", kNo)}, {equal("on_call", kYes)});
const Statement kComeBackIfAway =
    update_row(kDoctors, {set("on_call", kYes)}, {equal("on_call", kNo)});
const Statement kOneLess = update_row(kShifts, {subtract("on_call", Value(std::int64_t{1}))},
                                      {at_least("on_call", Value(std::int64_t{2}))});
const Statement kOneMore = update_row(kShifts, {add("on_call", Value(std::int64_t{1}))});
const Statement kInsertDoctor = insert_row(kDoctors);
const Statement kInsertShift = insert_row(kShifts);

struct Request {
  explicit Request(const Task& task) : shift(task.arguments[0]), doctor(task.arguments[1]) {}
  std::int64_t shift;
  std::int64_t doctor;
};

constexpr std::string_view kLastOne = "the last one on call";

bool among(const std::vector<Row>& rows, std::int64_t doctor) {
  return std::any_of(rows.begin(), rows.end(),
                     [doctor](const Row& row) { return row.key() == doctor; });
}

TaskResult come_back(Transaction& txn, const Request& request) {
  txn.update(kComeBack, {request.doctor});
  return done();
}

TaskResult count_then_leave_by(Transaction& txn, const Task& task, const Statement& count) {
  const Request request(task);
  const std::vector<Row> on_call = txn.select(count, {request.shift});
  if (!among(on_call, request.doctor)) return come_back(txn, request);
  if (on_call.size() < 2) return refused(kLastOne);
  txn.think();
  txn.update(kLeave, {request.doctor});
  return done();
}

TaskResult count_then_leave(Transaction& txn, const Task& task) {
  return count_then_leave_by(txn, task, kOnCall);
}

TaskResult for_update(Transaction& txn, const Task& task) {
  return count_then_leave_by(txn, task, kOnCallForUpdate);
}

TaskResult own_row_version(Transaction& txn, const Task& task) {
  const Request request(task);
  const std::int64_t revision = txn.read(kReadRevision, {request.doctor})["revision"];
  const std::vector<Row> on_call = txn.select(kOnCall, {request.shift});
  if (!among(on_call, request.doctor)) return come_back(txn, request);
  if (on_call.size() < 2) return refused(kLastOne);
  txn.think();
  if (txn.update(kLeaveIfUnchanged, {request.doctor, revision}) == 0) {
    return conflict("revision changed");
  }
  return done();
}

TaskResult materialized(Transaction& txn, const Task& task) {
  const Request request(task);
  if (txn.update(kLeaveIfOnCall, {request.doctor}) == 1) {
    txn.think();
    return txn.update(kOneLess, {request.shift}) == 1 ? done() : refused(kLastOne);
  }
  if (txn.update(kComeBackIfAway, {request.doctor}) == 0) return conflict("left meanwhile");
  txn.update(kOneMore, {request.shift});
  return done();
}

constexpr std::array kStrategies = {
    Strategy{.name = "count-then-leave",
             .summary = "count who is on call; leave if there is another",
             .promise = where_serializable,
             .body = count_then_leave},
    Strategy{.name = "own-row-version",
             .summary = "the same, and write only if the own row's revision is still the one read",
             .promise = where_serializable,
             .body = own_row_version},
    Strategy{.name = "for-update",
             .summary = "lock the rows that are counted (SELECT ... FOR UPDATE)",
             .promise = always,
             .body = for_update,
             .needs = Feature::row_locks},
    Strategy{.name = "serializable",
             .summary = "count-then-leave at SERIALIZABLE, retried when the database refuses",
             .promise = where_serializable,
             .body = count_then_leave,
             .isolation = Isolation::serializable},
    Strategy{.name = "materialized",
             .summary = "a counter row per shift, decremented only from 2 upwards",
             .promise = always,
             .body = materialized},
};

constexpr std::array kOptions = {
    Option{.name = "shifts",
           .summary = "shifts, each with its doctors",
           .in_trials = 1,
           .in_sustained = 10,
           .lowest = 1,
           .highest = 100},
    Option{.name = "doctors",
           .summary = "doctors of a shift, all on call at first",
           .in_trials = 2,
           .in_sustained = 4,
           .lowest = 1,
           .highest = 9},
};

struct Rota {
  explicit Rota(const Trial& trial)
      : first_key(trial.first_key),
        shifts(trial.option("shifts")),
        doctors(trial.option("doctors")) {}
  std::int64_t shift(std::int64_t number) const { return first_key + number; }
  std::int64_t doctor(std::int64_t number) const { return first_key + number; }
  std::int64_t first_key;
  std::int64_t shifts;
  std::int64_t doctors;  // of a shift
};

void set_up(Transaction& txn, const Trial& trial) {
  const Rota rota(trial);
  for (std::int64_t i = 0; i < rota.shifts; ++i) {
    txn.insert(kInsertShift, {rota.shift(i), rota.doctors});
  }
  for (std::int64_t i = 0; i < rota.shifts * rota.doctors; ++i) {
    txn.insert(kInsertDoctor,
               {rota.doctor(i), rota.shift(i / rota.doctors), kYes, std::int64_t{0}});
  }
}

// First everybody asks to leave; after that, whoever it happens to be.
Task next_task(const Turn& turn) {
  const Rota rota(turn.trial);
  const std::int64_t all = rota.shifts * rota.doctors;
  const std::int64_t number =
      turn.number == 0 ? (turn.client - 1) % all
                       : static_cast<std::int64_t>(turn.rng.below(static_cast<std::uint64_t>(all)));
  return {{rota.shift(number / rota.doctors), rota.doctor(number)}};
}

Measures measure(Session& session, const Trial& trial, const Tally& /*tally*/) {
  FinalState state(session);
  const Rota rota(trial);
  std::int64_t fewest = rota.doctors;
  std::int64_t deserted = 0;
  for (std::int64_t i = 0; i < rota.shifts; ++i) {
    const auto on_call = static_cast<std::int64_t>(state.select(kOnCall, {rota.shift(i)}).size());
    fewest = std::min(fewest, on_call);
    if (on_call == 0) ++deserted;
  }
  return {{"shifts", rota.shifts}, {"fewest", fewest}, {"deserted", deserted}};
}

std::optional<std::string> nobody_on_call(const Measures& m) {
  if (m.at("deserted") == 0) return std::nullopt;
  return "nobody is on call in " + std::to_string(m.at("deserted")) + " of " +
         std::to_string(m.at("shifts")) + " shifts";
}

std::optional<std::string_view> untested(const Measures& m) {
  if (m.at("fewest") <= 1) return std::nullopt;
  return "no shift came down to its last doctor (fewer --doctors do)";
}

constexpr std::array kInvariants = {
    Invariant{"nobody-on-call", "every shift has at least one doctor on call", nobody_on_call},
};

constexpr std::array kShown = {Workload::Shown{"fewest", "on call", "on_call_min", "on_call_max"}};

}  // namespace

const Workload& doctors() {
  static const Workload workload{
      .name = "doctors",
      .summary = "two doctors go off call at the same moment, each sure that the other stays",
      .story =
          "At least one doctor must be on call. Two ask to leave: each transaction counts two on "
          "call and takes its own doctor off. Neither overwrites what the other wrote, and "
          "nobody is left: write skew. With --duration or --tasks doctors come and go.",
      .clients_in_trials = 2,
      .tables = {&kDoctors, &kShifts},
      .options = kOptions,
      .strategies = kStrategies,
      .invariants = kInvariants,
      .set_up = set_up,
      .next_task = next_task,
      .measure = measure,
      .untested = untested,
      .shown = kShown};
  return workload;
}

}  // namespace hilsa
