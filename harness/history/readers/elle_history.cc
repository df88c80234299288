#include "harness/history/readers/elle_history.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "harness/history/readers/malformed.h"

namespace hilsa {
namespace {

constexpr Nanoseconds kNeverEnded = std::numeric_limits<Nanoseconds>::max();
const std::vector<Scalar> kNoElements;

AttemptOutcome outcome_of(ElleType type) {
  if (type == ElleType::ok) return AttemptOutcome::committed;
  return type == ElleType::fail ? AttemptOutcome::aborted : AttemptOutcome::unknown;
}

// What invocation and completion have in common: functions, keys and written values.
std::uint64_t signature_of(const std::vector<MicroOperation>& operations) {
  std::uint64_t hash = operations.size();
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  };
  for (const MicroOperation& operation : operations) {
    mix(static_cast<std::uint64_t>(operation.function));
    mix(static_cast<std::uint64_t>(operation.key.bits()));
    if (operation.function != ElleFunction::read) {
      mix(static_cast<std::uint64_t>(operation.value.bits()));
    }
  }
  return hash;
}

bool are_the_same(const std::vector<MicroOperation>& a, const std::vector<MicroOperation>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const MicroOperation& left, const MicroOperation& right) {
                      return left.function == right.function && left.key == right.key &&
                             (left.function == ElleFunction::read || left.value == right.value);
                    });
}

}  // namespace

ElleHistory::ElleHistory(HistoryBuilder& builder, std::optional<Form> form)
    : builder_(builder), form_(form) {
  if (form_) builder_.use_form(*form_);
}

void ElleHistory::add(const ElleEvent& event) {
  ++position_;
  if (event.process_kind == ElleEvent::Process::other) return;
  if (event.type == ElleType::none) {
    throw Malformed{"an event without a type", ":type :invoke, :ok, :fail or :info"};
  }
  if (event.is_transaction) {
    if (!event.unknown_function.empty()) {
      throw Malformed{"the function " + quoted(event.unknown_function), "r, append or w"};
    }
    settle_form(event);
  }
  if (event.process_kind == ElleEvent::Process::none) {
    add_of_nobody(event);
  } else {
    add_of_process(event);
  }
}

void ElleHistory::settle_form(const ElleEvent& event) {
  for (const MicroOperation& operation : event.operations) {
    std::optional<Form> form;
    if (operation.function == ElleFunction::append) form = Form::lists;
    if (operation.function == ElleFunction::write) form = Form::registers;
    if (operation.function == ElleFunction::read && event.type == ElleType::ok) {
      if (operation.is_list) form = Form::lists;
      if (!operation.is_list && !operation.value.is_null()) form = Form::registers;
    }
    if (!form) continue;
    if (!form_) settle_form(*form);
    if (*form == *form_) continue;
    constexpr std::string_view kKinds[2][2] = {{"a read of something that is no list", "w"},
                                               {"a read of a list", "append"}};
    const auto& kinds = kKinds[*form == Form::lists ? 1 : 0];
    throw Malformed{std::string(kinds[operation.function == ElleFunction::read ? 0 : 1]),
                    "what " + std::string(name_of(*form_)) + " has"};
  }
}

void ElleHistory::settle_form(Form form) {
  form_ = form;
  builder_.use_form(form);
  for (const Undecided& txn : undecided_) {
    emit(txn.invoked, txn.invoked.operations, kNoElements, txn.outcome, txn.end);
  }
  undecided_.clear();
}

void ElleHistory::fill(Invoked& invoked, const ElleEvent& event) const {
  invoked.position = invoked.place = position_;
  invoked.index = event.index;
  invoked.is_transaction = event.is_transaction;
  invoked.operations.assign(event.operations.begin(), event.operations.end());
}

void ElleHistory::add_of_process(const ElleEvent& event) {
  Process& process = processes_[event.process];
  if (event.type == ElleType::invoke) {
    if (process.is_open) {
      throw Malformed{
          "a second invocation by process " + std::to_string(event.process),
          "the completion of its first one, event " + std::to_string(process.invoked.position)};
    }
    if (process.client == 0) process.client = ++clients_;
    fill(process.invoked, event);
    process.invoked.client = process.client;
    process.is_open = true;
    return;
  }
  if (!process.is_open) {
    // A log of completions alone: all but the beginnings is known.
    if (!event.is_transaction) return;
    if (process.client == 0) process.client = ++clients_;
    process.invoked.client = process.client;
    complete_uninvoked(process.invoked, event);
  } else {
    process.is_open = false;
    complete(process.invoked, event);
  }
  if (event.type == ElleType::info) process.client = 0;
}

