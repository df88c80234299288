// Double booking: two buyers take the same seat, which nobody had when they looked.
//
// Every strategy sells a seat to a buyer or answers "taken". They differ in what there is to lock:
// a seat that nobody has booked is no row, so there is nothing that two buyers could meet on,
// unless the database is told to make it so.
#include "workloads/seats.h"

#include <algorithm>
#include <array>
#include <map>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kBookings{.name = "bookings", .columns = {{"id"}, {"seat"}}, .indexed = {"seat"}};
const Table kUniqueBookings{
    .name = "unique_bookings", .columns = {{"id"}, {"seat"}}, .unique = {"seat"}};
// One row a seat, made beforehand. `booking` is what would be the key of a row in bookings, or 0.
const Table kSeats{.name = "seats", .columns = {{"id"}, {"booking"}}};

const Value kFree = std::int64_t{0};

const Statement kFind = read_rows(kBookings, {}, {equal("seat", param(0))});
const Statement kFindForUpdate = read_rows(kBookings, {}, {equal("seat", param(0))}, Lock::update);
const Statement kInsertBooking = insert_row(kBookings);
const Statement kInsertUniqueBooking = insert_row(kUniqueBookings);
const Statement kInsertSeat = insert_row(kSeats);
const Statement kTakeIfFree =
    update_row(kSeats, {set("booking", param(1))}, {equal("booking", kFree)});
const NamedLock kSeatLock = advisory_lock(kBookings);

constexpr std::string_view kTaken = "taken";

std::int64_t seat_of(const Task& task) { return task.arguments[0]; }

TaskResult sold(std::int64_t seat, std::int64_t booking) {
  return done({.about = seat, .number = booking});
}

TaskResult book_if_free(Transaction& txn, const Task& task, const Statement& find) {
  const std::int64_t seat = seat_of(task);
  if (!txn.select(find, {seat}).empty()) return refused(kTaken);
  txn.think();
  txn.insert(kInsertBooking, {txn.new_key(), seat});
  return sold(seat, txn.new_key());
}

TaskResult select_then_insert(Transaction& txn, const Task& task) {
  return book_if_free(txn, task, kFind);
}

TaskResult for_update(Transaction& txn, const Task& task) {
  return book_if_free(txn, task, kFindForUpdate);
}

TaskResult unique(Transaction& txn, const Task& task) {
  const std::int64_t seat = seat_of(task);
  txn.insert(kInsertUniqueBooking, {txn.new_key(), seat});
  txn.think();
  return sold(seat, txn.new_key());
}

TaskResult preallocated(Transaction& txn, const Task& task) {
  const std::int64_t seat = seat_of(task);
  if (txn.update(kTakeIfFree, {seat, txn.new_key()}) == 0) return refused(kTaken);
  txn.think();
  return sold(seat, txn.new_key());
}

TaskResult advisory_locked(Transaction& txn, const Task& task) {
  txn.lock(kSeatLock, {seat_of(task)});
  return select_then_insert(txn, task);
}

constexpr std::array kStrategies = {
    Strategy{.name = "select-then-insert",
             .summary = "look for a booking of the seat; there is none: insert one",
             .promise = where_serializable,
             .body = select_then_insert},
    Strategy{.name = "for-update",
             .summary = "the same with SELECT ... FOR UPDATE: what is not there cannot be locked",
             .promise = where_absent_rows_lock,
             .body = for_update,
             .needs = Feature::row_locks},
    Strategy{.name = "unique",
             .summary = "insert; a UNIQUE index on the seat refuses the second",
             .promise = always,
             .body = unique,
             .refused_by = ErrorKind::unique_violation,
             .table = &kUniqueBookings},
    Strategy{.name = "preallocated",
             .summary = "a row per seat, made beforehand; UPDATE it if free, look at the row count",
             .promise = always,
             .body = preallocated,
             .table = &kSeats},
    Strategy{.name = "serializable",
             .summary = "select-then-insert at SERIALIZABLE, retried when the database refuses",
             .promise = where_serializable,
             .body = select_then_insert,
             .isolation = Isolation::serializable},
    Strategy{.name = "advisory-lock",
             .summary = "select-then-insert while holding a named lock of the seat",
             .promise = where_reads_follow_locks,
             .body = advisory_locked,
             .needs = Feature::advisory_locks},
};

constexpr std::array kOptions = {
    Option{.name = "seats",
           .summary = "seats of the hall; everybody wants the first one first",
           .in_trials = 1,
           .in_sustained = kKeysPerTrial,
           .lowest = 1,
           .highest = kKeysPerTrial},
};

void set_up(Transaction& txn, const Trial& trial) {
  if (trial.strategy->table != &kSeats) return;
  for (std::int64_t i = 0; i < trial.option("seats"); ++i) {
    txn.insert(kInsertSeat, {trial.first_key + i, kFree});
  }
}

