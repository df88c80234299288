// A reservation that runs out: the customer pays at the last moment, and the sweeper that gives
// seats back after that moment comes at the same time.
//
// A seat is held until a time. The payment asks "is it still held, and not yet expired?", the
// sweeper "is it still held, and expired?" and gives the seat to the next in line. Each brings its
// own clock along, and clocks differ: the customer's says just in time, the sweeper's just too
// late. Both are right to go on; only one may get its way.
#include "workloads/holds.h"

#include <algorithm>
#include <array>
#include <map>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

// `booking`: who has it, once it is sold.
const Table kSeats{.name = "held_seats",
                   .columns = {{"id"}, {"state"}, {"held_until"}, {"booking"}}};

const Value kHeld = std::int64_t{1};
const Value kSold = std::int64_t{2};
constexpr std::int64_t kHeldUntil = 600'000;  // ms, by any clock

const Statement kRead = read_row(kSeats, {"state", "held_until"});
const Statement kReadForUpdate = read_row(kSeats, {"state", "held_until"}, Lock::update);
const Assignments kSell = {set("state", kSold), set("booking", param(1))};
const Statement kWrite = update_row(kSeats, kSell);
const Statement kSellIfHeld =
    update_row(kSeats, kSell, {equal("state", kHeld), at_least("held_until", param(2))});
const Statement kSellIfExpired =
    update_row(kSeats, kSell, {equal("state", kHeld), less("held_until", param(2))});
const Statement kInsertSeat = insert_row(kSeats);

struct Request {
  explicit Request(const Task& task)
      : seat(task.arguments[0]), now(task.arguments[1]), pays(task.arguments[2] != 0) {}
  std::int64_t seat;
  std::int64_t now;  // by the clock of whoever asks
  bool pays;         // else it sweeps

  bool may_have(const Row& row) const {
    if (Value(row["state"]) != kHeld) return false;
    return pays ? row["held_until"] >= now : row["held_until"] < now;
  }
};

constexpr std::string_view kTooLate = "too late";

TaskResult sold(std::int64_t seat, std::int64_t booking) {
  return done({.about = seat, .number = booking});
}

TaskResult sell_as_read(Transaction& txn, const Task& task, const Statement& read) {
  const Request request(task);
  if (!request.may_have(txn.read(read, {request.seat}))) return refused(kTooLate);
  txn.think();
  txn.update(kWrite, {request.seat, txn.new_key()});
  return sold(request.seat, txn.new_key());
}

TaskResult read_then_write(Transaction& txn, const Task& task) {
  return sell_as_read(txn, task, kRead);
}

TaskResult for_update(Transaction& txn, const Task& task) {
  return sell_as_read(txn, task, kReadForUpdate);
}

TaskResult conditional(Transaction& txn, const Task& task) {
  const Request request(task);
  const Statement& sell = request.pays ? kSellIfHeld : kSellIfExpired;
  if (txn.update(sell, {request.seat, txn.new_key(), request.now}) == 0) return refused(kTooLate);
  txn.think();
  return sold(request.seat, txn.new_key());
}

constexpr std::array kStrategies = {
    Strategy{.name = "hold-read-then-write",
             .summary = "read state and held_until, decide, write by the seat's id alone",
             .promise = where_lost_updates_fail,
             .body = read_then_write},
    Strategy{
        .name = "hold-conditional",
        .summary = "UPDATE ... WHERE state = held AND held_until >= now; look at the row count",
        .promise = always,
        .body = conditional},
    Strategy{.name = "for-update",
             .summary = "lock the seat while reading it (SELECT ... FOR UPDATE)",
             .promise = always,
             .body = for_update,
             .needs = Feature::row_locks},
    Strategy{.name = "serializable",
             .summary = "read, then write at SERIALIZABLE, retried when the database refuses",
             .promise = where_lost_updates_fail,
             .body = read_then_write,
             .isolation = Isolation::serializable},
};

constexpr std::array kOptions = {
    Option{.name = "holds",
           .summary = "seats that are held, all until the same moment",
           .in_trials = 1,
           .in_sustained = kKeysPerTrial,
           .lowest = 1,
           .highest = kKeysPerTrial},
    Option{.name = "clock-skew",
           .summary = "ms that the sweeper's clock is ahead of the customers'",
           .in_trials = 1,
           .in_sustained = 1,
           .lowest = 1,
           .highest = 3'600'000},
};

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("holds"); ++i) {
    txn.insert(kInsertSeat, {trial.first_key + i, kHeld, kHeldUntil, std::int64_t{0}});
  }
}

// Every other client is a sweeper. Of a customer there may be several: she clicks again.
Task next_task(const Turn& turn) {
  const std::int64_t seat = turn.trial.first_key + turn.number % turn.trial.option("holds");
  const bool pays = turn.client % 2 == 1;
  return {{seat, pays ? kHeldUntil : kHeldUntil + turn.trial.option("clock-skew"), pays ? 1 : 0}};
}

const Statement kAllSeats =
    read_rows(kSeats, {"booking"}, {at_least("id", param(0)), less("id", param(1))});

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  std::map<std::int64_t, std::int64_t> told;   // by seat: how many were told that it is theirs
  std::map<std::int64_t, std::int64_t> holds;  // by seat: the booking that has it
  const std::int64_t end = trial.first_key + trial.option("holds");
  for (const Row& row : state.select(kAllSeats, {trial.first_key, end})) {
    holds[row.key()] = row["booking"];
  }
  std::int64_t lost = 0;
  std::int64_t most = 0;
  std::int64_t sold_twice = 0;
  for (const Answer& answer : tally.acknowledged) {
    const std::int64_t count = ++told[answer.about];
    if (holds[answer.about] != answer.number) ++lost;
    most = std::max(most, count);
    if (count == 2) ++sold_twice;
  }
  return {{"seats", trial.option("holds")},
          {"sold", static_cast<std::int64_t>(told.size())},
          {"most", most},
          {"sold twice", sold_twice},
          {"lost", lost},
          {"wanted", tally.tasks()}};
}

std::optional<std::string> sold_twice(const Measures& m) {
  if (m.at("sold twice") == 0) return std::nullopt;
  return std::to_string(m.at("sold twice")) + " of " + std::to_string(m.at("seats")) +
         " seats were both paid for and released to the next in line, or paid for twice";
}

std::optional<std::string> lost(const Measures& m) {
  if (m.at("lost") == 0) return std::nullopt;
  return std::to_string(m.at("lost")) +
         " were told that a seat is theirs, and the database says otherwise";
}

std::optional<std::string_view> untested(const Measures& m) {
  if (m.at("wanted") > m.at("sold") && m.at("sold") > 0) return std::nullopt;
  return "nobody came too late, so no two met on a seat (fewer --holds do)";
}

constexpr std::array kInvariants = {
    Invariant{"sold-twice", "a held seat is paid for or released, and that once", sold_twice},
    Invariant{"seat-lost", "whoever was told that a seat is theirs has it", lost},
};

constexpr std::array kShown = {Workload::Shown{"most", "buyers/seat", "buyers_min", "buyers_max"}};

}  // namespace

const Workload& holds() {
  static const Workload workload{
      .name = "holds",
      .summary = "a customer pays for a held seat at the moment at which the hold runs out",
      .story =
          "A seat is held for a customer until a certain time. She pays just in time by one clock; "
          "by another it is just too late, and a sweeper gives the seat to the next in line. Each "
          "reads that the seat is still held and then writes what it has decided: two people own "
          "it, and one of them only as long as she does not ask.",
      .clients_in_trials = 4,
      .tables = {&kSeats},
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