void ElleHistory::add_of_nobody(const ElleEvent& event) {
  if (!event.is_transaction) return;  // a nemesis, or nothing that can be paired
  const std::uint64_t signature = signature_of(event.operations);
  if (event.type == ElleType::invoke) {
    Invoked& invoked = open_of_nobody_[signature].emplace_back();
    fill(invoked, event);
    invoked.client = ++clients_;
    return;
  }
  const auto open = open_of_nobody_.find(signature);
  if (open != open_of_nobody_.end()) {
    std::deque<Invoked>& candidates = open->second;
    const auto match =
        std::find_if(candidates.begin(), candidates.end(), [&](const Invoked& candidate) {
          return are_the_same(candidate.operations, event.operations);
        });
    if (match != candidates.end()) {
      complete(*match, event);
      candidates.erase(match);
      if (candidates.empty()) open_of_nobody_.erase(open);
      return;
    }
  }
  Invoked invoked;
  invoked.client = ++clients_;
  complete_uninvoked(invoked, event);
}

void ElleHistory::complete_uninvoked(Invoked& invoked, const ElleEvent& event) {
  fill(invoked, event);
  invoked.position = 0;
  complete(invoked, event);
}

void ElleHistory::complete(Invoked& invoked, const ElleEvent& event) {
  if (!invoked.is_transaction) {
    ++no_transactions_;
    return;
  }
  if (event.type == ElleType::info) {
    never_ended_.push_back(std::move(invoked));
    invoked = {};
  } else if (event.type == ElleType::fail) {
    emit(invoked, invoked.operations, kNoElements, AttemptOutcome::aborted, position_);
  } else {
    if (!event.is_transaction) {
      throw Malformed{"an ok without a transaction",
                      "the micro-operations of event " + std::to_string(invoked.position)};
    }
    emit(invoked, event.operations, event.elements, outcome_of(event.type), position_);
  }
}

// What a transaction read is known only of one that committed.
void ElleHistory::emit(const Invoked& invoked, const std::vector<MicroOperation>& operations,
                       const std::vector<Scalar>& elements, AttemptOutcome outcome,
                       std::int64_t end) {
  if (!form_) {
    undecided_.push_back({invoked, outcome, end});
    undecided_.back().invoked.operations = operations;
    return;
  }
  const bool committed = outcome == AttemptOutcome::committed;
  // Its name comes last of all: name_transactions().
  const TxnIndex txn = builder_.begin_txn({.id = invoked.index,
                                           .client = invoked.client,
                                           .flags = {outcome, true},
                                           .begin = invoked.position,
                                           .end = end});
  if (invoked.position == 0) places_[txn] = invoked.place;
  for (const MicroOperation& operation : operations) {
    const bool is_read = operation.function == ElleFunction::read;
    if (is_read && !committed) continue;
    const ObjectIndex object = builder_.object(0, operation.key);
    if (operation.function == ElleFunction::append) {
      builder_.add_append(object, operation.value);
    } else if (operation.function == ElleFunction::write) {
      builder_.add_write_register(object, operation.value);
    } else if (*form_ == Form::lists) {
      builder_.add_read_list(
          object, std::span(elements).subspan(operation.first_element, operation.elements), true);
    } else {
      builder_.add_read_register(object, operation.value);
    }
  }
  builder_.end_txn();
}

void ElleHistory::emit_never_ended() {
  for (auto& [number, process] : processes_) {
    if (!process.is_open) continue;
    if (!process.invoked.is_transaction) {
      ++no_transactions_;
      continue;
    }
    never_ended_.push_back(std::move(process.invoked));
  }
  for (auto& [signature, candidates] : open_of_nobody_) {
    std::move(candidates.begin(), candidates.end(), std::back_inserter(never_ended_));
  }
  std::stable_sort(never_ended_.begin(), never_ended_.end(),
                   [](const auto& a, const auto& b) { return a.position < b.position; });
  for (const Invoked& invoked : never_ended_) {
    emit(invoked, invoked.operations, kNoElements, AttemptOutcome::unknown, kNeverEnded);
  }
}

void ElleHistory::note(std::int64_t count, std::string_view one, std::string_view many) {
  if (count == 0) return;
  builder_.notes().push_back(std::to_string(count) + " " + std::string(count == 1 ? one : many));
}

History ElleHistory::finish() {
  emit_never_ended();
  if (!undecided_.empty()) {
    throw Malformed{"nothing but reads of nothing",
                    "an append or a w, or --workload list-append or rw-register"};
  }
  if (builder_.transactions() == 0) throw Malformed{"no transaction", "at least one"};
  note(no_transactions_, "operation that is no transaction was left out",
       "operations that are no transactions were left out");
  note(static_cast<std::int64_t>(places_.size()),
       "completion has no invocation: when it began is not known",
       "completions have no invocation: when they began is not known");
  History history = builder_.finish();
  name_transactions(history);
  return history;
}

void ElleHistory::name_transactions(History& history) const {
  std::vector<AttemptId> sorted = history.txn_id;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() > 0 && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) {
    return;
  }
  for (TxnIndex txn = 0; txn < history.transactions(); ++txn) {
    const bool was_invoked = history.txn_begin[txn] != 0;
    history.txn_id[txn] = was_invoked ? history.txn_begin[txn] : places_.at(txn);
  }
  history.notes.emplace_back(
      "transactions are called by the place of their invocation among the events, from 1");
}

}  // namespace hilsa