Task next_task(const Turn& turn) {
  return {{turn.trial.first_key + turn.number % turn.trial.option("seats")}};
}

const Conditions kSeatsOfTrial = {at_least("seat", param(0)), less("seat", param(1))};
const Statement kAllBookings = read_rows(kBookings, {"seat"}, kSeatsOfTrial);
const Statement kAllUniqueBookings = read_rows(kUniqueBookings, {"seat"}, kSeatsOfTrial);
const Statement kAllSeats =
    read_rows(kSeats, {"booking"}, {at_least("id", param(0)), less("id", param(1))});

// Seats by booking, as the database has them.
std::map<std::int64_t, std::int64_t> bookings_in(Session& session, const Trial& trial) {
  FinalState state(session);
  const Table* const table = trial.strategy->table;
  const bool has_seats = table == &kSeats;
  const Statement& all = has_seats                   ? kAllSeats
                         : table == &kUniqueBookings ? kAllUniqueBookings
                                                     : kAllBookings;
  std::map<std::int64_t, std::int64_t> seats;
  const std::int64_t end = trial.first_key + trial.option("seats");
  for (const Row& row : state.select(all, {trial.first_key, end})) {
    if (!has_seats) {
      seats[row.key()] = row["seat"];
    } else if (row["booking"] != 0) {
      seats[row["booking"]] = row.key();
    }
  }
  return seats;
}

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  const std::map<std::int64_t, std::int64_t> seats = bookings_in(session, trial);
  std::map<std::int64_t, std::int64_t> buyers;  // by seat: those in the database …
  std::map<std::int64_t, std::int64_t> told;    // … and those who were told that it is theirs
  std::int64_t missing = 0;
  for (const auto& [booking, seat] : seats) ++buyers[seat];
  for (const Answer& answer : tally.acknowledged) {
    ++told[answer.about];
    if (!seats.contains(answer.number)) ++missing;
  }
  std::int64_t most = 0;
  std::int64_t sold_twice = 0;
  for (std::int64_t i = 0; i < trial.option("seats"); ++i) {
    const std::int64_t seat = trial.first_key + i;
    const std::int64_t count = std::max(buyers[seat], told[seat]);
    most = std::max(most, count);
    if (count > 1) ++sold_twice;
  }
  return {{"seats", trial.option("seats")},
          {"bookings", static_cast<std::int64_t>(seats.size())},
          {"most", most},
          {"sold twice", sold_twice},
          {"acknowledged", tally.count(TaskEnd::done)},
          {"in doubt", tally.count(TaskEnd::unknown)},
          {"missing", missing},
          {"wanted", tally.tasks()}};
}

std::optional<std::string> sold_twice(const Measures& m) {
  if (m.at("sold twice") == 0) return std::nullopt;
  return std::to_string(m.at("sold twice")) + " of " + std::to_string(m.at("seats")) +
         " seats sold more than once, one of them to " + std::to_string(m.at("most")) + " buyers";
}

std::optional<std::string> unacknowledged(const Measures& m) {
  const std::int64_t least = m.at("acknowledged");
  const std::int64_t most = least + m.at("in doubt");
  const std::int64_t bookings = m.at("bookings");
  if (m.at("missing") == 0 && bookings >= least && bookings <= most) return std::nullopt;
  return std::to_string(bookings) + " bookings in the database, " + std::to_string(least) +
         " acknowledged, of which " + std::to_string(m.at("missing")) + " are missing";
}

std::optional<std::string_view> untested(const Measures& m) {
  if (m.at("wanted") > m.at("bookings") && m.at("bookings") > 0) return std::nullopt;
  return "nobody had to be refused, so no two fought over a seat (fewer --seats do)";
}

constexpr std::array kInvariants = {
    Invariant{"sold-twice", "every seat is sold at most once", sold_twice},
    Invariant{"bookings-acknowledged", "bookings in the database = bookings acknowledged",
              unacknowledged},
};

constexpr std::array kShown = {Workload::Shown{"most", "buyers/seat", "buyers_min", "buyers_max"}};

}  // namespace

const Workload& seats() {
  static const Workload workload{
      .name = "seats",
      .summary = "two buyers book the same seat, which was free when both looked",
      .story =
          "A seat may be sold once. Each buyer looks for a booking of the seat, finds none and "
          "inserts one. No row is read and then changed: what both missed is a row that was not "
          "there yet, a phantom, and no lock on rows can keep it away. With --duration or --tasks "
          "buyers go from seat to seat until the hall is sold out.",
      .clients_called = "buyers",
      .clients_in_trials = 20,
      .tables = {&kBookings, &kUniqueBookings, &kSeats},
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
