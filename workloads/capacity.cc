// One ticket too many: a limit on the number of rows.
//
// An event has places, and every ticket is a row. Every strategy sells a ticket or answers "sold
// out". What is limited is a count, which is no row: two buyers who insert never write the same
// thing.
#include "workloads/capacity.h"

#include <algorithm>
#include <array>
#include <map>

#include "workloads/promises.h"
#include "workloads/table/final_state.h"

namespace hilsa {
namespace {

const Table kEvents{.name = "events", .columns = {{"id"}, {"sold"}}};
const Table kTickets{.name = "tickets", .columns = {{"id"}, {"event"}}, .indexed = {"event"}};

const Statement kTicketsOf = read_rows(kTickets, {}, {equal("event", param(0))});
const Statement kInsertTicket = insert_row(kTickets);
const Statement kInsertTicketIfFewer =
    insert_row_if_fewer(kTickets, {equal("event", param(1))}, param(2));
const Statement kLockEvent = read_row(kEvents, {}, Lock::update);
const Statement kCountOneIfPlace =
    update_row(kEvents, {add("sold", Value(std::int64_t{1}))}, {less("sold", param(1))});
const Statement kInsertEvent = insert_row(kEvents);

struct Purchase {
  explicit Purchase(const Task& task) : event(task.arguments[0]), places(task.arguments[1]) {}
  std::int64_t event;
  std::int64_t places;
};

constexpr std::string_view kSoldOut = "sold out";

TaskResult insert_ticket(Transaction& txn, const Purchase& purchase) {
  txn.insert(kInsertTicket, {txn.new_key(), purchase.event});
  return done();
}

TaskResult count_then_insert(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  const auto tickets = static_cast<std::int64_t>(txn.select(kTicketsOf, {purchase.event}).size());
  if (tickets >= purchase.places) return refused(kSoldOut);
  txn.think();
  return insert_ticket(txn, purchase);
}

TaskResult insert_select(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  const bool inserted =
      txn.insert_if_fewer(kInsertTicketIfFewer, {txn.new_key(), purchase.event, purchase.places});
  if (!inserted) return refused(kSoldOut);
  txn.think();
  return done();
}

TaskResult unchecked_guard(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  insert_ticket(txn, purchase);
  txn.think();
  txn.update(kCountOneIfPlace, {purchase.event, purchase.places});  // perhaps of no row
  return done();
}

TaskResult lock_parent(Transaction& txn, const Task& task) {
  txn.read(kLockEvent, {Purchase(task).event});
  return count_then_insert(txn, task);
}

TaskResult counter_row(Transaction& txn, const Task& task) {
  const Purchase purchase(task);
  if (txn.update(kCountOneIfPlace, {purchase.event, purchase.places}) == 0) {
    return refused(kSoldOut);
  }
  txn.think();
  return insert_ticket(txn, purchase);
}

// One statement counts and inserts. PostgreSQL, and InnoDB at read committed, count what was
// committed when the statement began. InnoDB reads with locks, gaps included, from repeatable read
// on. At read uncommitted it counts what others have not committed yet as well: two must then be
// within the statement at the same moment, which is rare, and not seen in every ten trials. In a
// simulated database that cannot be: a statement is one step.
Promise where_one_statement_is_enough(const Traits& traits, Isolation level) {
  const bool is_one_step =
      traits.product == Product::simulated && level == Isolation::read_uncommitted;
  return is_one_step ? Promise::safe : where_absent_rows_lock(traits, level);
}

constexpr std::array kStrategies = {
    Strategy{.name = "count-then-insert",
             .summary = "count the tickets; if there are fewer than places, insert one",
             .promise = where_serializable,
             .body = count_then_insert},
    Strategy{.name = "insert-select",
             .summary = "INSERT ... SELECT ... WHERE (SELECT count(*) ...) < places: one statement",
             .promise = where_one_statement_is_enough,
             .body = insert_select},
    Strategy{.name = "unchecked-guard",
             .summary = "insert, then UPDATE ... WHERE sold < places; the row count is ignored",
             .promise = never,
             .body = unchecked_guard},
    Strategy{.name = "lock-parent",
             .summary = "lock the event's row (SELECT ... FOR UPDATE), then count and insert",
             .promise = where_reads_follow_locks,
             .body = lock_parent,
             .needs = Feature::row_locks},
    Strategy{.name = "counter-row",
             .summary = "UPDATE the event's counter if there is a place, look at the row count",
             .promise = always,
             .body = counter_row},
    Strategy{.name = "serializable",
             .summary = "count-then-insert at SERIALIZABLE, retried when the database refuses",
             .promise = where_serializable,
             .body = count_then_insert,
             .isolation = Isolation::serializable},
};

constexpr std::array kOptions = {
    Option{.name = "places",
           .summary = "the most tickets that an event may have",
           .in_trials = 3,
           .in_sustained = 20,
           .highest = 10'000},
    Option{.name = "events",
           .summary = "events, which are sold out one after the other",
           .in_trials = 1,
           .in_sustained = kKeysPerTrial,
           .lowest = 1,
           .highest = kKeysPerTrial},
};

void set_up(Transaction& txn, const Trial& trial) {
  for (std::int64_t i = 0; i < trial.option("events"); ++i) {
    txn.insert(kInsertEvent, {trial.first_key + i, std::int64_t{0}});
  }
}

// Everybody goes on to the next event when it is high time, so that each one's last ticket is
// fought over.
Task next_task(const Turn& turn) {
  const std::int64_t places = turn.trial.option("places");
  const std::int64_t tries = 1 + 2 * places / turn.trial.clients;
  const std::int64_t event = turn.number / tries % turn.trial.option("events");
  return {{turn.trial.first_key + event, places}};
}

const Statement kAllTickets =
    read_rows(kTickets, {"event"}, {at_least("event", param(0)), less("event", param(1))});

Measures measure(Session& session, const Trial& trial, const Tally& tally) {
  FinalState state(session);
  std::map<std::int64_t, std::int64_t> tickets;  // by event
  const std::int64_t end = trial.first_key + trial.option("events");
  std::int64_t sold = 0;
  for (const Row& row : state.select(kAllTickets, {trial.first_key, end})) {
    ++tickets[row["event"]];
    ++sold;
  }
  std::int64_t most = 0;
  std::int64_t overfull = 0;
  for (const auto& [event, count] : tickets) {
    most = std::max(most, count);
    if (count > trial.option("places")) ++overfull;
  }
  return {{"places", trial.option("places")},
          {"events", trial.option("events")},
          {"sold", sold},
          {"most", most},
          {"overfull", overfull},
          {"acknowledged", tally.count(TaskEnd::done)},
          {"in doubt", tally.count(TaskEnd::unknown)},
          {"wanted", tally.tasks()}};
}

std::optional<std::string> over_capacity(const Measures& m) {
  if (m.at("overfull") == 0) return std::nullopt;
  std::string text =
      std::to_string(m.at("most")) + " tickets for " + std::to_string(m.at("places")) + " places";
  if (m.at("events") > 1) {
    text += "; too many in " + std::to_string(m.at("overfull")) + " of " +
            std::to_string(m.at("events")) + " events";
  }
  return text;
}

std::optional<std::string> unacknowledged(const Measures& m) {
  const std::int64_t least = m.at("acknowledged");
  const std::int64_t most = least + m.at("in doubt");
  if (m.at("sold") >= least && m.at("sold") <= most) return std::nullopt;
  return std::to_string(m.at("sold")) + " tickets in the database, " + std::to_string(least) +
         " acknowledged, " + std::to_string(m.at("in doubt")) + " in doubt";
}

std::optional<std::string_view> untested(const Measures& m) {
  if (m.at("most") >= m.at("places") && m.at("wanted") > m.at("sold")) return std::nullopt;
  return "nobody had to be refused, so nobody fought over the last place (fewer --places do)";
}

constexpr std::array kInvariants = {
    Invariant{"over-capacity", "an event has at most as many tickets as places", over_capacity},
    Invariant{"tickets-acknowledged", "tickets in the database = tickets acknowledged",
              unacknowledged},
};

constexpr std::array kShown = {Workload::Shown{"most", "tickets", "tickets_min", "tickets_max"}};

}  // namespace

const Workload& capacity() {
  static const Workload workload{
      .name = "capacity",
      .summary = "the last places of an event are sold to more buyers than there are places",
      .story =
          "An event has --places places, and every ticket is a row. Buyers count the rows and "
          "insert one more if there is room: all of them count before any of them has committed. "
          "To do both in one statement looks atomic and is not; to guard a counter helps nobody "
          "who does not look whether the guard held. With --duration or --tasks buyers go on to "
          "the next event when one is sold out.",
      .clients_called = "buyers",
      .clients_in_trials = 20,
      .tables = {&kEvents, &kTickets},
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
